//! Tasks: operations put off until later (KER-14 to KER-23).

mod cron;

pub use cron::Cron;

use base::{Id, Migration, OpResult, Sql, Tx, args};

use crate::cx::OpCx;
use crate::effects::NewTask;
use crate::service::ServiceDef;
use crate::wake::Hint;

/// Tasks.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "tasks",
    migrations: &[Migration { service: "tasks", version: 1, text: include_str!("../../migrations/tasks_0001.sql") }],
    statements: &[&INSERT, &DELETE],
    ..ServiceDef::EMPTY
};

static INSERT: Sql = Sql::new(
    "task.insert",
    "INSERT INTO task (id, op, param, info, queue, lane, start_at, attempt, retry, created_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0, ?8)",
);
static DELETE: Sql = Sql::new("task.delete", "DELETE FROM task WHERE id = ?1");

/// Inscribes a task in the operation's own transaction.
pub(crate) fn write(tx: &mut dyn Tx, cx: &OpCx<'_>, task: &NewTask) -> OpResult<Hint> {
    let (queue, start_at) = (task.queue.unwrap_or_default(), task.start_at.unwrap_or(cx.wall));
    tx.write(&INSERT, args![task.id, &task.op, &task.param, &task.info, queue, task.lane.as_ref(), start_at, cx.wall])?;
    Ok(Hint::Tasks { queue, start_at })
}

/// Removes a task that is not wanted any more.
pub(crate) fn cancel(tx: &mut dyn Tx, id: Id) -> OpResult<()> {
    Ok(tx.write(&DELETE, args![id])?)
}
