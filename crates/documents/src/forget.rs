//! Forgets deleted documents (DOC-1) with their changes, and changes that are too old (CON-5): a day's task of each, a portion at a
//! time. They are two, so that what cannot be forgotten of one kind does not keep the other from being forgotten.
//!
//! The row of a deleted document is kept so that its next life gets a higher version. It goes after the longest time for which any class
//! keeps tombstones. What is remembered then is one number, the highest version that was forgotten: a document without a row
//! begins above it, so that versions rise for ever, also if the calendar went forward by mistake and back again.

use base::limits::{OP_ROWS_MAX, PORTION_ROWS};
use base::{OpResult, Sql, Stamp, Tx, args};
use kernel::{OpCx, Plan, TaskDef, TaskRow};

use crate::class::{ALL_CLASSES, parse};
use crate::history;
use crate::limits::KEEP_DAYS;

/// Forgets deleted documents.
pub(crate) const FORGET: TaskDef = TaskDef::new("doc.forget", forget).queue(2).standing("D0403");
/// Forgets changes that are too old.
pub(crate) const FORGET_CHANGES: TaskDef =
    TaskDef::new("doc.forget_changes", forget_changes).queue(2).standing("D0408");

/// Documents of one portion; each takes up to fifty changes along.
const PORTION: usize = PORTION_ROWS / 50;

pub(crate) static OLDEST_DELETED: Sql = Sql::new(
    "doc.oldest_deleted",
    "SELECT version, class, id FROM doc WHERE ctime = 0 AND version < ?1 ORDER BY version, class, id LIMIT ?2",
);
// Without a word of ctime: with it PostgreSQL takes the index of deleted ones for as good as the key, and reads all of them.
pub(crate) static FORGET_DELETED: Sql = Sql::new("doc.forget_deleted", "DELETE FROM doc WHERE class = ?1 AND id = ?2");
pub(crate) static REMEMBER: Sql = Sql::new(
    "doc_forgotten.put",
    "INSERT INTO doc_forgotten (one, version) VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET version = ?1 \
     WHERE doc_forgotten.version < ?1",
);
pub(crate) static FORGOTTEN: Sql = Sql::new("doc_forgotten.get", "SELECT version FROM doc_forgotten WHERE one = 1");

fn forget(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    forget_deleted(tx, cx).map(next)
}

fn forget_changes(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    history::forget_old(tx, cx).map(next)
}

fn next(more: bool) -> Plan {
    if more { Plan::Checkpoint("null".into()) } else { Plan::Done }
}

/// Forgets a portion; `true` if there may be more.
fn forget_deleted(tx: &mut dyn Tx, cx: &OpCx<'_>) -> OpResult<bool> {
    let before = Stamp::from_wall(cx.wall.plus_ms(-keep_ms(tx)?));
    let limit = i64::try_from(PORTION).unwrap_or(i64::MAX);
    let old = tx.query(&OLDEST_DELETED, args![before, limit], PORTION)?;
    let Some(last) = old.last().map(|row| row.stamp(0)) else { return Ok(false) };
    // Each by its key: of a DELETE with a subselect PostgreSQL may keep a plan that reads all documents. As many as were found, not all up
    // to a version: one operation may have deleted any number of documents.
    for row in &old {
        let (class, id) = (row.text(1), row.text(2));
        history::drop_of_forgotten(tx, class, id)?;
        tx.write(&FORGET_DELETED, args![class, id])?;
    }
    tx.write(&REMEMBER, args![last])?;
    Ok(old.len() == PORTION)
}

/// As long as any class keeps tombstones, the default at least.
fn keep_ms(tx: &mut dyn Tx) -> OpResult<i64> {
    let mut keep_ms = i64::from(KEEP_DAYS) * 86_400_000;
    for row in &tx.query(&ALL_CLASSES, args![], OP_ROWS_MAX)? {
        keep_ms = keep_ms.max(parse(row.text(0))?.decl.keep_ms());
    }
    Ok(keep_ms)
}

/// An operation that begins a document of which nothing is remembered gets a stamp above all that was forgotten.
pub(crate) fn see_forgotten(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<()> {
    if cx.stamp_taken().is_none() {
        tx.query_one(&FORGOTTEN, args![])?.iter().for_each(|row| cx.saw(row.stamp(0)));
    }
    Ok(())
}
