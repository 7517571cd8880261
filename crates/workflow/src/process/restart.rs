//! Begins a process anew (WFL-18): from the start, or from a task: its results and those after it are dropped, earlier ones kept.

use std::collections::{BTreeMap, BTreeSet};

use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::row::{Process, RUN, State};
use super::start::{self, Start, Started, unripe};
use crate::codes::{AFLOW, NFLOWTASK};
use crate::decision::next::State as Stands;
use crate::decision::row::{self, Decision};
use crate::engine::{Engine, Note, kept, known};
use crate::graph::{Graph, rebuild};
use crate::names::{TIMER, TaskId, is_own, short};
use crate::task::row::Task;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&DEQUEUE_ALL];

static DEQUEUE_ALL: Sql = Sql::new(
    "wfl_queue.dequeue_all",
    "DELETE FROM wfl_queue WHERE process = ?1 AND queue IN (SELECT d.queue FROM wfl_decision d WHERE d.process = ?1) \
     AND at IN (SELECT d.queued FROM wfl_decision d WHERE d.process = ?1)",
);

/// Begins a process anew.
pub static RESTART: Op<Restart, ()> =
    Op::new("workflow.restart", restart).keyed(|restart| super::super::key_of(&restart.process));
/// Starts a process like another one.
pub static CLONE: Op<Clone, Started> = Op::new("workflow.clone", clone);

/// What is begun anew.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Restart {
    /// The process.
    pub process: String,
    /// From this task; not given: from the start.
    pub task: Option<String>,
    /// Whose doing it is, beside the caller's: an operator's job.
    pub source: Option<String>,
}

/// Which process is to be started once more.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Clone {
    /// Its id.
    pub process: String,
}

fn restart(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &Restart) -> OpResult<()> {
    let process = Process::get(tx, &wanted.process)?;
    let source = wanted.source.clone().unwrap_or_else(|| cx.caller.name.clone());
    let kind = process.kind.clone();
    let mut engine = Engine::new(tx, cx);
    engine.source = source;
    match &wanted.task {
        None => from_start(&mut engine, process, "by hand")?,
        Some(task) => from_task(&mut engine, process, task)?,
    }
    engine.settle()?;
    crate::broken::calm(tx, cx, &kind)
}

/// Everything of the process is dropped; its numbers are not used again.
pub(crate) fn from_start(engine: &mut Engine<'_, '_>, mut process: Process, why: &str) -> OpResult<()> {
    let id = process.id.clone();
    let form = process.start_form()?;
    engine.tx.write(&DEQUEUE_ALL, args![&id])?;
    Task::remove_all(engine.tx, &id)?;
    Decision::remove_all(engine.tx, &id)?;
    engine.drop_signals(&id)?;
    engine.drop_graph(&id)?;
    if !mutants::on(Mutant::WorkflowNumbersAgain) {
        process.first = (process.first / RUN + 1) * RUN + 1;
    }
    reopen(engine, &mut process)?;
    engine.note_of(&id, None, &Note { kind: "restarted", attempt: None, text: why })?;
    engine.lay_out_start(&id, process.first, &form, 0)?;
    let graph = unripe(process.first);
    process.save(engine.tx)?;
    engine.begin(process, graph);
    Ok(())
}

/// It is active again, and is looked at soon.
fn reopen(engine: &mut Engine<'_, '_>, process: &mut Process) -> OpResult<()> {
    let rules = engine.kind(&process.kind)?;
    (process.state, process.ended_at, process.value, process.error) = (State::Active, None, None, None);
    process.changed = engine.cx.heard;
    process.recovery = Some(engine.cx.heard.plus_ms(rules.idle_timeout_ms));
    Ok(())
}

