//! Calendar time as text: RFC 3339 in UTC, to the millisecond.

use base::Wall;

const DAY_MS: i64 = 86_400_000;

/// `2016-07-14T22:30:45.697Z`. Moments outside the years 0 to 9999, which RFC 3339 cannot write, become its ends.
#[must_use]
pub fn rfc3339(wall: Wall) -> String {
    let ms = wall.0.clamp(-62_167_219_200_000, 253_402_300_799_999);
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

/// The moment of `2016-07-14T22:30:45.697Z`, with seconds and milliseconds or without, or of a day alone. Only UTC, because a
/// plus sign of another zone is a space in a query.
#[must_use]
pub(crate) fn moment(text: &str) -> Option<Wall> {
    let (date, time) = text.split_once('T').unwrap_or((text, "00:00Z"));
    let time = time.strip_suffix('Z')?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let milli = number(&format!("{fraction:0<3}"), 3)?;
    let (date, time) = (numbers(date, '-', &[4, 2, 2])?, numbers(time, ':', &[2, 2, 2])?);
    let wall = Wall(days_of(date[0], date[1], date[2]) * DAY_MS + (time[0] * 60 + time[1]) * 60_000 + time[2] * 1_000);
    let known = time[0] < 24 && time[1] < 60 && time[2] < 60 && !fraction.is_empty();
    let wall = wall.plus_ms(milli);
    // A day that the calendar does not have (30 February) comes back as another.
    (known && rfc3339(wall).starts_with(&format!("{:04}-{:02}-{:02}", date[0], date[1], date[2]))).then_some(wall)
}

/// Numbers of a fixed length; the last may be missing and is 0 then.
fn numbers(text: &str, separator: char, lengths: &[usize; 3]) -> Option<[i64; 3]> {
    let mut parts = text.split(separator);
    let mut next = |length: usize| parts.next().map_or(Some(0), |part| number(part, length));
    let numbers = [next(lengths[0])?, next(lengths[1])?, next(lengths[2])?];
    parts.next().is_none().then_some(numbers)
}

fn number(text: &str, length: usize) -> Option<i64> {
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Days from 1970-01-01 to a date, the other way round from [`date_of`].
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let march_month = (month + 9) % 12;
    let in_year = (153 * march_month + 2) / 5 + day - 1;
    let year_of_era = year.rem_euclid(400);
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
            assert_eq!(rfc3339(Wall(ms)), text);
        }
    }

    #[test]
    fn every_day_of_the_century_agrees_with_its_stamp() {
        for day in 10_957..47_482 {
            let wall = Wall(day * DAY_MS + 3_723_004);
            let digits: String = rfc3339(wall).chars().filter(char::is_ascii_digit).collect();
            assert_eq!(digits[2..], base::Stamp::from_wall(wall).to_string());
        }
    }

    #[test]
    fn a_written_moment_is_read_again() {
        for day in 10_957..47_482 {
            let wall = Wall(day * DAY_MS + 3_723_004);
            assert_eq!(moment(&rfc3339(wall)), Some(wall));
        }
        assert_eq!(moment("1970-01-02"), Some(Wall(DAY_MS)));
        assert_eq!(moment("1970-01-01T00:01Z"), Some(Wall(60_000)));
        assert_eq!(moment("1970-01-01T00:00:01.5Z"), Some(Wall(1_500)));
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for bad in [
            "",
            "x",
            "1970",
            "1970-1-1",
            "1970-02-30",
            "1970-13-01",
            "1970-00-01",
            "1970-01-01T24:00Z",
            "1970-01-01T00:00:60Z",
            "1970-01-01T00:00:00",
            "1970-01-01T00:00:00+01:00",
            "1970-01-01T00:00:00.1234Z",
            "-970-01-01",
            "1970-01-01-01",
            "1970-01-01T00:00:00.Z",
            "1970-01-01T",
        ] {
            assert_eq!(moment(bad), None, "{bad}");
        }
    }
}
