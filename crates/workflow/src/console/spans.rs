//! Lengths of time as people type them: `90s`, `5m`, `2h`, `3d`, or milliseconds. Pure.

use base::codes;
use web::ApiError;

const UNITS: [(&str, i64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1)];

/// What is typed, in milliseconds; none if it is empty.
///
/// # Errors
/// `ABODY`: it is no length of time.
pub(super) fn read(name: &str, text: &str) -> Result<Option<i64>, ApiError> {
    let wrong = || ApiError::refused(codes::ABODY, format!("{name} is no length of time such as 90s, 5m, 2h or 3d"));
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let digits = text.len() - text.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let number: i64 = text[..digits].parse().map_err(|_| wrong())?;
    let unit = match text[digits..].trim() {
        "" | "s" => 1_000,
        "m" => 60_000,
        other => UNITS.iter().find(|(word, _)| *word == other).map(|(_, ms)| *ms).ok_or_else(wrong)?,
    };
    number.checked_mul(unit).map(Some).ok_or_else(wrong)
}

/// The same as it is typed, in the largest unit that is exact.
pub(super) fn typed(ms: i64) -> String {
    let exact = UNITS.iter().find(|(_, unit)| ms != 0 && ms % unit == 0);
    exact.map_or_else(|| "0s".to_owned(), |(word, unit)| format!("{}{word}", ms / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_4_lengths_of_time_are_typed_as_people_say_them() {
        for (text, ms) in [
            ("90s", 90_000),
            ("90", 90_000),
            ("5m", 300_000),
            (" 5 min ", 300_000),
            ("2h", 7_200_000),
            ("3d", 259_200_000),
        ] {
            assert_eq!(read("x", text).ok().flatten(), Some(ms), "{text}");
            assert_eq!(read("x", &typed(ms)).ok().flatten(), Some(ms));
        }
        assert!(matches!(read("x", " "), Ok(None)));
        for wrong in ["m", "5 years", "-5m", "9999999999999d", "5é", "é"] {
            assert!(read("x", wrong).is_err(), "{wrong}");
        }
        assert_eq!((typed(0), typed(1_500), typed(60_000)), ("0s".into(), "1500ms".into(), "1min".into()));
    }
}
