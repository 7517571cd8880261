//! Lets go of changes: those that are too old, and those of documents that are forgotten.

use base::{OpResult, Sql, Stamp, Tx, args};
use kernel::OpCx;

use super::HistoryRule;

/// Rows of one portion.
const PORTION: usize = 500;

pub(crate) static OLDEST_CHANGE: Sql =
    Sql::new("doc_change.oldest", "SELECT version FROM doc_change WHERE version < ?1 ORDER BY version LIMIT ?2");
pub(crate) static DROP_OLD: Sql = Sql::new("doc_change.drop_old", "DELETE FROM doc_change WHERE version <= ?1");
pub(crate) static DROP_OF_FORGOTTEN: Sql =
    Sql::new("doc_change.drop_of_forgotten", "DELETE FROM doc_change WHERE class = ?1 AND id = ?2");

/// Drops a portion of what is older than the configured age; `true` if there may be more.
pub(crate) fn forget_old(tx: &mut dyn Tx, cx: &OpCx<'_>) -> OpResult<bool> {
    let age_ms = cx.home.common::<HistoryRule>().age_ms();
    let before = if age_ms == 0 { Stamp::MAX } else { Stamp::from_wall(cx.wall.plus_ms(-age_ms)) };
    let limit = i64::try_from(PORTION).unwrap_or(i64::MAX);
    let old = tx.query(&OLDEST_CHANGE, args![before, limit], PORTION)?;
    if let Some(last) = old.last() {
        tx.write(&DROP_OLD, args![last.stamp(0)])?;
    }
    Ok(old.len() == PORTION)
}

/// Drops the changes of a deleted document before it is forgotten.
pub(crate) fn drop_of_forgotten(tx: &mut dyn Tx, class: &str, id: &str) -> OpResult<()> {
    Ok(tx.write(&DROP_OF_FORGOTTEN, args![class, id])?)
}
