//! Tries a broken task again (WFL-17): back into its queue for a new attempt. With the last of them its process is active again.

use base::{OpError, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::calm;
use crate::codes::{AFLOW, NFLOWTASK};
use crate::decision::row::Decision;
use crate::engine::{Engine, Note};
use crate::measures::Count;
use crate::names::{PROCESS, TaskId, is_own, short};
use crate::process::from_start;
use crate::process::row::{Process, State};
use crate::task::row::Task;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&OF_PROCESS];

/// Broken tasks of a process that are tried again at once.
const TASKS_MAX: usize = 500;

static OF_PROCESS: Sql = Sql::new(
    "wfl_decision.broken_of_process",
    "SELECT number FROM wfl_decision WHERE process = ?1 AND broken_at IS NOT NULL ORDER BY number LIMIT 500",
);

/// Tries a broken task again.
pub static RETRY: Op<Retry, ()> =
    Op::new("workflow.retry", retry).keyed(|retry| crate::key_of(retry.task_id.split('.').next().unwrap_or_default()));

/// Which task.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Retry {
    /// Its id.
    pub task_id: String,
    /// Whose doing it is, beside the caller's.
    pub source: Option<String>,
}

fn retry(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &Retry) -> OpResult<()> {
    let absent = || OpError::new(NFLOWTASK, format!("no task `{}`", short(&wanted.task_id)));
    let id: TaskId = wanted.task_id.parse().map_err(|()| absent())?;
    let process = Process::get(tx, &id.process)?;
    let source = wanted.source.clone().unwrap_or_else(|| cx.caller.name.clone());
    let mut engine = Engine::new(tx, cx);
    engine.source = source;
    retry_held(&mut engine, &process, &[id])?;
    engine.settle()?;
    calm(tx, cx, &process.kind)
}

/// The broken tasks of a process.
pub(crate) fn broken_of(tx: &mut dyn Tx, process: &str) -> OpResult<Vec<TaskId>> {
    let rows = tx.query(&OF_PROCESS, args![process], TASKS_MAX)?;
    Ok(rows.iter().map(|row| TaskId::new(process, row.int(0))).collect())
}

/// Puts broken tasks of a process back. What cannot be is refused before anything changes.
pub(crate) fn retry_held(engine: &mut Engine<'_, '_>, process: &Process, ids: &[TaskId]) -> OpResult<()> {
    let mut broken = vec![];
    for id in ids {
        let task = Task::find(engine.tx, id)?;
        let decision = Decision::find(engine.tx, id)?.filter(|decision| decision.broken_at.is_some());
        match (task, decision) {
            (None, None) => return Err(absent(id)),
            _ if process.state != State::Broken => return Err(not_broken(process)),
            (Some(_), None) => return Err(OpError::new(AFLOW, format!("task {id} is not broken"))),
            (None, Some(_)) => return begin_anew(engine, process, id),
            (Some(task), Some(decision)) => broken.push((task, decision)),
        }
    }
    broken.into_iter().try_for_each(|(task, decision)| put_back(engine, &task, decision))
}

fn not_broken(process: &Process) -> OpError {
    OpError::new(AFLOW, format!("process {} is {}, not BROKEN", process.id, process.state.text()))
}

fn absent(id: &TaskId) -> OpError {
    OpError::new(NFLOWTASK, format!("process {} has no task {id}", id.process))
}

/// What the task was is lost: nobody can try it again. Its process begins anew where its type allows it, as recovery has it (WFL-14).
fn begin_anew(engine: &mut Engine<'_, '_>, process: &Process, id: &TaskId) -> OpResult<()> {
    if !engine.kind(&process.kind)?.restarts {
        return Err(OpError::new(NFLOWTASK, format!("task {id} is missing: restart process {}", process.id)));
    }
    let why = format!("broken task {id} is missing, and processes of this type may begin anew");
    engine.note_of(&process.id, Some(id.number), &Note { kind: "inconsistent", attempt: None, text: &why })?;
    engine.tally.one(Count::RecoveredByOperator);
    from_start(engine, process.clone(), &why)
}

fn put_back(engine: &mut Engine<'_, '_>, task: &Task, decision: Decision) -> OpResult<()> {
    let id = &task.id;
    // Its tries are counted anew, as its policy says.
    let decision = Decision { failures: 0, ..decision };
    let (now, rules) = (engine.cx.heard, engine.actor(&task.actor)?.for_task(task.timeout_ms));
    if engine.hold(&id.process)?.is_none() {
        return Err(absent(id));
    }
    if decision.register(engine.tx, (now, rules.queued_until(now)), Some(now), None)? {
        let text = "a broken task is tried again";
        engine.note(id, &Note { kind: "retried", attempt: Some(decision.attempt), text })?;
        engine.tally.one(Count::RecoveredByOperator);
        mend(engine, id)?;
        begin_again(engine, task)?;
    }
    Ok(())
}

/// The graph has it as one that is ready, and the process is active with the last of them.
fn mend(engine: &mut Engine<'_, '_>, id: &TaskId) -> OpResult<()> {
    let now = engine.cx.heard;
    let Some(held) = engine.hold(&id.process)? else { return Ok(()) };
    let idle_timeout_ms = {
        let kind = held.process.kind.clone();
        engine.kind(&kind)?.idle_timeout_ms
    };
    let Some(held) = engine.hold(&id.process)? else { return Ok(()) };
    if let Some(item) = held.graph.open.get_mut(&id.number) {
        (item.broken, item.ready) = (false, Some(now));
    }
    if held.graph.open.values().all(|item| !item.broken) {
        let process = &mut held.process;
        (process.state, process.error, process.changed) = (State::Active, None, now);
        process.recovery = Some(now.plus_ms(idle_timeout_ms));
        held.process_changed = true;
    }
    engine.touch(&id.process);
    Ok(())
}

/// A worker's task goes into its queue; a process that a task stands for begins anew, if it is over.
fn begin_again(engine: &mut Engine<'_, '_>, task: &Task) -> OpResult<()> {
    if !is_own(&task.actor) {
        return engine.queue_again(task, engine.cx.heard);
    }
    let child = match task.actor.as_str() {
        PROCESS => Process::by_key(engine.tx, &task.method, &format!("@{}", task.id))?,
        _ => None,
    };
    let Some((child, ..)) = child else { return engine.begin_now(&task.id) };
    let child = Process::get(engine.tx, &child)?;
    if child.state.is_over() { from_start(engine, child, "its parent is tried again") } else { Ok(()) }
}
