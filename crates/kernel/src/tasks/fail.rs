//! Takes in that a run failed (KER-17). A late bad end changes nothing (KER-18).

use base::{OpError, OpResult, Sql, Tx, args};
use serde::{Deserialize, Serialize};

use super::park::{park, report};
use super::row::{Task, columns};
use super::schedule::{After, after_failure, fault_pause_ms, is_forgiven};
use super::{tally, unique};
use crate::cx::OpCx;
use crate::op::Op;
use crate::wake::Hint;

/// Takes in a failure.
pub static FAIL: Op<Fail, Failed> = Op::new("task.fail", fail).ending();

/// Which run failed, and why.
#[derive(Debug, Clone)]
pub struct Fail {
    /// The task as it was claimed.
    pub task: Task,
    /// What happened.
    pub error: OpError,
    /// Minutes until the next try after each failure.
    pub minutes: &'static [u32],
}

/// What followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failed {
    /// It will be tried again.
    Again,
    /// It waits for a person.
    Parked,
    /// This run had nothing to say any more.
    Late,
}

pub(super) static HELD: Sql = Sql::new(
    "task.held",
    concat!("SELECT ", columns!(), " FROM task WHERE id = ?1 AND attempt = ?2 AND owner IS NOT NULL"),
);
pub(super) static AGAIN: Sql = Sql::new(
    "task.again",
    "UPDATE task SET start_time = NULL, owner = NULL, lost_at = NULL, start_at = ?3, pause_ms = ?6, retry = retry + 1, exc = ?4, \
     report = ?5 WHERE id = ?1 AND attempt = ?2",
);
pub(super) static FORGIVE: Sql = Sql::new(
    "task.forgive",
    "UPDATE task SET start_time = NULL, owner = NULL, lost_at = NULL, start_at = ?3, pause_ms = ?6, forgiven = forgiven + 1, \
     faults = faults + 1, exc = ?4, report = ?5 WHERE id = ?1 AND attempt = ?2",
);

fn fail(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Fail) -> OpResult<Failed> {
    let Fail { task, error, minutes } = input;
    let Some(row) = tx.query_one(&HELD, args![task.id, task.attempt])? else { return Ok(Failed::Late) };
    let task = Task::read(&row);
    if is_forgiven(error) {
        return forgive(tx, cx, &task, error);
    }
    match after_failure(&task, minutes, cx.wall) {
        After::Parked => park(tx, cx, &task, error.code.name, &report(error)).map(|()| Failed::Parked),
        After::Again(at) => {
            unique::make_way(tx, &task)?;
            tx.write(&AGAIN, args![task.id, task.attempt, at, error.code.name, report(error), at.0 - cx.wall.0])?;
            tally::count(cx, &task, tally::FAILED);
            cx.fx.wake(Hint::Tasks { queue: task.queue, start_at: at });
            Ok(Failed::Again)
        }
    }
}

/// It goes back and stays visible with its code, but the run counts as no try: half of the pause is chance, so that those who
/// fought do not meet again.
fn forgive(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &Task, error: &OpError) -> OpResult<Failed> {
    let half_ms = fault_pause_ms(task) / 2;
    let pause_ms = half_ms + i64::from(cx.chance()[0]) * half_ms / 255;
    let start_at = cx.wall.plus_ms(pause_ms);
    unique::make_way(tx, task)?;
    tx.write(&FORGIVE, args![task.id, task.attempt, start_at, error.code.name, report(error), pause_ms])?;
    tally::count(cx, task, tally::FORGIVEN);
    cx.fx.wake(Hint::Tasks { queue: task.queue, start_at });
    Ok(Failed::Again)
}
