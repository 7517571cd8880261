//! The cursor of a page of changes, as text: `file`, or `file;since;slot/slot` where a page ended below a folder that moved.
//!
//! `since` is what the first page was asked for: by it is known what a client has seen, however many pages ago.

use super::moved::Below;

/// Where a page ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// The last file of the commit that is told now.
    pub(crate) file: String,
    /// The place below it, if it is a folder that moved.
    pub(crate) below: Option<Below>,
    /// The commit that the first page began behind.
    pub(crate) since: u64,
}

impl Cursor {
    /// The cursor of a text; an empty one begins.
    pub(crate) fn read(text: &str, after: u64) -> Option<Self> {
        if text.is_empty() {
            return Some(Self { since: after, ..Self::default() });
        }
        let mut parts = text.splitn(3, ';');
        let (file, since) = (parts.next()?.to_owned(), parts.next()?.parse().ok()?);
        let below = parts.next().map(Below::read);
        Some(Self { file, below, since })
    }

    /// Its text.
    pub(crate) fn text(&self) -> String {
        match &self.below {
            Some(below) => format!("{};{};{}", self.file, self.since, below.text()),
            None => format!("{};{}", self.file, self.since),
        }
    }
}

/// The text of the place that a cursor names. For the fuzz targets.
#[must_use]
pub fn reads(cursor: &str) -> Option<String> {
    Cursor::read(cursor, 0).map(|place| place.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fld_15_a_cursor_comes_back_as_it_went() {
        for below in [None, Some(Below::read("")), Some(Below::read("a/b;c/d"))] {
            let cursor = Cursor { file: "x".into(), below, since: 7 };
            assert_eq!(Cursor::read(&cursor.text(), 9), Some(cursor));
        }
        assert_eq!(Cursor::read("", 9), Some(Cursor { since: 9, ..Cursor::default() }));
        assert_eq!(Cursor::read("x", 9), None);
        assert_eq!(Cursor::read("x;y", 9), None);
    }
}
