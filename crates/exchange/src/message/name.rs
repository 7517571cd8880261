//! The name of a message's file (EXC-4): everything that a list needs is in it. Pure.
//!
//! `created_at~receipt number~id~from~to~subsystem.json`, the first two with leading zeros, so that names sort as messages do. The place
//! of a message among those of one time (`order`) is not in it: the index has it.

use base::Wall;
use serde::{Deserialize, Serialize};

/// Digits of a time and of a receipt number.
const DIGITS: usize = 15;
/// What ends a name.
const END: &str = ".json";

/// What the name of a file says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileName {
    /// The time by which it is ordered.
    pub at: Wall,
    /// The number of its receipt.
    pub number: i64,
    /// Its id.
    pub id: String,
    /// Who sent it.
    pub from: String,
    /// Whom it is for.
    pub to: String,
    /// Its subsystem.
    pub subsystem: String,
}

impl FileName {
    /// The name.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { at, number, id, from, to, subsystem } = self;
        format!("{:0DIGITS$}~{number:0DIGITS$}~{id}~{from}~{to}~{subsystem}{END}", at.0)
    }

    /// What a name says, if it is one of ours.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.strip_suffix(END)?.split('~');
        let mut part = || parts.next().filter(|part| !part.is_empty());
        let (at, number) = (digits(part()?)?, digits(part()?)?);
        let mut word = || part().map(str::to_owned);
        let name = Self { at: Wall(at), number, id: word()?, from: word()?, to: word()?, subsystem: word()? };
        (parts.next().is_none() && name.text() == text).then_some(name)
    }
}

/// The number that a name says, if it may be one of ours: whether it is, its row knows.
pub(crate) fn number_of(text: &str) -> Option<i64> {
    text.strip_suffix(END)?.split('~').nth(1).and_then(digits)
}

fn digits(text: &str) -> Option<i64> {
    (text.len() >= DIGITS && text.bytes().all(|digit| digit.is_ascii_digit())).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name(at: i64, number: i64) -> FileName {
        let word = |text: &str| text.to_owned();
        FileName { at: Wall(at), number, id: word("m-1"), from: word("p"), to: word("erp.x"), subsystem: word("s") }
    }

    #[test]
    fn exc_4_names_sort_as_messages_do_and_say_what_lists_need() {
        let text = name(1_794_744_000_000, 7).text();
        assert_eq!(text, "001794744000000~000000000000007~m-1~p~erp.x~s.json");
        assert_eq!(FileName::read(&text), Some(name(1_794_744_000_000, 7)));
        assert!(name(5, 100).text() < name(40, 2).text() && name(5, 9).text() < name(5, 10).text());
        for foreign in
            ["", "x", "1~2~a~b~c~d.json", "~~~~~.json", "notes.txt", &format!("{text}~"), &text.replace("~s", "~s~t")]
        {
            assert_eq!(FileName::read(foreign), None, "{foreign}");
        }
    }

    proptest! {
        #[test]
        fn exc_4_the_longest_name_fits_a_file_system(at in 0..i64::MAX, number in 0..i64::MAX) {
            let longest = FileName {
                at: Wall(at), number, id: "i".repeat(36), from: "f".repeat(64), to: "t".repeat(64), subsystem: "s".repeat(40),
            };
            prop_assert!(longest.text().len() <= 255);
            prop_assert_eq!(FileName::read(&longest.text()), Some(longest));
        }
    }
}
