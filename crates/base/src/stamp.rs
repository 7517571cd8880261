//! Stamps: readable, ordered version numbers (KER-4).
//!
//! A stamp is the integer `yyMMddHHmmssSSS` in UTC, years 2000 to 2099, e.g. `160714223045697`. Numeric order
//! is time order. Not every integer in range is a stamp: month 13 or second 60 are refused.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::time::Wall;

const DAY_MS: i64 = 86_400_000;
/// 2000-01-01T00:00:00.000Z in epoch milliseconds.
const FIRST_MS: i64 = 946_684_800_000;
/// 2099-12-31T23:59:59.999Z in epoch milliseconds.
const LAST_MS: i64 = 4_102_444_799_999;

/// A version: `yyMMddHHmmssSSS` in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Stamp(i64);

/// An integer that is no stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a stamp (yyMMddHHmmssSSS, UTC)")]
pub struct InvalidStamp(pub i64);

impl Stamp {
    /// The first millisecond of the century.
    pub const MIN: Self = Self(101_000_000_000);
    /// The last millisecond of the century.
    pub const MAX: Self = Self(991_231_235_959_999);

    /// Checks that `number` is a stamp.
    ///
    /// # Errors
    /// The number has an impossible month, day, hour, minute or second, or is out of the century.
    pub fn new(number: i64) -> Result<Self, InvalidStamp> {
        let [year, month, day, hour, minute, second, ms] = split(number).ok_or(InvalidStamp(number))?;
        let date_exists = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
        let time_exists = hour < 24 && minute < 60 && second < 60 && ms < 1000;
        if date_exists && time_exists { Ok(Self(number)) } else { Err(InvalidStamp(number)) }
    }

    /// The stamp of a calendar moment; moments outside the century become its first or last millisecond.
    #[must_use]
    pub fn from_wall(wall: Wall) -> Self {
        let ms = wall.0.clamp(FIRST_MS, LAST_MS) - FIRST_MS;
        let (year, month, day) = date_of(ms / DAY_MS);
        let in_day = ms % DAY_MS;
        let (hour, minute) = (in_day / 3_600_000, in_day / 60_000 % 60);
        let (second, milli) = (in_day / 1000 % 60, in_day % 1000);
        Self(((((year * 100 + month) * 100 + day) * 100 + hour) * 100 + minute) * 100_000 + second * 1000 + milli)
    }

    /// The calendar moment of this stamp.
    #[must_use]
    pub fn to_wall(self) -> Wall {
        let [year, month, day, hour, minute, second, ms] = fields(self.0);
        let days = day_number(year, month, day);
        Wall(FIRST_MS + days * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000 + ms)
    }

    /// The next stamp, one millisecond later; the century's last one stays.
    #[must_use]
    pub fn next(self) -> Self {
        Self::from_wall(self.to_wall().plus_ms(1))
    }

    /// The integer itself, as stored and sent.
    #[must_use]
    pub const fn number(self) -> i64 {
        self.0
    }
}

/// A day of the century.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    /// Year without its century: 0 to 99.
    pub year: i64,
    /// Month: 1 to 12.
    pub month: i64,
    /// Day of the month: from 1.
    pub day: i64,
}

impl Day {
    /// The day of a calendar moment in UTC; moments outside the century count as its first or last.
    #[must_use]
    pub fn of(wall: Wall) -> Self {
        let (year, month, day) = date_of((wall.0.clamp(FIRST_MS, LAST_MS) - FIRST_MS) / DAY_MS);
        Self { year, month, day }
    }

    /// Its first moment.
    #[must_use]
    pub fn begin(self) -> Wall {
        Wall(FIRST_MS + day_number(self.year, self.month, self.day) * DAY_MS)
    }

    /// 1 for Monday to 7 for Sunday. The century began on a Saturday.
    #[must_use]
    pub fn weekday(self) -> i64 {
        (day_number(self.year, self.month, self.day) + 5) % 7 + 1
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:015}", self.0)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::new(i64::deserialize(from)?).map_err(serde::de::Error::custom)
    }
}

