//! Calendar time as text, for answers, queries and pages.

use base::Wall;

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
}
