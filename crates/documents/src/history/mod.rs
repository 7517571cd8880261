//! The last changes of a document: who did what to it, when and by which operation (CON-5).
//!
//! Written for classes that ask for it, one row per changed document and commit. Each document has [`PLACES`] places and writes round
//! and round over them, so that nothing is ever trimmed. What is older than the configured age goes with the day's task, and so
//! do the changes of a document that is forgotten.
//!
//! Invariant: changes are of a document whose row is there, and none is newer than it.

mod forget;
mod read;
mod record;
mod rule;

pub(crate) use forget::{DROP_OF_FORGOTTEN, DROP_OLD, OLDEST_CHANGE, drop_of_forgotten, forget_old};
pub use read::Change;
pub(crate) use read::{CHANGES_OF, changes_of};
pub(crate) use record::{PUT_CHANGE, record};
pub use rule::HistoryRule;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Changes that are kept of one document.
pub(crate) const PLACES: i64 = 50;
/// Items that a change names; of further ones only the count is told.
pub(crate) const NAMED_MAX: usize = 20;

/// What a change did to the document itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It was not there before.
    Created,
    /// Its items changed.
    Changed,
    /// It is no more.
    Deleted,
    /// One life of it ended and another began.
    Recreated,
}

impl ChangeKind {
    const ALL: [Self; 4] = [Self::Created, Self::Changed, Self::Deleted, Self::Recreated];

    /// As it is stored and sent.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Deleted => "deleted",
            Self::Recreated => "recreated",
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// An item that a change put or deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangedItem {
    /// Class of the item.
    pub c: String,
    /// Its key; none for a singleton.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub k: String,
    /// Whether it was deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_5_a_kind_is_read_as_it_was_written() {
        for kind in ChangeKind::ALL {
            assert_eq!(ChangeKind::of_word(kind.word()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.word());
        }
    }

    #[test]
    fn con_5_a_change_of_the_longest_keys_is_still_short() {
        let item = ChangedItem { c: "I".repeat(32), k: "\u{1f980}".repeat(255), deleted: true };
        let text = serde_json::to_string(&vec![item; NAMED_MAX]).unwrap();
        assert!(text.len() < 32 << 10, "{}", text.len());
    }
}
