//! The short texts: a letter, and digits as the letter wants them (`H25`, `D0425` …). A day that its month does not have is the
//! month's last.

use std::fmt;

use base::{Day, Wall, days_in_month};

use super::{DAY_MS, HOUR_MS, MINUTE_MS};

/// One time in each hour, day, week, month or year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Short {
    period: Period,
    /// Milliseconds after the beginning of the hour (every hour) or of the day.
    time_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Period {
    Hour,
    Day,
    /// On this weekday, 1 for Monday.
    Week(i64),
    /// On this day of the month.
    Month(i64),
    /// In this month, on this day of it.
    Year(i64, i64),
}

impl Short {
    /// The next due moment, strictly after `now`.
    pub(super) fn next_after(self, now: Wall) -> Wall {
        let today = Day::of(now);
        match self.period {
            Period::Hour => self.later(Wall(now.0 - now.0.rem_euclid(HOUR_MS)), HOUR_MS, now),
            Period::Day => self.later(today.begin(), DAY_MS, now),
            Period::Week(weekday) => {
                let ahead = (weekday - today.weekday()).rem_euclid(7);
                self.later(today.begin().plus_ms(ahead * DAY_MS), 7 * DAY_MS, now)
            }
            Period::Month(day) => self.first_after(now, [this_month(today), next_month(today)], day),
            Period::Year(month, day) => {
                let in_year = |year| Day { year, month, day: 1 };
                self.first_after(now, [in_year(today.year), in_year(today.year + 1)], day)
            }
        }
    }

    /// In the period that begins at `begin`, or in the one after.
    fn later(self, begin: Wall, period_ms: i64, now: Wall) -> Wall {
        let due = begin.plus_ms(self.time_ms);
        if due > now { due } else { due.plus_ms(period_ms) }
    }

    /// On that day of the first month, or else of the second.
    fn first_after(self, now: Wall, months: [Day; 2], day: i64) -> Wall {
        let [first, second] = months.map(|month| {
            let clipped = day.min(days_in_month(month.year, month.month));
            Day { day: clipped, ..month }.begin().plus_ms(self.time_ms)
        });
        if first > now { first } else { second }
    }
}

fn this_month(today: Day) -> Day {
    Day { day: 1, ..today }
}

fn next_month(today: Day) -> Day {
    let (year, month) = if today.month == 12 { (today.year + 1, 1) } else { (today.year, today.month + 1) };
    Day { year, month, day: 1 }
}