fn split(number: i64) -> Option<[i64; 7]> {
    (Stamp::MIN.0..=Stamp::MAX.0).contains(&number).then(|| fields(number))
}

fn fields(number: i64) -> [i64; 7] {
    let two = |place: i64| number / place % 100;
    [
        number / 10_000_000_000_000,
        two(100_000_000_000),
        two(1_000_000_000),
        two(10_000_000),
        two(100_000),
        two(1000),
        number % 1000,
    ]
}

/// Every fourth year of this century leaps, 2000 included.
const fn is_leap(year: i64) -> bool {
    year % 4 == 0
}

/// Days of a month of this century; the year without its century.
#[must_use]
pub const fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 2000-01-01 to the given date.
fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let leap_days = (year + 3) / 4;
    let months: i64 = (1..month).map(|m| days_in_month(year, m)).sum();
    year * 365 + leap_days + months + day - 1
}

/// The date that lies `days` after 2000-01-01.
fn date_of(days: i64) -> (i64, i64, i64) {
    let (cycle, rest) = (days / 1461, days % 1461);
    let in_cycle = if rest < 366 { 0 } else { (rest - 1) / 365 };
    let year = cycle * 4 + in_cycle;
    let mut day = days - day_number(year, 1, 1);
    let mut month = 1;
    while day >= days_in_month(year, month) {
        day -= days_in_month(year, month);
        month += 1;
    }
    (year, month, day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wall(ms: i64) -> Stamp {
        Stamp::from_wall(Wall(ms))
    }

    #[test]
    fn ker_4_known_moments() {
        assert_eq!(wall(1_468_535_445_697).number(), 160_714_223_045_697);
        assert_eq!(wall(FIRST_MS), Stamp::MIN);
        assert_eq!(wall(LAST_MS), Stamp::MAX);
        assert_eq!(wall(951_782_400_000).number(), 229_000_000_000); // 2000-02-29
        assert_eq!(Stamp::MIN.to_string(), "000101000000000");
        assert_eq!(Stamp::new(160_714_223_045_697).map(Stamp::to_wall), Ok(Wall(1_468_535_445_697)));
    }

    #[test]
    fn ker_4_invalid_stamps_are_refused() {
        for bad in [0, -1, 161_314_223_045_697, 170_229_000_000_000, 160_714_243_045_697, 160_714_226_045_697] {
            assert_eq!(Stamp::new(bad), Err(InvalidStamp(bad)));
        }
        assert!(Stamp::new(160_714_220_060_000).is_err(), "second 60");
        assert!(Stamp::new(Stamp::MAX.0 + 1).is_err());
        assert!(serde_json::from_str::<Stamp>("161314223045697").is_err());
    }

    #[test]
    fn ker_4_the_ends_of_the_century_hold() {
        assert_eq!(wall(FIRST_MS - 1), Stamp::MIN);
        assert_eq!(wall(LAST_MS + 1), Stamp::MAX);
        assert_eq!(Stamp::MAX.next(), Stamp::MAX);
        assert_eq!(Stamp::MIN.next().number(), Stamp::MIN.number() + 1);
    }

    #[test]
    fn ker_4_every_day_of_the_century_goes_there_and_back() {
        for day in 0..=(LAST_MS - FIRST_MS) / DAY_MS {
            let ms = FIRST_MS + day * DAY_MS;
            assert_eq!(wall(ms).to_wall(), Wall(ms));
            assert_eq!(Stamp::new(wall(ms).number()), Ok(wall(ms)));
        }
    }

    proptest! {
        #[test]
        fn ker_4_order_is_time_order(a in FIRST_MS..LAST_MS, b in FIRST_MS..LAST_MS) {
            prop_assert_eq!(a.cmp(&b), wall(a).cmp(&wall(b)));
            prop_assert_eq!(wall(a).to_wall(), Wall(a));
        }
    }
}
