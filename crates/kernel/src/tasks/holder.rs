//! Whether a task that holds something is still at it: what it holds may be taken over once it is not.

use base::{Id, OpResult, Sql, Tx, args};

pub(super) static RUNNING: Sql = Sql::new("task.is_running", "SELECT 1 FROM task WHERE id = ?1 AND owner IS NOT NULL");

/// Whether some node runs this task, as far as the store knows.
pub fn is_running(tx: &mut dyn Tx, task: Id) -> OpResult<bool> {
    Ok(tx.query_one(&RUNNING, args![task])?.is_some())
}