/// What such a text says; `None` for every other one.
pub(super) fn parse(text: &str) -> Option<Short> {
    let (letter, digits) = text.split_at_checked(1)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (date, time) = digits.split_at_checked(digits.len().checked_sub(if letter == "H" { 2 } else { 4 })?)?;
    let number = |text: &str, from: i64, to: i64| text.parse().ok().filter(|number| (from..=to).contains(number));
    let minute = number(&time[time.len() - 2..], 0, 59)?;
    let hour = if letter == "H" { 0 } else { number(&time[..2], 0, 23)? };
    let period = match (letter, date.len()) {
        ("H", 0) => Period::Hour,
        ("D", 0) => Period::Day,
        ("W", 1) => Period::Week(number(date, 1, 7)?),
        ("M", 2) => Period::Month(number(date, 1, 31)?),
        ("Y", 4) => Period::Year(number(&date[..2], 1, 12)?, number(&date[2..], 1, 31)?),
        _ => return None,
    };
    Some(Short { period, time_ms: hour * HOUR_MS + minute * MINUTE_MS })
}

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hour, minute) = (self.time_ms / HOUR_MS, self.time_ms / MINUTE_MS % 60);
        match self.period {
            Period::Hour => write!(f, "H{minute:02}"),
            Period::Day => write!(f, "D{hour:02}{minute:02}"),
            Period::Week(weekday) => write!(f, "W{weekday}{hour:02}{minute:02}"),
            Period::Month(day) => write!(f, "M{day:02}{hour:02}{minute:02}"),
            Period::Year(month, day) => write!(f, "Y{month:02}{day:02}{hour:02}{minute:02}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use base::Stamp;
    use proptest::prelude::*;

    use super::super::Cron;
    use super::*;

    fn wall(stamp: i64) -> Wall {
        Stamp::new(stamp).unwrap().to_wall()
    }

    fn check(cron: &str, now: i64, due: i64) {
        let next = cron.parse::<Cron>().unwrap().next_after(wall(now));
        assert_eq!(Stamp::from_wall(next).number(), due, "{cron} after {now}");
    }

    #[test]
    fn ker_21_the_texts_of_the_original() {
        check("H25", 261_115_102_459_999, 261_115_102_500_000);
        check("H25", 261_115_102_500_000, 261_115_112_500_000);
        check("D0425", 261_115_042_400_000, 261_115_042_500_000);
        check("D0425", 261_115_042_500_000, 261_116_042_500_000);
        // 2026-11-18 is a Wednesday.
        check("W30425", 261_118_042_459_999, 261_118_042_500_000);
        check("W30425", 261_118_042_500_000, 261_125_042_500_000);
        check("W30425", 261_115_120_000_000, 261_118_042_500_000);
        check("M100425", 261_110_042_459_999, 261_110_042_500_000);
        check("M100425", 261_110_042_500_000, 261_210_042_500_000);
        check("Y11100425", 261_110_042_459_999, 261_110_042_500_000);
        check("Y11100425", 261_110_042_500_000, 271_110_042_500_000);
    }

    #[test]
    fn ker_21_a_day_that_its_month_does_not_have_is_the_last_one() {
        check("M310000", 260_131_000_000_000, 260_228_000_000_000);
        check("M310000", 280_201_000_000_000, 280_229_000_000_000);
        check("M310000", 260_401_000_000_000, 260_430_000_000_000);
        check("Y02290000", 260_101_000_000_000, 260_228_000_000_000);
        check("Y02290000", 270_301_000_000_000, 280_229_000_000_000);
        check("M310000", 261_231_000_000_000, 270_131_000_000_000);
    }

    #[test]
    fn ker_21_everything_else_is_refused() {
        let bad = [
            "",
            "H",
            "H5",
            "H60",
            "H025",
            "D",
            "D2400",
            "D0460",
            "D425",
            "W00425",
            "W80425",
            "W0425",
            "M000425",
            "M320425",
            "M10425",
            "Y00100425",
            "Y13100425",
            "Y11320425",
            "Y1110425",
            "X0425",
            "h25",
            "D04 5",
            "D+425",
            "Hé5",
            "é",
            "D0425 ",
            "M1００425",
        ];
        for bad in bad {
            assert!(bad.parse::<Cron>().is_err(), "{bad:?}");
        }
    }

    /// What a due moment is, looked at minute by minute.
    fn is_due(cron: &str, at: Wall) -> bool {
        let day = Day::of(at);
        let last = days_in_month(day.year, day.month);
        let minutes = (at.0 - day.begin().0) / MINUTE_MS;
        let time = format!("{:02}{:02}", minutes / 60, minutes % 60);
        let number = |text: &str| text.parse::<i64>().unwrap();
        let (letter, rest) = cron.split_at(1);
        match letter {
            "H" => time[2..] == *rest,
            "D" => time == *rest,
            "W" => time == rest[1..] && number(&rest[..1]) == day.weekday(),
            "M" => time == rest[2..] && number(&rest[..2]).min(last) == day.day,
            _ => time == rest[4..] && number(&rest[..2]) == day.month && number(&rest[2..4]).min(last) == day.day,
        }
    }

    /// The first due minute after `now`, by trying every one.
    fn slow_next(cron: &str, now: Wall) -> Wall {
        let mut at = Wall(now.0 - now.0.rem_euclid(MINUTE_MS) + MINUTE_MS);
        while !is_due(cron, at) {
            at = at.plus_ms(MINUTE_MS);
        }
        at
    }

    fn some_cron() -> impl Strategy<Value = String> {
        let time = (0..24, 0..60).prop_map(|(hour, minute)| format!("{hour:02}{minute:02}"));
        prop_oneof![
            (0..60).prop_map(|minute| format!("H{minute:02}")),
            time.clone().prop_map(|time| format!("D{time}")),
            (1..8, time.clone()).prop_map(|(weekday, time)| format!("W{weekday}{time}")),
            (1..32, time.clone()).prop_map(|(day, time)| format!("M{day:02}{time}")),
            (1..13, 1..32, time).prop_map(|(month, day, time)| format!("Y{month:02}{day:02}{time}")),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        /// Within two years of minutes that hold a leap day, against the slow reference.
        #[test]
        fn ker_21_the_next_due_moment_is_the_one_that_a_slow_look_finds(
            cron in some_cron(),
            minutes in 0..2 * 366 * 24 * 60i64,
            ms in prop_oneof![Just(0), Just(59_999), 0..60_000i64],
        ) {
            let now = wall(270_101_000_000_000).plus_ms(minutes * MINUTE_MS + ms);
            let parsed: Cron = cron.parse().unwrap();
            prop_assert_eq!(parsed.next_after(now), slow_next(&cron, now));
            prop_assert_eq!(parsed.to_string(), cron);
        }
    }

    /// Every minute of two years: each due moment follows from every minute of its period.
    #[test]
    fn ker_21_over_two_years_of_minutes_no_due_moment_is_missed_and_none_is_doubled() {
        for cron in ["H59", "D0000", "W72359", "M312359", "Y02291200"] {
            let parsed: Cron = cron.parse().unwrap();
            let (begin, minutes) = (wall(270_101_000_000_000), 731 * 24 * 60);
            let mut next = parsed.next_after(begin.plus_ms(-1));
            for minute in 0..minutes {
                let now = begin.plus_ms(minute * MINUTE_MS);
                assert_eq!(is_due(cron, now), now == next, "{cron} at {now:?}");
                next = parsed.next_after(now);
                assert!(next > now);
            }
        }
    }
}
