//! Where a reader is: the store's epoch and the number of the last event that it has.

use std::fmt;
use std::str::FromStr;

use base::{OpError, codes};

/// Longest epoch that is looked at.
const EPOCH_MAX: usize = 40;

/// The place after one event, written `<epoch>.<number>`. Readers keep the text and do not look into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// Epoch of the store that gave it.
    pub epoch: String,
    /// Number of the last event before it.
    pub number: i64,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.epoch, self.number)
    }
}

/// From where to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    /// From the oldest event that is kept; the empty text.
    Oldest,
    /// From now on: nothing yet, but the cursor to go on from; the word `head`.
    Head,
    /// From a cursor on.
    Cursor(Cursor),
}

impl FromStr for After {
    type Err = OpError;

    fn from_str(text: &str) -> Result<Self, OpError> {
        match text {
            "" => Ok(Self::Oldest),
            "head" => Ok(Self::Head),
            _ => cursor(text).map(Self::Cursor).ok_or_else(|| {
                let short: String = text.chars().take(60).collect();
                OpError::new(codes::ABODY, format!("after: `{short}` is neither a cursor nor `head`"))
            }),
        }
    }
}

fn cursor(text: &str) -> Option<Cursor> {
    let (epoch, number) = text.rsplit_once('.')?;
    let is_epoch = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let well_formed = (1..=EPOCH_MAX).contains(&epoch.len())
        && epoch.chars().all(is_epoch)
        && (1..=18).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit());
    well_formed.then(|| Some(Cursor { epoch: epoch.to_owned(), number: number.parse().ok()? }))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_25_a_cursor_and_its_text_are_the_same() {
        let cursor = Cursor { epoch: "1-9f2c01aa34bd77e0".into(), number: 812 };
        assert_eq!(cursor.to_string(), "1-9f2c01aa34bd77e0.812");
        assert_eq!(cursor.to_string().parse(), Ok(After::Cursor(cursor)));
        assert_eq!("".parse(), Ok(After::Oldest));
        assert_eq!("head".parse(), Ok(After::Head));
    }

    #[test]
    fn ker_34_an_edited_cursor_is_refused() {
        let long = format!("{}.1", "a".repeat(41));
        for bad in
            [".", "a.", ".1", "a.-1", "a.+1", "a.1 ", "A.1", "a b.1", "a.1234567890123456789", "a", "HEAD", &long]
        {
            assert_eq!(bad.parse::<After>().unwrap_err().code, codes::ABODY, "{bad}");
        }
    }
}
