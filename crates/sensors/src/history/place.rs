//! A place in a list of history: lists are newest first, by the signals' own time and then by the rows' ids.

use std::fmt;
use std::str::FromStr;

use base::{Id, Wall};

/// Where a page ended. As text it is the cursor that a caller gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The time of its last row.
    pub at: Wall,
    /// The id of its last row.
    pub id: Id,
}

/// A text that is no place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no `next` of a page of history")]
pub struct InvalidPlace(String);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.at.0, self.id)
    }
}

impl FromStr for Place {
    type Err = InvalidPlace;

    fn from_str(text: &str) -> Result<Self, InvalidPlace> {
        let parsed = text.split_once('.').and_then(|(at, id)| Some((at.parse().ok()?, id.parse().ok()?)));
        let (at, id) = parsed.ok_or_else(|| InvalidPlace(text.chars().take(60).collect()))?;
        Ok(Self { at: Wall(at), id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_11_a_place_is_read_as_it_was_written_and_nothing_else_is() {
        for at in [-5, 0, 1_794_744_000_123] {
            let place = Place { at: Wall(at), id: Id::new(Wall(7), [9; 10]) };
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        for text in
            ["", ".", "1", "1.2", "x.01K00000000000000000000000", "99999999999999999999.01K00000000000000000000000"]
        {
            assert!(text.parse::<Place>().is_err(), "{text}");
        }
    }
}