/// The result of a task and all that came of it are dropped. What cannot be is refused before anything changes.
pub(crate) fn from_task(engine: &mut Engine<'_, '_>, mut process: Process, task: &str) -> OpResult<()> {
    let absent = || OpError::new(NFLOWTASK, format!("process {} has no task `{}`", process.id, short(task)));
    let from: TaskId = task.parse().map_err(|()| absent())?;
    if from.process != process.id || Task::find(engine.tx, &from)?.is_none() {
        return Err(absent());
    }
    if Decision::find(engine.tx, &from)?.is_none() {
        return Err(OpError::new(AFLOW, format!("task {from} never ran: there is nothing to begin anew")));
    }
    if process.state.is_over() && process.parent.is_some() {
        return Err(OpError::new(
            AFLOW,
            format!(
                "task {:?} of another process has its result already",
                process.parent.as_ref().map(ToString::to_string)
            ),
        ));
    }
    let mut tasks: BTreeMap<i64, Task> =
        Task::of_process(engine.tx, &process.id)?.into_iter().map(|task| (task.id.number, task)).collect();
    let decisions = Decision::of_process(engine.tx, &process.id)?;
    let mut decisions: BTreeMap<i64, Decision> = decisions.into_iter().map(|found| (found.id.number, found)).collect();
    let waited: BTreeMap<i64, BTreeSet<i64>> = tasks.iter().map(|(number, task)| (*number, task.waits())).collect();
    let laid_out: BTreeMap<i64, i64> = tasks.iter().map(|(number, task)| (*number, task.parent)).collect();
    let before = rebuild(&known(&tasks, &decisions), engine.cx.heard);
    let after = before.after(from.number, &waited, &laid_out);
    // No number is used again, so that nobody's late result fits.
    let next = kept(engine.tx, &process.id)?.map_or(before.next, |(_, graph)| graph.next.max(before.next));
    for number in &after {
        drop_decision(engine, decisions.remove(number))?;
        let is_laid_out_anew = laid_out.get(number).is_some_and(|parent| after.contains(parent));
        let Some(task) = tasks.remove(number) else { continue };
        match is_laid_out_anew {
            true => Task::remove(engine.tx, &task.id)?,
            false => drop(tasks.insert(*number, task.drop_results(engine.tx)?)),
        }
    }
    engine.drop_graph(&process.id)?;
    if process.state == State::Aborted {
        decisions.values().try_for_each(|decision| revive(engine, tasks.get(&decision.id.number), decision))?;
    }
    let graph = rebuild(&known(&tasks, &decisions), engine.cx.heard);
    reopen(engine, &mut process)?;
    if let Some((number, _)) = graph.open.iter().find(|(_, item)| item.broken) {
        // Another task is broken, and stays so until somebody tries it again.
        process.state = State::Broken;
        process.error = decisions.get(number).and_then(|decision| decision.error.clone());
    }
    process.save(engine.tx)?;
    let text = format!("from task {from}: {} results were dropped", after.len());
    engine.note_of(&process.id, Some(from.number), &Note { kind: "restarted", attempt: None, text: &text })?;
    engine.begin(process, Graph { next, ..graph });
    Ok(())
}

/// What was open when its process was aborted is to be done again: it is in no queue, and nobody looks after it.
fn revive(engine: &mut Engine<'_, '_>, task: Option<&Task>, decision: &Decision) -> OpResult<()> {
    let (now, is_open) = (engine.cx.heard, decision.state != Stands::Finish);
    let Some(task) = task.filter(|_| is_open) else { return Ok(()) };
    if is_own(&task.actor) {
        return decision.later(engine.tx, (task.actor == TIMER).then_some(now));
    }
    let rules = engine.actor(&task.actor)?.for_task(task.timeout_ms);
    match decision.register(engine.tx, (now, rules.queued_until(now)), Some(now), None)? {
        true => engine.queue_again(task, now),
        false => Ok(()),
    }
}

/// A result is dropped, and what waits in a queue leaves it.
fn drop_decision(engine: &mut Engine<'_, '_>, decision: Option<Decision>) -> OpResult<()> {
    let Some(decision) = decision else { return Ok(()) };
    if decision.state == Stands::Registered {
        row::dequeue(engine.tx, &decision.queue, decision.queued, &decision.id)?;
    }
    Decision::remove(engine.tx, &decision.id)
}

fn clone(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &Clone) -> OpResult<Started> {
    let process = Process::get(tx, &wanted.process)?;
    let start = Start { start: process.start_form()?, kind: process.kind, custom_id: process.custom_id, key: None };
    (start::START.run)(tx, cx, &start)
}
