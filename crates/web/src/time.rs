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
}
