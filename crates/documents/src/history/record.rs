//! Writes a change down, in the operation that makes it.

use base::{OpError, OpResult, Sql, Tx, args, codes};
use kernel::OpCx;

use super::{HistoryRule, NAMED_MAX, PLACES};
use crate::doc::{Doc, StoredHead};

pub(crate) static PUT_CHANGE: Sql = Sql::new(
    "doc_change.put",
    "INSERT INTO doc_change (class, id, place, version, kind, who, op, item_count, items) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (class, id, place) DO UPDATE SET \
     version = ?4, kind = ?5, who = ?6, op = ?7, item_count = ?8, items = ?9",
);

/// Writes down what is done to a document that gets this head, and counts it there.
pub(crate) fn record(tx: &mut dyn Tx, cx: &OpCx<'_>, doc: &Doc, head: &mut StoredHead) -> OpResult<()> {
    if !doc.keeps_history() || cx.home.common::<HistoryRule>().age_ms() == 0 {
        return Ok(());
    }
    let mut items = doc.changed_items();
    let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
    items.truncate(NAMED_MAX);
    let items = serde_json::to_string(&items).map_err(|error| OpError::new(codes::BDETECTED, error.to_string()))?;
    let (place, kind) = (head.changes % PLACES, doc.change_kind().word());
    let StoredHead { version, who, op, .. } = &*head;
    tx.write(&PUT_CHANGE, args![doc.class(), doc.id(), place, *version, kind, who, op, count, items])?;
    head.changes += 1;
    Ok(())
}
