//! Calendar time as text, for answers, queries and pages.

use base::{Wall, codes};

use crate::error::ApiError;

/// `2016-07-14T22:30:45.697Z`.
#[must_use]
pub fn rfc3339(wall: Wall) -> String {
    wall.rfc3339()
}

/// The moment of `2016-07-14T22:30:45.697Z`, without seconds too, or of a day alone. A plus sign of a zone is a space in a query
/// that was not encoded.
#[must_use]
pub(crate) fn moment(text: &str) -> Option<Wall> {
    let text = text.replace(' ', "+");
    let with_seconds = text.strip_suffix('Z').map(|minutes| format!("{minutes}:00Z"));
    let day = format!("{text}T00:00:00Z");
    [Some(text), Some(day), with_seconds].into_iter().flatten().find_map(|text| Wall::parse_rfc3339(&text))
}

/// The moment of a field of a page, which has no zone of its own and means UTC; none if it is empty.
///
/// # Errors
/// `ABODY`: it is none.
pub fn field_moment(name: &str, text: &str) -> Result<Option<Wall>, ApiError> {
    let wrong = || ApiError::refused(codes::ABODY, format!("{name} is no time such as 2026-11-15T12:00"));
    let read = |text: &str| moment(text).or_else(|| moment(&format!("{text}Z"))).ok_or_else(wrong);
    Some(text.trim()).filter(|text| !text.is_empty()).map(read).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_may_be_short() {
        for (text, ms) in [
            ("1970-01-02", 86_400_000),
            ("1970-01-01T00:01Z", 60_000),
            ("1970-01-01T00:00:01.5Z", 1_500),
            ("1970-01-01T02:00:00 02:00", 0),
        ] {
            assert_eq!(moment(text), Some(Wall(ms)), "{text}");
        }
        for bad in ["", "x", "1970", "1970-02-30", "1970-01-01T", "1970-01-01T00Z", "1970-01-01T00:00:00"] {
            assert_eq!(moment(bad), None, "{bad}");
        }
    }

    #[test]
    fn con_8_a_moment_of_a_field_is_utc() {
        assert_eq!(field_moment("from", "1970-01-01T00:01").ok(), Some(Some(Wall(60_000))));
        assert_eq!(field_moment("from", "1970-01-01T00:00:01").ok(), Some(Some(Wall(1_000))));
        assert_eq!(field_moment("from", "1970-01-02").ok(), Some(Some(Wall(86_400_000))));
        assert_eq!(field_moment("from", " ").ok(), Some(None));
        assert!(field_moment("from", "yesterday").is_err());
    }
}
