//! Standard cron texts: minute, hour, day of the month, month, weekday. A day that its month does not have is left out.

use std::fmt;

use base::{Day, Wall, days_in_month};

use super::{DAY_MS, MINUTE_MS};

/// Every month of this century's calendar comes again after so many, with the same days on the same weekdays.
const MONTHS_ROUND: i64 = 28 * 12;
/// Longest text: each value named once has less than four hundred letters.
const TEXT_MAX: usize = 512;

/// The five fields: which values fit, bit by bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Standard {
    text: String,
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    /// 0 for Sunday.
    weekdays: u64,
    /// Where both days and weekdays are said, either fits.
    is_either: bool,
}

impl Standard {
    /// The next due moment, strictly after `now`.
    pub(super) fn next_after(&self, now: Wall) -> Wall {
        // Only beyond the century, for which there is no calendar, nothing is found: once a day then.
        self.find_after(now).unwrap_or_else(|| now.plus_ms(DAY_MS))
    }

    /// Month by month, so that years without a due one cost little.
    fn find_after(&self, now: Wall) -> Option<Wall> {
        let first = Wall(now.0 - now.0.rem_euclid(MINUTE_MS)).plus_ms(MINUTE_MS);
        let this = Day::of(first);
        let month = |ahead: i64| {
            let months = this.year * 12 + this.month - 1 + ahead;
            Day { year: months / 12, month: months % 12 + 1, day: 1 }
        };
        let months = (0..=MONTHS_ROUND).map(month).filter(|month| has(self.months, month.month));
        months.flat_map(days).filter(|day| self.fits_day(*day)).find_map(|day| self.in_day(day, first))
    }

    /// The first due moment of a day that fits, not before `first`.
    fn in_day(&self, day: Day, first: Wall) -> Option<Wall> {
        let begin = day.begin();
        let from = (first.0 - begin.0).max(0) / MINUTE_MS;
        let minute = (from..1_440).find(|minute| has(self.hours, minute / 60) && has(self.minutes, minute % 60))?;
        Some(begin.plus_ms(minute * MINUTE_MS))
    }

    fn fits_day(&self, day: Day) -> bool {
        let by_day = has(self.days, day.day);
        let by_weekday = has(self.weekdays, day.weekday() % 7);
        if self.is_either { by_day || by_weekday } else { by_day && by_weekday }
    }
}

/// The days of the month that begins on that day.
fn days(month: Day) -> impl Iterator<Item = Day> {
    (1..=days_in_month(month.year, month.month)).map(move |day| Day { day, ..month })
}

fn has(bits: u64, value: i64) -> bool {
    (0..64).contains(&value) && bits >> value & 1 == 1
}

/// What such a text says; `None` for every other one, and for one that is never due (a 30th of February).
pub(super) fn parse(text: &str) -> Option<Standard> {
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let [minutes, hours, days, months, weekdays] = fields.as_slice() else { return None };
    let standard = Standard {
        text: Some(fields.join(" ")).filter(|text| text.len() <= TEXT_MAX)?,
        minutes: bits(minutes, 0, 59)?,
        hours: bits(hours, 0, 23)?,
        days: bits(days, 1, 31)?,
        months: bits(months, 1, 12)?,
        weekdays: sunday(bits(weekdays, 0, 7)?),
        is_either: !days.starts_with('*') && !weekdays.starts_with('*'),
    };
    standard.find_after(Wall(0)).map(|_| standard)
}

/// Sunday is 0 and 7.
fn sunday(bits: u64) -> u64 {
    (bits | bits >> 7) & 0x7f
}

/// `*`, `5`, `1-5`, each with `/n`, and lists of them.
fn bits(field: &str, from: i64, to: i64) -> Option<u64> {
    field.split(',').try_fold(0, |bits, part| {
        let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
        let every = step.map_or(Some(1), |step| number(step, 1, 59))?;
        let (first, last) = match (range, range.split_once('-')) {
            ("*", _) => (from, to),
            (_, Some((first, last))) => (number(first, from, to)?, number(last, from, to)?),
            (one, None) if step.is_none() => (number(one, from, to)?, number(one, from, to)?),
            (one, None) => (number(one, from, to)?, to),
        };
        let values = (first..=last).step_by(usize::try_from(every).ok()?);
        (first <= last).then(|| values.fold(bits, |bits, value| bits | 1 << value))
    })
}

