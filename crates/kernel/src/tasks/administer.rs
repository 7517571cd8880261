//! What an operator does with tasks (KER-22): delete, run now, move. Each leaves a line in the journal.

use base::{Id, OpError, OpResult, Sql, Tx, Wall, args, codes};
use serde::{Deserialize, Serialize};

use super::end::alert_key;
use super::inscribe::cancel;
use super::lane::{self, Stands};
use super::report_done::get;
use super::row::Task;
use crate::cx::OpCx;
use crate::op::Op;
use crate::wake::Hint;

/// Deletes a task, running or not: a run that ends after that is refused whole. One of the server's own only when it is parked: what
/// it sees to would be left undone, or not be done again before the next start.
pub static DELETE: Op<Id, Changed> = Op::new("task.remove", delete).ending();
/// Moves a task that waits or is parked: earlier, later or to now.
pub static MOVE: Op<Move, Changed> = Op::new("task.move", move_to).ending();

/// Where a task is moved.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// The task.
    pub id: Id,
    /// When it may start; now.
    pub start_at: Option<Wall>,
}

/// It was done.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Changed {}

pub(super) static PUT: Sql =
    Sql::new("task.put", "UPDATE task SET start_at = ?2, pause_ms = ?3 WHERE id = ?1 AND owner IS NULL");
pub(super) static BEGIN_ANEW: Sql = Sql::new(
    "task.begin_anew",
    "UPDATE task SET start_at = ?2, behind = ?3, pause_ms = ?4, place = ?5, retry = 0, forgiven = attempt \
     WHERE id = ?1 AND owner IS NULL",
);

fn delete(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &Id) -> OpResult<Changed> {
    let task = get(tx, *id)?;
    if cx.home.chores.has(&task) && !task.is_parked() {
        let message =
            format!("task {id} (`{}`) is the server's own, which needs it: only a parked one may be deleted", task.op);
        return Err(OpError::new(codes::ATASK, message));
    }
    cancel(tx, cx, *id)?;
    cx.fx.journal("task.deleted", id.to_string(), "");
    Ok(Changed {})
}

fn move_to(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Move) -> OpResult<Changed> {
    let task = get(tx, input.id)?;
    if task.owner.is_some() {
        return Err(OpError::new(codes::ATASK, format!("task {} is running, attempt {}", task.id, task.attempt)));
    }
    let start_at = input.start_at.unwrap_or(cx.wall);
    put(tx, cx, &task, input.start_at)?;
    cx.fx.wake(Hint::Tasks { queue: task.queue, start_at });
    cx.fx.journal("task.moved", task.id.to_string(), format!("to {}", start_at.rfc3339()));
    Ok(Changed {})
}

/// A parked task begins anew: it goes back into its lane, and its tries are counted from here.
fn put(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &Task, chosen: Option<Wall>) -> OpResult<()> {
    let (start_at, pause_ms) = chosen.map_or((cx.wall, Some(0)), |at| (at, None));
    if !task.is_parked() {
        return Ok(tx.write(&PUT, args![task.id, start_at, pause_ms])?);
    }
    let Stands { behind, place } = lane::enter(tx, task.lane.as_ref(), task.id)?;
    tx.write(&BEGIN_ANEW, args![task.id, start_at, behind, pause_ms, place])?;
    cx.fx.close_alert(alert_key(task.id));
    Ok(())
}
