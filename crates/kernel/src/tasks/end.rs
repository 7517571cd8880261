//! How a task ends well: its row goes, its lane goes on, and a cron task inscribes its successor, all in one commit (KER-17,
//! KER-21).

use base::mutants::{self, Mutant};
use base::{Id, OpError, OpResult, Sql, Tx, Wall, args, codes};

use super::cron::Cron;
use super::inscribe::INSERT;
use super::lane::{self, Stands};
use super::row::{Task, parked_at};
use super::tally;
use crate::cx::OpCx;
use crate::wake::Hint;

pub(super) static END: Sql = Sql::new(
    "task.end",
    "DELETE FROM task WHERE id = ?1 AND attempt = ?2 RETURNING lane, behind, start_at, cron, standing",
);
pub(super) static END_UNFENCED: Sql = Sql::new("task.end_unfenced", "DELETE FROM task WHERE id = ?1");

/// What is known of a row that was removed.
pub(super) struct Left {
    pub(super) lane: Option<String>,
    pub(super) behind: bool,
    pub(super) start_at: Wall,
}

impl Left {
    /// Parked ones left their lane then, and what was to follow them was inscribed.
    fn was_parked(&self) -> bool {
        self.start_at >= parked_at()
    }
}

/// Ends a run that was good. One of an earlier attempt is refused, and everything that it wrote with it; one that was taken
/// for lost meanwhile is good, as long as nobody claimed the task again. Whether something follows is said by the row, not by the task as
/// it was claimed: it may have been parked since, and moved after that.
pub(super) fn end(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &Task, next: Option<Wall>) -> OpResult<()> {
    let (row, repeats) = remove(tx, task)?;
    tally::count(cx, task, tally::DONE);
    left(tx, cx, task.id, &row)?;
    // Its successor was inscribed when it was parked, and took over what makes it come again.
    let inscribed = !repeats && (task.cron.is_some() || task.standing.is_some());
    let next = next.or_else(|| task.cron.as_ref().map(|cron| cron.next_after(cx.wall))).filter(|_| !inscribed);
    next.map_or(Ok(()), |start_at| succeed(tx, cx, task, start_at))
}

/// The row as it was, and whether it was one that comes again.
fn remove(tx: &mut dyn Tx, task: &Task) -> OpResult<(Left, bool)> {
    if mutants::on(Mutant::EndNotFenced) || mutants::on(Mutant::RowGoneAtClaim) {
        tx.execute(&END_UNFENCED, args![task.id])?;
        return Ok((Left { lane: task.lane.clone(), behind: false, start_at: task.start_at }, true));
    }
    let row = tx.query_one(&END, args![task.id, task.attempt])?.ok_or_else(|| fenced(task))?;
    let repeats = row.opt_text(3).is_some() || row.opt_text(4).is_some();
    Ok((
        Left { lane: row.opt_text(0).map(str::to_owned), behind: row.int(1) == 1, start_at: Wall(row.int(2)) },
        repeats,
    ))
}

/// What follows when a row was removed: its lane goes on, its alert is over.
pub(super) fn left(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: Id, row: &Left) -> OpResult<()> {
    if row.was_parked() {
        cx.fx.close_alert(alert_key(id));
        return Ok(());
    }
    match &row.lane {
        Some(lane) if !row.behind => lane::leave(tx, cx, lane),
        _ => Ok(()),
    }
}

/// Inscribes the next run: a task of its own, so that whoever is called can tell it from a repeat of this one.
pub(super) fn succeed(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &Task, start_at: Wall) -> OpResult<()> {
    let id = cx.id();
    let Stands { behind, place } = lane::enter(tx, task.lane.as_ref(), id)?;
    let Task { op, param, info, queue, lane, cron, standing, target, .. } = task;
    let (cron, lane) = (cron.as_ref().map(Cron::to_string), lane.as_ref());
    let (standing, target) = (standing.as_ref(), target.as_ref());
    let pause_ms = start_at.0 - cx.wall.0;
    let made_at = cx.wall;
    let args =
        args![id, op, param, info, *queue, lane, behind, start_at, cron, standing, target, made_at, pause_ms, place];
    tx.write(&INSERT, args)?;
    cx.fx.wake(Hint::Tasks { queue: *queue, start_at });
    Ok(())
}

/// The alert of a parked task.
pub(super) fn alert_key(id: Id) -> String {
    format!("task.parked.{id}")
}

/// This attempt has nothing to say any more.
pub(super) fn fenced(task: &Task) -> OpError {
    let message = format!("attempt {} of task {} is not the current one", task.attempt, task.id);
    OpError::new(codes::AATTEMPT, message)
}