/// One or two digits and nothing else.
fn number(text: &str, from: i64, to: i64) -> Option<i64> {
    let is_plain = (1..=2).contains(&text.len()) && text.bytes().all(|letter| letter.is_ascii_digit());
    text.parse().ok().filter(|number| is_plain && (from..=to).contains(number))
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Cron;
    use super::*;

    fn at(text: &str) -> Wall {
        Wall::parse_rfc3339(text).unwrap()
    }

    fn check(cron: &str, now: &str, due: &str) {
        assert_eq!(cron.parse::<Cron>().unwrap().next_after(at(now)), at(due), "{cron} after {now}");
    }

    #[test]
    fn ker_21_wfl_29_standard_texts() {
        check("*/15 * * * *", "2026-11-15T10:15:00Z", "2026-11-15T10:30:00Z");
        check("0 6-18/4 * * *", "2026-11-15T18:00:00Z", "2026-11-16T06:00:00Z");
        // 2026-11-16 is a Monday.
        check("30 9 * * 1-5", "2026-11-13T09:30:00Z", "2026-11-16T09:30:00Z");
        check("0 0 * * 7", "2026-11-16T00:00:00Z", "2026-11-22T00:00:00Z");
        check("0 0 29 2 *", "2026-11-16T00:00:00Z", "2028-02-29T00:00:00Z");
        check("0 0 31 * *", "2026-11-16T00:00:00Z", "2026-12-31T00:00:00Z");
        check("0 0 1,15 * 1", "2026-11-10T00:00:00Z", "2026-11-15T00:00:00Z");
        check("0 0 1,15 * 1", "2026-11-15T00:00:00Z", "2026-11-16T00:00:00Z");
        check("59 23 31 12 *", "2026-12-31T23:59:00Z", "2027-12-31T23:59:00Z");
    }

    #[test]
    fn ker_21_the_rarest_text_that_is_due_comes_again_after_28_years() {
        // A 29th of February that is a Sunday.
        check("0 0 29 2 */7", "2026-11-16T00:00:00Z", "2032-02-29T00:00:00Z");
        check("0 0 29 2 */7", "2032-02-29T00:00:00Z", "2060-02-29T00:00:00Z");
    }

    #[test]
    fn ker_21_wfl_29_everything_else_is_refused() {
        for bad in [
            "",
            "H",
            "* * * *",
            "* * * * * *",
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * * 13 *",
            "* * * * 8",
            "5-1 * * * *",
            "*/0 * * * *",
            "*/60 * * * *",
            "*/+5 * * * *",
            "a * * * *",
            "0 0 30 2 *",
            "0 0 31 2,4,6,9,11 *",
            "+1 * * * *",
            "1,,2 * * * *",
            "D0425 * * * *",
            "D0425 D0425",
        ] {
            assert!(bad.parse::<Cron>().is_err(), "{bad}");
        }
        let long = format!("{}0 * * * *", "0,".repeat(TEXT_MAX));
        assert!(long.parse::<Cron>().is_err(), "longer than any that says something");
    }

    /// A text and what it says, in lists that nothing was parsed for.
    #[derive(Debug, Clone)]
    struct Said {
        text: String,
        minutes: Vec<i64>,
        hours: Vec<i64>,
        days: Option<Vec<i64>>,
        weekdays: Option<Vec<i64>>,
    }

    impl Said {
        fn is_due(&self, at: Wall) -> bool {
            let day = Day::of(at);
            let minutes = (at.0 - day.begin().0) / MINUTE_MS;
            let by_day = self.days.as_ref().map(|days| days.contains(&day.day));
            let by_weekday =
                self.weekdays.as_ref().map(|weekdays| weekdays.iter().any(|one| (one + 6) % 7 + 1 == day.weekday()));
            let is_day = match (by_day, by_weekday) {
                (Some(by_day), Some(by_weekday)) => by_day || by_weekday,
                (one, other) => one.or(other).unwrap_or(true),
            };
            is_day && self.hours.contains(&(minutes / 60)) && self.minutes.contains(&(minutes % 60))
        }
    }

    /// A field with the values that it says.
    fn field(from: i64, to: i64) -> impl Strategy<Value = (String, Vec<i64>)> {
        let one = (from..=to).prop_map(|one| (one.to_string(), vec![one]));
        let range = (from..=to, from..=to, 1..9_i64).prop_map(|(one, other, every)| {
            let (first, last) = (one.min(other), one.max(other));
            let values = (first..=last).filter(|value| (value - first) % every == 0).collect();
            (format!("{first}-{last}/{every}"), values)
        });
        let part = prop_oneof![one, range];
        proptest::collection::vec(part, 1..3).prop_map(|parts| {
            let (texts, values): (Vec<String>, Vec<Vec<i64>>) = parts.into_iter().unzip();
            (texts.join(","), values.concat())
        })
    }

    fn some_text() -> impl Strategy<Value = Said> {
        let days = proptest::option::of(field(1, 28));
        let weekdays = proptest::option::of(field(0, 7));
        (field(0, 59), field(0, 23), days, weekdays).prop_map(|((minute, minutes), (hour, hours), day, weekday)| {
            let [days, weekdays] = [&day, &weekday].map(|field| field.as_ref().map_or("*", |(text, _)| text));
            let text = format!("{minute} {hour} {days} * {weekdays}");
            let values = |field: Option<(String, Vec<i64>)>| field.map(|(_, values)| values);
            Said { text, minutes, hours, days: values(day), weekdays: values(weekday) }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        /// Within two years of minutes that hold a leap day, against every minute tried.
        #[test]
        fn ker_21_the_next_due_moment_of_a_standard_text_is_the_one_that_a_slow_look_finds(
            said in some_text(),
            minutes in 0..2 * 366 * 24 * 60i64,
            ms in prop_oneof![Just(0), Just(59_999), 0..60_000i64],
        ) {
            let now = at("2027-01-01T00:00:00Z").plus_ms(minutes * MINUTE_MS + ms);
            let mut slow = Wall(now.0 - now.0.rem_euclid(MINUTE_MS) + MINUTE_MS);
            while !said.is_due(slow) {
                slow = slow.plus_ms(MINUTE_MS);
            }
            let cron: Cron = said.text.parse().unwrap();
            prop_assert_eq!(cron.next_after(now), slow);
            prop_assert_eq!(cron.to_string(), said.text);
        }

        /// Short and standard texts that say the same are due at the same moments.
        #[test]
        fn ker_21_a_short_text_and_the_standard_one_that_says_the_same_agree(
            (minute, hour) in (0..60, 0..24),
            (weekday, day, month) in (1..8, 1..29, 1..13),
            minutes in 0..40 * 366 * 24 * 60i64,
        ) {
            let now = at("2020-01-01T00:00:00Z").plus_ms(minutes * MINUTE_MS);
            for (short, standard) in [
                (format!("H{minute:02}"), format!("{minute} * * * *")),
                (format!("D{hour:02}{minute:02}"), format!("{minute} {hour} * * *")),
                (format!("W{weekday}{hour:02}{minute:02}"), format!("{minute} {hour} * * {weekday}")),
                (format!("M{day:02}{hour:02}{minute:02}"), format!("{minute} {hour} {day} * *")),
                (format!("Y{month:02}{day:02}{hour:02}{minute:02}"), format!("{minute} {hour} {day} {month} *")),
            ] {
                let next = [&short, &standard].map(|text| text.parse::<Cron>().unwrap().next_after(now));
                prop_assert_eq!(next[0], next[1], "{} and {}", short, standard);
            }
        }
    }
}
