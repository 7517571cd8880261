//! The two passes of the collection, and the removal of bytes after them.

use base::mutants::{self, Mutant};
use base::{Call, CallResult, OpError, OpResult, Sha, Sql, Tx, args, codes};

use super::work::{RemoveNames, Removed};
use super::{damage, garbage, rule, usage, work};
use crate::cx::OpCx;
use crate::service::{Plan, TaskDef, TaskRow};

/// Rows of one commit, so that the writer is never held up.
const PORTION: u32 = 100;

/// First pass: marks what nothing referred to for the grace time.
pub const MARK: TaskDef = TaskDef::new("blob.mark", mark).queue(2).standing("H17").ending();
/// Second pass: rows that are still marked a delay later go; then the bytes of everything that is doomed.
pub const COLLECT: TaskDef = TaskDef::new("blob.collect", collect).settled_by(settle).queue(2).standing("H37").ending();

pub(super) static MARK_SOME: Sql = Sql::new(
    "blob.mark",
    "UPDATE blob SET marked_at = ?1 WHERE sha IN (SELECT sha FROM blob \
     WHERE unused_since IS NOT NULL AND marked_at IS NULL AND unused_since <= ?2 ORDER BY unused_since, sha LIMIT ?3)",
);
pub(super) static MARKED: Sql = Sql::new(
    "blob.marked",
    "SELECT sha, size FROM blob WHERE marked_at IS NOT NULL AND marked_at <= ?1 ORDER BY marked_at, sha LIMIT ?2",
);
pub(super) static DELETE: Sql = Sql::new(
    "blob.delete",
    "DELETE FROM blob WHERE sha = ?1 AND marked_at IS NOT NULL \
     AND NOT EXISTS (SELECT 1 FROM blob_ref WHERE blob_ref.sha = ?1) RETURNING name, damaged_at",
);
pub(super) static DELETE_ANYWAY: Sql =
    Sql::new("blob.delete_anyway", "DELETE FROM blob WHERE sha = ?1 RETURNING name, damaged_at");

fn mark(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    let until = rule::get(tx)?.unused_until(cx.heard);
    let marked = tx.execute(&MARK_SOME, args![cx.heard, until, PORTION])?;
    Ok(if marked == u64::from(PORTION) { Plan::Checkpoint("{}".into()) } else { Plan::Done })
}

fn collect(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    let until = rule::get(tx)?.marked_until(cx.heard);
    let marked = tx.query(&MARKED, args![until, PORTION], PORTION as usize)?;
    for row in &marked {
        let sha = row.text(0).parse().map_err(|error| OpError::new(codes::BDETECTED, format!("{error}")))?;
        end(tx, cx, sha, row.int(1))?;
    }
    next_removal(tx, marked.len() == PORTION as usize)
}

/// The row of a blob goes, if it is still not wanted, and with it goes the right to its bytes.
fn end(tx: &mut dyn Tx, cx: &mut OpCx<'_>, sha: Sha, size: i64) -> OpResult<()> {
    let delete = if mutants::on(Mutant::SecondLookSkipped) { &DELETE_ANYWAY } else { &DELETE };
    let Some(row) = tx.query_one(delete, args![sha])? else { return Ok(()) };
    usage::add(tx, sha, -1, -size)?;
    if row.opt_int(1).is_some() {
        damage::healed(cx, sha);
    }
    garbage::doom(tx, cx.heard, &garbage::name_of(row.text(0))?)
}

fn next_removal(tx: &mut dyn Tx, more_marked: bool) -> OpResult<Plan> {
    let names = garbage::doomed(tx, PORTION)?;
    if names.is_empty() {
        return Ok(if more_marked { Plan::Checkpoint("{}".into()) } else { Plan::Done });
    }
    Ok(Plan::Call(Call::Work(work::call(work::REMOVE, &RemoveNames { names })?)))
}

/// What was removed is forgotten, and the next portion follows. What could not be is tried again with the task.
fn settle(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow, result: &CallResult) -> OpResult<Plan> {
    let removed: Removed = work::result(result)?;
    removed.names.iter().try_for_each(|name| garbage::forget(tx, name))?;
    match removed.failed {
        Some(reason) if removed.names.is_empty() => {
            Err(OpError::new(codes::XUNEXPECTED, format!("bytes of blobs could not be removed: {reason}")))
        }
        Some(_) | None => collect(tx, cx, task),
    }
}
