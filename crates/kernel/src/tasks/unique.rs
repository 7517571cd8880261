//! Tasks of which at most one waits ([`crate::NewTask::unique`]).
//!
//! The index says what holds: of one operation and key at most one row has no owner. A new wish meets the row that waits, and
//! the earlier start counts. A run has its key still, so that it may go back: then it takes the place of a row that came
//! meanwhile, because it knows how often it failed. A parked task has no key, so that it holds up nobody.

use base::{OpResult, Sql, Tx, args};

use super::row::Task;

/// One that waits after a failure keeps its pause: whoever asks again and again must not have it fail again and again.
pub(super) static INSERT: Sql = Sql::new(
    "task.insert_unique",
    "INSERT INTO task (id, op, param, info, queue, behind, start_at, attempt, retry, forgiven, target, created_at, pause_ms, \
     unique_key) VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, 0, 0, 0, ?7, ?8, ?9, ?10) \
     ON CONFLICT (op, unique_key) WHERE owner IS NULL AND unique_key IS NOT NULL \
     DO UPDATE SET start_at = excluded.start_at, pause_ms = excluded.pause_ms \
     WHERE task.start_at > excluded.start_at AND task.exc IS NULL",
);
pub(super) static CLEAR: Sql =
    Sql::new("task.clear_unique", "DELETE FROM task WHERE op = ?1 AND unique_key = ?2 AND owner IS NULL");

/// Before a run goes back to those who wait.
pub(super) fn make_way(tx: &mut dyn Tx, task: &Task) -> OpResult<()> {
    task.unique_key.as_ref().map_or(Ok(()), |key| clear(tx, &task.op, key))
}

/// Removes the one that waits, if there is one.
pub(super) fn clear(tx: &mut dyn Tx, op: &str, key: &str) -> OpResult<()> {
    Ok(tx.write(&CLEAR, args![op, key])?)
}
