//! Broken tasks (WFL-17): those that ended with an error that nobody accepts, of processes that are broken. Grouped, listed, tried again.

mod groups;
mod retry;
mod tasks;

pub use groups::{BROKEN, BrokenOf, Group, Grouping, Groups};
pub use retry::{RETRY, Retry};
pub use tasks::{BROKEN_TASKS, BrokenPage, BrokenTask, BrokenTasksOf};

pub(crate) use retry::{broken_of, retry_held};

use base::{OpResult, Sql, Tx, args};
use kernel::OpCx;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&[&Sql]] = &[groups::STATEMENTS, tasks::STATEMENTS, retry::STATEMENTS, &[&ANY]];

static ANY: Sql = Sql::new(
    "wfl_process.any_broken",
    "SELECT 1 FROM wfl_process WHERE type = ?1 AND state = 'BROKEN' ORDER BY id LIMIT 1",
);

/// Closes the alert of a type of which no process is broken any more; after all changes were kept.
pub(crate) fn calm(tx: &mut dyn Tx, cx: &mut OpCx<'_>, kind: &str) -> OpResult<()> {
    if tx.query_one(&ANY, args![kind])?.is_none() {
        cx.fx.close_alert(format!("workflow-broken/{kind}"));
    }
    Ok(())
}
