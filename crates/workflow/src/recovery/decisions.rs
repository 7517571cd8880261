//! Decisions whose time passed (WFL-11, WFL-12): the task goes back to its queue, or ends with an error. Every step is conditional on the
//! state and attempt that it read.

use base::mutants::{self, Mutant};
use base::{Heard, OpResult, Sql, Tx, args, codes};
use kernel::counters::Field;
use kernel::{Op, OpCx, Query};

use super::examine::CALENDAR_GRACE_MS;
use super::judge::Finding;
use crate::decision::next::{ActorRules, Overdue, overdue};
use crate::decision::row::Decision;
use crate::engine::{ACTORS, Engine, Note, Outcome};
use crate::measures::Count;
use crate::names::{TIMER, TaskId};
use crate::task::ErrorForm;
use crate::task::row::Task;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&DUE];

/// Decisions of one look.
const AT_ONCE: usize = 100;
/// When one whose task is missing is looked at again.
const MISSING_MS: i64 = 60_000;
/// When one whose graph is being made anew is.
const BUSY_MS: i64 = 10_000;

static DUE: Sql = Sql::new(
    "wfl_decision.due",
    "SELECT process, number FROM wfl_decision WHERE recovery IS NOT NULL AND recovery <= ?1 ORDER BY recovery, process, number LIMIT ?2",
);

/// Looks after some of those whose time passed; whether there are more.
pub static OVERDUE: Op<(), bool> = Op::new("workflow.overdue", |tx, cx, ()| look(tx, cx)).ending();
/// Whether there are any.
pub static ANY_OVERDUE: Query<(), bool> = Query::new("workflow.any_overdue", |tx, ()| {
    let now = tx.heard();
    Ok(!due(tx, now, 1)?.is_empty())
});

fn due(tx: &mut dyn Tx, now: Heard, most: usize) -> OpResult<Vec<TaskId>> {
    let limit = i64::try_from(most).unwrap_or(i64::MAX);
    let rows = tx.query(&DUE, args![now, limit], most)?;
    Ok(rows.iter().map(|row| TaskId::new(row.text(0), row.int(1))).collect())
}

fn look(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<bool> {
    let found = due(tx, cx.heard, AT_ONCE)?;
    let mut engine = Engine::new(tx, cx);
    for id in &found {
        look_at(&mut engine, id)?;
    }
    engine.settle()?;
    Ok(found.len() == AT_ONCE)
}

fn look_at(engine: &mut Engine<'_, '_>, id: &TaskId) -> OpResult<()> {
    let Some(decision) = Decision::find(engine.tx, id)? else { return Ok(()) };
    let Some(task) = Task::find(engine.tx, id)? else {
        // Whoever looks after the process comes soon; until then, once a minute will do.
        decision.later(engine.tx, Some(engine.cx.heard.plus_ms(MISSING_MS)))?;
        return engine.miss(id);
    };
    match engine.hold(&id.process).map(|held| held.is_none_or(|held| held.process.state.is_over())) {
        Ok(true) => return decision.later(engine.tx, None),
        Ok(false) => {}
        // Its graph is being made anew; the others need not wait for that.
        Err(error) if error.code == codes::XBUSY => {
            return decision.later(engine.tx, Some(engine.cx.heard.plus_ms(BUSY_MS)));
        }
        Err(error) => return Err(error),
    }
    let rules = engine.actor(&task.actor)?.for_task(task.timeout_ms);
    let recovery = decision.recovery.unwrap_or(engine.cx.heard);
    match overdue(decision.state, decision.queued, decision.taken, recovery, &rules, engine.cx.heard) {
        Overdue::Wait(until) if task.actor == TIMER => look_at_timer(engine, &task, &decision, until),
        Overdue::Wait(until) => decision.later(engine.tx, (until < Heard(i64::MAX)).then_some(until)),
        Overdue::Requeue if mutants::on(Mutant::WorkflowSilenceIgnored) => Ok(()),
        Overdue::Requeue => requeue(engine, &task, &decision, &rules),
        Overdue::WorkTimeout => {
            let text = format!("nothing was heard of attempt {} for {} ms", decision.attempt, rules.work_timeout_ms);
            time_out(engine, &task, &decision, ErrorForm::new("WorkTimeout", text))
        }
        Overdue::TaskTimeout => {
            let text = format!("it took longer than {} ms from its queueing", rules.task_timeout_ms);
            time_out(engine, &task, &decision, ErrorForm::new("TaskTimeout", text))
        }
    }
}

/// A timer ends by the calendar of the kernel; where that did not happen, it ends now. `until`: when its task is out of time.
fn look_at_timer(engine: &mut Engine<'_, '_>, task: &Task, decision: &Decision, until: Heard) -> OpResult<()> {
    let left_ms = decision.ready_at.plus_ms(task.pause_ms().unwrap_or(0)).0.saturating_sub(engine.cx.wall.0);
    if left_ms > 0 {
        let next = engine.cx.heard.plus_ms(left_ms.saturating_add(CALENDAR_GRACE_MS));
        return decision.later(engine.tx, Some(next.min(until)));
    }
    decision.later(engine.tx, Some(engine.cx.heard.plus_ms(MISSING_MS)))?;
    if mutants::on(Mutant::WorkflowTimerLost) {
        return Ok(());
    }
    engine.note(&task.id, &Note { kind: "requeued", attempt: None, text: Finding::NotBegun.text() })?;
    engine.begin_now(&task.id)
}

/// Nothing was heard of who took it: somebody else may.
fn requeue(engine: &mut Engine<'_, '_>, task: &Task, decision: &Decision, rules: &ActorRules) -> OpResult<()> {
    let now = engine.cx.heard;
    if !decision.register(engine.tx, (now, rules.queued_until(now)), Some(now), None)? {
        return Ok(());
    }
    engine.queue_again(task, now)?;
    let worker = decision.worker.as_deref().unwrap_or("its worker");
    let text = format!("nothing was heard of {worker} for {} ms", rules.work_timeout_ms);
    engine.note(&task.id, &Note { kind: "work-timeout", attempt: Some(decision.attempt), text: &text })?;
    engine.cx.fx.count(ACTORS, &task.actor, &[(Field::Deadlocks, 1)]);
    engine.tally.one(Count::RecoveredByItself);
    engine.touch(&task.id.process);
    Ok(())
}

fn time_out(engine: &mut Engine<'_, '_>, task: &Task, decision: &Decision, error: ErrorForm) -> OpResult<()> {
    let kind = if error.class == "TaskTimeout" { "task-timeout" } else { "work-timeout" };
    engine.note(&task.id, &Note { kind, attempt: Some(decision.attempt), text: &error.message })?;
    engine.end(task, Some(decision), decision.attempt, Outcome::Error(error))
}
