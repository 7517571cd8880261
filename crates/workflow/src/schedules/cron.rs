//! When a schedule is due: the short texts of the kernel (`H25`, `D0425` …, KER-21), or a standard cron text of five fields in UTC
//! (`*/15 6-18 * * 1-5`). Pure.

use std::fmt;
use std::str::FromStr;

use base::{Day, Wall, days_in_month};
use kernel::tasks::Cron;

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 86_400_000;
/// Days that are looked through for the next due one: a 29th of February comes within eight years.
const DAYS_MAX: i64 = 366 * 8 + 2;

/// When something is due again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Calendar {
    /// A short text.
    Short(Cron),
    /// A standard cron text.
    Standard(Box<Fields>),
}

/// The five fields of a standard cron text: which values fit, bit by bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields {
    text: String,
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    /// 0 for Sunday.
    weekdays: u64,
    /// Where both days and weekdays are said, either fits.
    any_day: (bool, bool),
}

impl Calendar {
    /// The next due moment, strictly after `now`; `None`: there is none.
    #[must_use]
    pub fn next_after(&self, now: Wall) -> Option<Wall> {
        match self {
            Self::Short(cron) => Some(cron.next_after(now)),
            Self::Standard(fields) => fields.next_after(now),
        }
    }

    /// The last `most` due moments from `first` (due itself) up to `now`, in order.
    #[must_use]
    pub fn due(&self, first: Wall, now: Wall, most: usize) -> Vec<Wall> {
        if first > now || most == 0 {
            return vec![];
        }
        // Backwards in growing strides, so that years of minutes cost no more than what is asked for.
        let mut stride_ms = 3_600_000;
        loop {
            let from = now.plus_ms(-stride_ms).max(first.plus_ms(-1));
            let mut due = self.between(from, now);
            if due.len() >= most || from <= first.plus_ms(-1) {
                return due.split_off(due.len().saturating_sub(most));
            }
            stride_ms *= 2;
        }
    }

    fn between(&self, from: Wall, to: Wall) -> Vec<Wall> {
        let next = |at: &Wall| self.next_after(*at).filter(|next| *next <= to);
        std::iter::successors(next(&from), next).collect()
    }
}

impl Fields {
    fn next_after(&self, now: Wall) -> Option<Wall> {
        let first = Wall(now.0 - now.0.rem_euclid(MINUTE_MS)).plus_ms(MINUTE_MS);
        let mut begin = Day::of(first).begin();
        for _ in 0..DAYS_MAX {
            if self.fits_day(Day::of(begin)) {
                let from = (first.0 - begin.0).max(0) / MINUTE_MS;
                if let Some(minute) = (from..1_440).find(|minute| self.fits_minute(*minute)) {
                    return Some(begin.plus_ms(minute * MINUTE_MS));
                }
            }
            begin = begin.plus_ms(DAY_MS);
        }
        None
    }

    fn fits_minute(&self, minute: i64) -> bool {
        has(self.hours, minute / 60) && has(self.minutes, minute % 60)
    }

    fn fits_day(&self, day: Day) -> bool {
        let by_day = has(self.days, day.day);
        let by_weekday = has(self.weekdays, day.weekday() % 7);
        let fits = match self.any_day {
            (false, false) => by_day || by_weekday,
            (true, _) | (_, true) => by_day && by_weekday,
        };
        fits && has(self.months, day.month) && day.day <= days_in_month(day.year, day.month)
    }
}

fn has(bits: u64, value: i64) -> bool {
    (0..64).contains(&value) && bits >> value & 1 == 1
}

/// A text that is neither.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoCalendar;

impl FromStr for Calendar {
    type Err = NoCalendar;

    fn from_str(text: &str) -> Result<Self, NoCalendar> {
        if let Ok(cron) = text.parse::<Cron>() {
            return Ok(Self::Short(cron));
        }
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields.as_slice() else { return Err(NoCalendar) };
        let fields = Fields {
            text: fields.join(" "),
            minutes: bits(minutes, 0, 59)?,
            hours: bits(hours, 0, 23)?,
            days: bits(days, 1, 31)?,
            months: bits(months, 1, 12)?,
            weekdays: sunday(bits(weekdays, 0, 7)?),
            any_day: (days.starts_with('*'), weekdays.starts_with('*')),
        };
        // One that is never due (a 30th of February) is none.
        fields.next_after(Wall(0)).map(|_| Self::Standard(Box::new(fields))).ok_or(NoCalendar)
    }
}

