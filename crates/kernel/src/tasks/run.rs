//! Runs a cycle of a claimed task, or settles its call: the task's own work and what becomes of the task are one commit (KER-14,
//! KER-20).
//!
//! Where the store has one writer, the commit that ends a task, or begins its call, also claims the next one for the worker that it
//! frees: that saves the claim a commit of its own. That claims nothing ahead of time, since the worker begins with it at once. Where
//! many write, a claim in a serial transaction would be refused whenever another one took the same head of the queue.

use base::{Call, CallResult, Keys, OpResult, Sql, Tx, Wall, args};
use serde::{Deserialize, Serialize};

use super::claim::{Claim, claim};
use super::end::{end, fenced};
use super::kind::Kind;
use super::park::{park, report};
use super::row::Task;
use super::unique;
use crate::cx::OpCx;
use crate::op::Op;
use crate::service::Plan;
use crate::wake::Hint;

/// Time for one cycle (KER-14).
const CYCLE_MS: u64 = 60_000;
/// A call may take its time and some more before its task is taken for lost.
const CALL_GRACE_MS: i64 = 60_000;

/// Runs a cycle, or settles a call.
pub static RUN: Op<Run, Went> = Op::new("task.run", run).keyed(keys).within_ms(CYCLE_MS).failing_at_once();
/// The same of a kind that ends work or frees room, also on the reserve.
pub static RUN_ENDING: Op<Run, Went> =
    Op::new("task.run", run).keyed(keys).within_ms(CYCLE_MS).ending().failing_at_once();

/// Which task, and what came of its call if it made one.
#[derive(Clone)]
pub struct Run {
    /// The task.
    pub task: Task,
    /// What it does.
    pub kind: Kind,
    /// What came of its call.
    pub called: Option<CallResult>,
    /// After how long it is taken for lost.
    pub lost_ms: i64,
    /// Whether its next cycle may begin at once; otherwise the others of its queue have their turn before.
    pub goes_on: bool,
    /// For the worker that is free once the task has ended, if there may be more to do; only for a store with one writer.
    pub then: Option<Claim>,
}

/// Where the task stands now.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Went {
    /// It has ended, or was put off; its worker was given the next one, if there was any.
    Ended(Option<Box<Task>>),
    /// The next cycle begins at once with this checkpoint.
    Goes(String),
    /// It calls outside now, which needs no worker; its worker was given the next one, if there was any. Nothing of the kind is
    /// ever replayed, so nothing is stored.
    Calls(#[serde(skip)] Option<Box<Call>>, #[serde(skip)] Option<Box<Task>>),
}

pub(super) static CHECKPOINT: Sql = Sql::new(
    "task.checkpoint",
    "UPDATE task SET checkpoint = ?3, lost_at = ?4, forgiven = attempt, faults = 0 WHERE id = ?1 AND attempt = ?2 AND owner IS NOT NULL",
);
pub(super) static CALLS: Sql =
    Sql::new("task.calls", "UPDATE task SET lost_at = ?3 WHERE id = ?1 AND attempt = ?2 AND owner IS NOT NULL");
pub(super) static PUT_OFF: Sql = Sql::new(
    "task.put_off",
    "UPDATE task SET start_time = NULL, owner = NULL, lost_at = NULL, start_at = ?3, pause_ms = ?4, retry = 0, \
     forgiven = attempt, faults = 0 \
     WHERE id = ?1 AND attempt = ?2 AND owner IS NOT NULL",
);
pub(super) static PUT_BACK: Sql = Sql::new(
    "task.put_back",
    "UPDATE task SET start_time = NULL, owner = NULL, lost_at = NULL, start_at = ?3, pause_ms = ?4, checkpoint = ?5, \
     forgiven = attempt, faults = 0 WHERE id = ?1 AND attempt = ?2 AND owner IS NOT NULL",
);

fn keys(input: &Run) -> Keys {
    input.kind.keys(&input.task)
}

fn run(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Run) -> OpResult<Went> {
    let plan = match &input.called {
        None => input.kind.plan(tx, cx, &input.task)?,
        Some(called) => input.kind.settle(tx, cx, &input.task, called)?,
    };
    match apply(tx, cx, input, plan)? {
        Went::Ended(_) => Ok(Went::Ended(claim_next(tx, cx, input)?)),
        Went::Calls(call, _) => Ok(Went::Calls(call, claim_next(tx, cx, input)?)),
        went @ Went::Goes(_) => Ok(went),
    }
}

fn claim_next(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Run) -> OpResult<Option<Box<Task>>> {
    let Some(next) = &input.then else { return Ok(None) };
    Ok(claim(tx, cx, next)?.tasks.pop().map(Box::new))
}

/// What becomes of the task. Each step is fenced by the attempt: one that is not current undoes the whole cycle.
fn apply(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Run, plan: Plan) -> OpResult<Went> {
    let task = &input.task;
    match plan {
        Plan::Done => end(tx, cx, task, None).map(|()| Went::Ended(None)),
        Plan::DoneUntil(next) => end(tx, cx, task, Some(next)).map(|()| Went::Ended(None)),
        Plan::Checkpoint(checkpoint) if !input.goes_on => put_back(tx, cx, task, &checkpoint, cx.wall),
        Plan::CheckpointAt(checkpoint, at) => put_back(tx, cx, task, &checkpoint, at),
        Plan::Checkpoint(checkpoint) => {
            let lost_at = cx.heard.plus_ms(input.lost_ms);
            let held = tx.execute(&CHECKPOINT, args![task.id, task.attempt, &checkpoint, lost_at])?;
            only_if(held, task, Went::Goes(checkpoint))
        }
        Plan::Call(call) => {
            let call_ms = i64::try_from(call.timeout_ms()).unwrap_or(i64::MAX).saturating_add(CALL_GRACE_MS);
            let lost_at = cx.heard.plus_ms(input.lost_ms.max(call_ms));
            let held = tx.execute(&CALLS, args![task.id, task.attempt, lost_at])?;
            only_if(held, task, Went::Calls(Some(Box::new(call)), None))
        }
        Plan::Later(at) => {
            unique::make_way(tx, task)?;
            let held = tx.execute(&PUT_OFF, args![task.id, task.attempt, at, at.0 - cx.wall.0])?;
            cx.fx.wake(Hint::Tasks { queue: task.queue, start_at: at });
            only_if(held, task, Went::Ended(None))
        }
        Plan::Park(error) => park(tx, cx, task, error.code.name, &report(&error)).map(|()| Went::Ended(None)),
    }
}

/// Its next cycle begins with this checkpoint, not before that time and after those who are due before.
fn put_back(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &Task, checkpoint: &str, at: Wall) -> OpResult<Went> {
    unique::make_way(tx, task)?;
    let held = tx.execute(&PUT_BACK, args![task.id, task.attempt, at, at.0 - cx.wall.0, checkpoint])?;
    cx.fx.wake(Hint::Tasks { queue: task.queue, start_at: at });
    only_if(held, task, Went::Ended(None))
}

fn only_if(held: u64, task: &Task, went: Went) -> OpResult<Went> {
    if held == 1 { Ok(went) } else { Err(fenced(task)) }
}
