//! Calendar time as text: RFC 3339 in UTC, to the millisecond.

use crate::time::Wall;

const DAY_MS: i64 = 86_400_000;
/// The first and the last moment that can be written: the years 0 to 9999 in UTC.
const FIRST: i64 = -62_167_219_200_000;
const LAST: i64 = 253_402_300_799_999;

/// `2016-07-14T22:30:45.697Z`. Moments outside the years 0 to 9999, which RFC 3339 cannot write, become its ends.
#[must_use]
pub(crate) fn text(wall: Wall) -> String {
    let ms = wall.0.clamp(FIRST, LAST);
    let (year, month, day) = date_of(ms.div_euclid(DAY_MS));
    let in_day = ms.rem_euclid(DAY_MS);
    let (hour, minute) = (in_day / 3_600_000, in_day / 60_000 % 60);
    let (second, milli) = (in_day / 1000 % 60, in_day % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// The Gregorian date `days` after 1970-01-01. Years begin in March here, so that the leap day is the last one.
fn date_of(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468; // days since 0000-03-01
    let era = shifted.div_euclid(146_097);
    let in_era = shifted.rem_euclid(146_097);
    let year_of_era = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

/// The moment of a text such as `2016-07-14T22:30:45.697Z` or `…+02:00`; parts of a millisecond are cut off.
pub(crate) fn parse(text: &str) -> Option<Wall> {
    let (date, time) = text.split_once(['T', 't'])?;
    let days = parse_date(date)?;
    let at = time.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = time.split_at(at);
    let ms = days * DAY_MS + parse_clock(clock)? - parse_zone(zone)?;
    // A zone may lead out of the years that can be written: such a moment would come back as another one.
    (FIRST..=LAST).contains(&ms).then_some(Wall(ms))
}

/// A number of exactly so many digits, at most `max`.
fn number(text: &str, digits: usize, max: i64) -> Option<i64> {
    let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten().filter(|number| *number <= max)
}

fn parse_date(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let (year, month, day) =
        (number(parts.next()?, 4, 9999)?, number(parts.next()?, 2, 12)?, number(parts.next()?, 2, 31)?);
    let days = days_of(year, month, day);
    // A day that does not exist comes back as another one.
    (parts.next().is_none() && date_of(days) == (year, month, day)).then_some(days)
}

fn parse_clock(text: &str) -> Option<i64> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut parts = clock.split(':');
    let (hour, minute, second) =
        (number(parts.next()?, 2, 23)?, number(parts.next()?, 2, 59)?, number(parts.next()?, 2, 59)?);
    let digits = (1..=9).contains(&fraction.len()) && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let ms = number(&format!("{:0<3}", fraction.get(..3.min(fraction.len()))?), 3, 999)?;
    (parts.next().is_none() && digits).then_some(((hour * 60 + minute) * 60 + second) * 1000 + ms)
}

/// How far a zone is ahead of UTC.
fn parse_zone(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, offset) = text.split_at_checked(1)?;
    let (hours, minutes) = offset.split_once(':')?;
    let ahead = (number(hours, 2, 23)? * 60 + number(minutes, 2, 59)?) * 60_000;
    Some(if sign == "-" { -ahead } else { ahead })
}

/// Days from 1970-01-01 to a Gregorian date.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let in_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + in_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_468_535_445_697, "2016-07-14T22:30:45.697Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (i64::MIN, "0000-01-01T00:00:00.000Z"),
            (i64::MAX, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(super::text(Wall(ms)), text);
        }
    }

    #[test]
    fn every_day_of_the_century_agrees_with_its_stamp() {
        for day in 10_957..47_482 {
            let wall = Wall(day * DAY_MS + 3_723_004);
            let digits: String = text(wall).chars().filter(char::is_ascii_digit).collect();
            assert_eq!(digits[2..], crate::Stamp::from_wall(wall).to_string());
        }
    }

    #[test]
    fn a_text_goes_there_and_back() {
        for day in (-700_000..2_900_000).step_by(97) {
            let wall = Wall(day * DAY_MS + 3_723_004);
            if (0..253_402_300_799_999).contains(&wall.0) {
                assert_eq!(parse(&text(wall)), Some(wall));
            }
        }
        for (text, ms) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01t00:00:00.5z", 500),
            ("1970-01-01T02:00:00.123456789+02:00", 123),
            ("1969-12-31T23:30:00-00:30", 0),
            ("2000-02-29T00:00:00Z", 951_782_400_000),
        ] {
            assert_eq!(parse(text), Some(Wall(ms)), "{text}");
        }
    }

    #[test]
    fn every_other_text_is_refused() {
        for bad in [
            "",
            "9999-12-31T23:59:59.999-23:59",
            "0000-01-01T00:00:00+00:01",
            "2026",
            "2026-11-15",
            "2026-11-15T12:00Z",
            "2026-11-15 12:00:00Z",
            "2026-11-15T12:00:00",
            "2026-02-30T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-11-15T24:00:00Z",
            "2026-11-15T12:60:00Z",
            "2026-11-15T12:00:60Z",
            "2026-11-15T12:00:00.Z",
            "2026-11-15T12:00:00+2:00",
            "2026-11-15T12:00:00+02",
            "+2026-11-15T12:00:00Z",
            "2026-11-15T12:00:00.é00Z",
            "2026-11-15T12:00:00Zx",
            "1468535445697",
        ] {
            assert_eq!(parse(bad), None, "{bad:?}");
        }
    }
}
