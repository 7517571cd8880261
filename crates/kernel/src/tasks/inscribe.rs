//! Inscribes a task in the transaction of the operation that creates it (KER-15), and removes one that is not wanted any more.

use base::limits::{BODY_MAX, NAME_MAX};
use base::{Id, OpError, OpResult, Sql, Tx, args, codes};

use super::config::TaskConfig;
use super::cron::Cron;
use super::end::{self, Left};
use super::lane::{self, Stands};
use super::unique;
use crate::cx::OpCx;
use crate::effects::NewTask;
use crate::wake::Hint;

pub(super) static INSERT: Sql = Sql::new(
    "task.insert",
    "INSERT INTO task (id, op, param, info, queue, lane, behind, start_at, attempt, retry, forgiven, cron, standing, target, \
     created_at, pause_ms, place) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, 0, 0, ?9, ?10, ?11, ?12, ?13, ?14)",
);
pub(super) static DELETE: Sql =
    Sql::new("task.delete", "DELETE FROM task WHERE id = ?1 RETURNING lane, behind, start_at, exc");

/// Inscribes a task.
pub(crate) fn write(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &NewTask, config: &TaskConfig) -> OpResult<()> {
    let queue = task.queue.unwrap_or_else(|| config.queue_of(&task.op));
    check(task, queue, config)?;
    let start_at = task.start.at(task.cron.as_ref(), cx.wall);
    let pause_ms = task.start.pause_ms(task.cron.as_ref(), cx.wall);
    if let Some(key) = &task.unique_key {
        let NewTask { id, op, param, info, target, .. } = task;
        let args = args![*id, op, param, info, queue, start_at, target.as_ref(), cx.wall, pause_ms, key];
        tx.write(&unique::INSERT, args)?;
        cx.fx.wake(Hint::Tasks { queue, start_at });
        return Ok(());
    }
    let Stands { behind, place } = lane::enter(tx, task.lane.as_ref(), task.id)?;
    let NewTask { id, op, param, info, lane, cron, target, .. } = task;
    let (lane, cron, target) = (lane.as_ref(), cron.as_ref().map(Cron::to_string), target.as_ref());
    let standing: Option<&str> = None;
    let made_at = cx.wall;
    let args =
        args![*id, op, param, info, queue, lane, behind, start_at, cron, standing, target, made_at, pause_ms, place];
    tx.write(&INSERT, args)?;
    cx.fx.wake(Hint::Tasks { queue, start_at });
    Ok(())
}

/// A task that cannot run must not be inscribed. The limits are far above what our own code inscribes.
fn check(task: &NewTask, queue: i64, config: &TaskConfig) -> OpResult<()> {
    if !config.has(queue) {
        let last = config.workers.len().saturating_sub(1);
        return Err(OpError::new(codes::ALIMIT, format!("queue is {queue}, it must be 0 to {last}")));
    }
    if task.unique_key.is_some() && (task.lane.is_some() || task.cron.is_some()) {
        let message = format!("{}: a unique task has neither lane nor cron", task.op);
        return Err(OpError::new(codes::BDETECTED, message).finally());
    }
    let lane = task.lane.as_deref().unwrap_or_default();
    let unique_key = task.unique_key.as_deref().unwrap_or_default();
    let target = task.target.as_deref().unwrap_or_default();
    let bounds = [
        ("op", task.op.len(), NAME_MAX),
        ("param", task.param.len(), BODY_MAX),
        ("info", task.info.len(), NAME_MAX),
        ("lane", lane.len(), NAME_MAX),
        ("unique key", unique_key.len(), NAME_MAX),
        ("target", target.len(), 2_048),
    ];
    let beyond = bounds.into_iter().find(|(_, length, max)| length > max);
    beyond.map_or(Ok(()), |(name, length, max)| {
        Err(OpError::new(codes::ALIMIT, format!("{name} has {length} bytes, at most {max}")))
    })
}

/// Removes a task, wherever it is; what came of a call that is still under way then settles nothing. Says whether it was there.
pub(crate) fn cancel(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: Id) -> OpResult<bool> {
    let Some(row) = tx.query_one(&DELETE, args![id])? else { return Ok(false) };
    let left =
        Left { lane: row.opt_text(0).map(str::to_owned), behind: row.int(1) == 1, start_at: base::Wall(row.int(2)) };
    end::left(tx, cx, id, &left)?;
    Ok(true)
}
