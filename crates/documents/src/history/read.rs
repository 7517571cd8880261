//! Reads the changes of a document.

use base::{OpError, OpResult, Row, Sql, Stamp, Tx, args, codes};

use super::{ChangeKind, ChangedItem, PLACES};

pub(crate) static CHANGES_OF: Sql = Sql::new(
    "doc_change.of",
    "SELECT version, kind, who, op, item_count, items FROM doc_change WHERE class = ?1 AND id = ?2 ORDER BY version DESC",
);

/// One change of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The version that it made; also when it was.
    pub version: Stamp,
    /// What it did to the document itself.
    pub kind: ChangeKind,
    /// Who did it.
    pub who: String,
    /// By which operation.
    pub op: String,
    /// How many items it put or deleted.
    pub item_count: i64,
    /// The first of them.
    pub items: Vec<ChangedItem>,
}

/// The changes of a document that are known, newest first.
pub(crate) fn changes_of(tx: &mut dyn Tx, class: &str, id: &str) -> OpResult<Vec<Change>> {
    let most = usize::try_from(PLACES).unwrap_or(usize::MAX);
    tx.query(&CHANGES_OF, args![class, id], most)?.iter().map(change_of).collect()
}

fn change_of(row: &Row) -> OpResult<Change> {
    let broken = |error: String| OpError::new(codes::BDETECTED, format!("a change's row: {error}"));
    let word = row.text(1);
    Ok(Change {
        version: row.stamp(0),
        kind: ChangeKind::of_word(word).ok_or_else(|| broken(format!("kind {word:?}")))?,
        who: row.text(2).to_owned(),
        op: row.text(3).to_owned(),
        item_count: row.int(4),
        items: serde_json::from_str(row.text(5)).map_err(|error| broken(error.to_string()))?,
    })
}