/// Sunday is 0 and 7.
fn sunday(bits: u64) -> u64 {
    (bits | bits >> 7) & 0x7f
}

/// `*`, `5`, `1-5`, each with `/n`, and lists of them.
fn bits(field: &str, from: i64, to: i64) -> Result<u64, NoCalendar> {
    let number = |text: &str| {
        let is_plain = (1..=2).contains(&text.len()) && text.bytes().all(|letter| letter.is_ascii_digit());
        let number = text.parse::<i64>().ok().filter(|number| is_plain && (from..=to).contains(number));
        number.ok_or(NoCalendar)
    };
    let mut bits = 0;
    for part in field.split(',') {
        let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
        let step = step
            .map_or(Ok(1), |step| step.parse::<i64>().ok().filter(|step| (1..=59).contains(step)).ok_or(NoCalendar));
        let (step, is_single) = (step?, !part.contains('/'));
        let (first, last) = match (range, range.split_once('-')) {
            ("*", _) => (from, to),
            (_, Some((first, last))) => (number(first)?, number(last)?),
            (one, None) if is_single => (number(one)?, number(one)?),
            (one, None) => (number(one)?, to),
        };
        if first > last {
            return Err(NoCalendar);
        }
        let mut value = first;
        while value <= last {
            bits |= 1 << value;
            value += step;
        }
    }
    Ok(bits)
}

impl fmt::Display for Calendar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short(cron) => cron.fmt(f),
            Self::Standard(fields) => f.write_str(&fields.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Wall {
        Wall::parse_rfc3339(text).unwrap()
    }

    fn check(cron: &str, now: &str, due: &str) {
        let next = cron.parse::<Calendar>().unwrap().next_after(at(now));
        assert_eq!(next, Some(at(due)), "{cron} after {now}");
    }

    #[test]
    fn wfl_29_ker_21_short_and_standard_texts() {
        check("H25", "2026-11-15T10:24:59Z", "2026-11-15T10:25:00Z");
        check("*/15 * * * *", "2026-11-15T10:15:00Z", "2026-11-15T10:30:00Z");
        check("0 6-18/4 * * *", "2026-11-15T18:00:00Z", "2026-11-16T06:00:00Z");
        // 2026-11-16 is a Monday.
        check("30 9 * * 1-5", "2026-11-13T09:30:00Z", "2026-11-16T09:30:00Z");
        check("0 0 * * 7", "2026-11-16T00:00:00Z", "2026-11-22T00:00:00Z");
        check("0 0 29 2 *", "2026-11-16T00:00:00Z", "2028-02-29T00:00:00Z");
        check("0 0 1,15 * 1", "2026-11-10T00:00:00Z", "2026-11-15T00:00:00Z");
        check("0 0 1,15 * 1", "2026-11-15T00:00:00Z", "2026-11-16T00:00:00Z");
        check("59 23 31 12 *", "2026-12-31T23:59:00Z", "2027-12-31T23:59:00Z");
    }

    #[test]
    fn wfl_29_everything_else_is_refused() {
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
            "a * * * *",
            "0 0 30 2 *",
            "+1 * * * *",
            "1,,2 * * * *",
        ] {
            assert_eq!(bad.parse::<Calendar>(), Err(NoCalendar), "{bad}");
        }
    }

    #[test]
    fn wfl_29_the_last_moments_that_were_missed() {
        let minutely: Calendar = "* * * * *".parse().unwrap();
        let (first, now) = (at("2016-11-16T00:00:00Z"), at("2026-11-16T00:00:30Z"));
        let due = minutely.due(first, now, 3);
        let expected = ["2026-11-15T23:58:00Z", "2026-11-15T23:59:00Z", "2026-11-16T00:00:00Z"].map(at);
        assert_eq!(due, expected, "of ten years of minutes");
        let yearly: Calendar = "Y11160000".parse().unwrap();
        assert_eq!(yearly.due(first, now, 100).len(), 11, "the first itself is due");
        assert_eq!(yearly.due(now.plus_ms(1), now, 100), [], "nothing is due yet");
    }
}
