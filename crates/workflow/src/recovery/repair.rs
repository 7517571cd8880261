//! Repairs a process (WFL-13 to WFL-15, WFL-25): what was found of it is carried out, with its source in history and counters (WFL-19).
//! Where nothing is to be repaired, nothing changes but when it is looked at next.

use std::collections::BTreeMap;

use base::mutants::{self, Mutant};
use base::{Heard, OpResult, Sql, Tx, args};
use kernel::counters::Field;
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::examine::{AT_ONCE, Examined, examine, is_large};
use super::judge::Finding;
use super::mend::Change;
use crate::actors::polled::Polls;
use crate::decision::next::State;
use crate::decision::row::{self, Decision, Ending};
use crate::engine::{AUTOMATIC, Engine, Made, Note, kept};
use crate::measures::Count;
use crate::names::{TaskId, queue};
use crate::process::restart::from_start;
use crate::process::row::Process;
use crate::task::ErrorForm;
use crate::task::row::Task;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&GRAPH_LATER, &PROCESS_LATER, &GRAPH_NOW];

/// The kind under which repairs are counted, by their source.
pub(crate) const RECOVERIES: &str = "workflow-recovery";
/// Lines of the history that one repair writes.
const NOTES_MAX: usize = 100;

static GRAPH_LATER: Sql =
    Sql::new("wfl_graph.later", "UPDATE wfl_graph SET recovery = ?2 WHERE process = ?1 AND recovery <= ?3");
static PROCESS_LATER: Sql =
    Sql::new("wfl_process.later", "UPDATE wfl_process SET recovery = ?2 WHERE id = ?1 AND recovery <= ?3");
static GRAPH_NOW: Sql =
    Sql::new("wfl_graph.now", "UPDATE wfl_graph SET recovery = ?2 WHERE process = ?1 AND recovery IS NOT NULL");

/// Examines a process and repairs what is wrong with it.
pub static RECOVER: Op<String, Repair> =
    Op::new("workflow.recover", |tx, cx, process: &String| recover(tx, cx, process))
        .keyed(|process| crate::key_of(process))
        .ending();
/// Repairs what was found of a process of many tasks, unless it has changed since.
pub(super) static REPAIR: Op<Examined, Repair> =
    Op::new("workflow.repair", repair_found).keyed(|examined| crate::key_of(&examined.process.id)).ending();

/// What came of looking at a process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repair {
    /// Processes that were examined.
    pub examined: u32,
    /// It has many tasks: whoever looks after processes does it within seconds.
    pub is_put_off: bool,
    /// What was repaired.
    pub repaired: Vec<Repaired>,
}

/// Something that was repaired, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repaired {
    /// The task, if it is one.
    pub task: Option<String>,
    /// What was wrong, for people.
    pub what: String,
}

fn recover(tx: &mut dyn Tx, cx: &mut OpCx<'_>, process: &str) -> OpResult<Repair> {
    let mut engine = Engine::new(tx, cx);
    let repair = recover_process(&mut engine, process)?;
    engine.settle()?;
    Ok(repair)
}

fn repair_found(tx: &mut dyn Tx, cx: &mut OpCx<'_>, examined: &Examined) -> OpResult<Repair> {
    let id = &examined.process.id;
    let is_same = kept(tx, id)?.map(|(version, _)| version) == examined.version;
    let process = Process::find(tx, id)?.filter(|process| is_same && !process.state.is_over());
    let Some(process) = process else { return Ok(Repair::default()) };
    let mut engine = Engine::new(tx, cx);
    let repair = carry_out(&mut engine, &Examined { process, ..examined.clone() })?;
    engine.settle()?;
    Ok(repair)
}

/// Examines a process and repairs what is wrong with it, as the doing of `engine.source`. Whoever calls settles the engine then, and does
/// not call this for two processes that belong to each other with one engine.
pub(crate) fn recover_process(engine: &mut Engine<'_, '_>, process: &str) -> OpResult<Repair> {
    if engine.holds(process) {
        return Ok(Repair { is_put_off: true, ..Repair::default() });
    }
    if is_large(engine.tx, process)? {
        look_soon(engine.tx, process, engine.cx.heard)?;
        return Ok(Repair { examined: 1, is_put_off: true, repaired: vec![] });
    }
    let polls = engine.cx.home.memory::<Polls>();
    let Some(examined) = examine(engine.tx, &polls, process, engine.cx.wall)? else { return Ok(Repair::default()) };
    if examined.is_ill() {
        return carry_out(engine, &examined);
    }
    let (now, rules) = (engine.cx.heard, engine.kind(&examined.process.kind)?);
    graph_later(engine.tx, process, now.plus_ms(rules.idle_timeout_ms), now)?;
    process_later(engine.tx, process, now.plus_ms(rules.process_timeout_ms), now)?;
    Ok(Repair { examined: 1, ..Repair::default() })
}

/// The graph of a process is looked at then, if it was to be by this time.
pub(super) fn graph_later(tx: &mut dyn Tx, process: &str, at: Heard, due: Heard) -> OpResult<()> {
    Ok(tx.write(&GRAPH_LATER, args![process, at, due])?)
}

/// A process is looked at then, if it was to be by this time.
pub(super) fn process_later(tx: &mut dyn Tx, process: &str, at: Heard, due: Heard) -> OpResult<()> {
    Ok(tx.write(&PROCESS_LATER, args![process, at, due])?)
}

fn look_soon(tx: &mut dyn Tx, process: &str, now: Heard) -> OpResult<()> {
    tx.write(&GRAPH_NOW, args![process, now])?;
    Process::look(tx, process, now)
}

fn carry_out(engine: &mut Engine<'_, '_>, examined: &Examined) -> OpResult<Repair> {
    let id = &examined.process.id;
    let name = |number: i64| TaskId::new(id, number).to_string();
    let told = examined.told().into_iter();
    let repaired: Vec<Repaired> =
        told.map(|(number, what)| Repaired { task: number.map(name), what: what.into() }).take(1_000).collect();
    let many = i64::try_from(repaired.len()).unwrap_or(i64::MAX);
    let source = engine.source.clone();
    let counted = if source == AUTOMATIC { Count::RecoveredByItself } else { Count::RecoveredByOperator };
    engine.tally.add(counted, repaired.len());
    engine.cx.fx.count(RECOVERIES, source, &[(Field::Processed, many)]);
    match examined.missing() {
        Some(number) if engine.kind(&examined.process.kind)?.restarts => {
            let why = format!("task {} is missing, and processes of this type may begin anew", name(number));
            engine.note_of(id, Some(number), &Note { kind: "inconsistent", attempt: None, text: &why })?;
            from_start(engine, examined.process.clone(), &why)?;
        }
        _ => mend(engine, examined)?,
    }
    Ok(Repair { examined: 1, is_put_off: false, repaired })
}

fn mend(engine: &mut Engine<'_, '_>, examined: &Examined) -> OpResult<()> {
    let (id, now) = (&examined.process.id, engine.cx.heard);
    let rules = engine.kind(&examined.process.kind)?;
    engine.adopt(examined.process.clone(), examined.graph.clone(), examined.version.unwrap_or(0));
    if examined.version.is_none() {
        engine.note_of(id, None, &Note { kind: "rebuilt", attempt: None, text: "the graph was lost and made anew" })?;
    }
    for (place, (number, change)) in examined.changes.iter().enumerate() {
        let task = TaskId::new(id, *number);
        if place < NOTES_MAX {
            let (kind, text) = change.words();
            engine.note(&task, &Note { kind, attempt: None, text })?;
        }
        make(engine, &examined.process, &task, *change)?;
    }
    let mut ill: BTreeMap<i64, Finding> = examined.ill().collect();
    let rest = ill.keys().nth(AT_ONCE).copied().map(|first| ill.split_off(&first));
    for (place, (number, finding)) in ill.into_iter().enumerate() {
        let task = TaskId::new(id, number);
        if repair(engine, &task, finding)? && place < NOTES_MAX {
            engine.note(&task, &Note { kind: "requeued", attempt: None, text: finding.text() })?;
        }
    }
    let next = if rest.is_some() { now } else { now.plus_ms(rules.process_timeout_ms) };
    if let Some(held) = engine.hold(id)?
        && held.process.recovery.is_some_and(|due| due <= now || next <= now)
    {
        (held.process.recovery, held.process_changed) = (Some(next), true);
    }
    Ok(())
}

/// Does what the graph says of a task.
fn make(engine: &mut Engine<'_, '_>, process: &Process, id: &TaskId, change: Change) -> OpResult<()> {
    match change {
        Change::Applied => Ok(()),
        Change::TakenIn | Change::Again | Change::WaitsAgain => drop_early(engine, id),
        Change::BrokenOff => {
            let error = Decision::find(engine.tx, id)?.and_then(|decision| decision.error).unwrap_or_default();
            engine.break_off(id, &error)
        }
        Change::Promised(other) => write_promise(engine, id, other),
        Change::BrokenAgain => {
            let error = process.error.clone().unwrap_or_else(|| lost(id));
            write_broken(engine, id, &error)
        }
        Change::StartAgain => start_again(engine, process, id),
        Change::Missing => give_up(engine, id),
    }
}

/// A task that is not ready is in no queue: it is put there when it is.
fn drop_early(engine: &mut Engine<'_, '_>, id: &TaskId) -> OpResult<()> {
    let held = engine.hold(&id.process)?;
    let is_ready = held.is_none_or(|held| held.graph.open.get(&id.number).is_none_or(|item| item.ready.is_some()));
    let registered = Decision::find(engine.tx, id)?.filter(|found| found.state == State::Registered && !is_ready);
    if let Some(decision) = registered {
        row::dequeue(engine.tx, &decision.queue, decision.queued, id)?;
        Decision::remove(engine.tx, id)?;
    }
    Ok(())
}

fn lost(id: &TaskId) -> ErrorForm {
    ErrorForm::new("Inconsistent", format!("task {id} is missing"))
}

fn write_promise(engine: &mut Engine<'_, '_>, id: &TaskId, other: i64) -> OpResult<()> {
    let made = Task::laid_out(engine.tx, id)?.into_iter().map(|(_, number)| number).collect();
    let tasks = Made { made, as_other: Some(other) }.text();
    write_ending(engine, id, &Ending { tasks, ..Ending::default() })
}

fn write_broken(engine: &mut Engine<'_, '_>, id: &TaskId, error: &ErrorForm) -> OpResult<()> {
    write_ending(engine, id, &Ending { error: Some(error), broken: true, ..Ending::default() })
}

fn write_ending(engine: &mut Engine<'_, '_>, id: &TaskId, ending: &Ending<'_>) -> OpResult<()> {
    let (now, at) = (engine.cx.heard, engine.cx.wall);
    let (name, attempt) = match Task::find(engine.tx, id)? {
        Some(task) => (queue(&task.actor, &task.list), task.attempt),
        None => (String::new(), 0),
    };
    Decision::finish(engine.tx, id, (&name, now), attempt, ending, at)
}

/// The first task of a process is missing (case 7): the process tells what it was.
fn start_again(engine: &mut Engine<'_, '_>, process: &Process, id: &TaskId) -> OpResult<()> {
    let decision = Decision::find(engine.tx, id)?;
    let attempt = decision.as_ref().map_or(0, |decision| decision.attempt);
    // One that cannot be read may still be there.
    Task::remove(engine.tx, id)?;
    engine.lay_out_start(&process.id, process.first, &process.start_form()?, attempt)?;
    if decision.is_none()
        && let Some(item) = engine.hold(&process.id)?.and_then(|held| held.graph.open.get_mut(&id.number))
    {
        // It becomes ready once more, and is queued.
        item.ready = None;
    }
    Ok(())
}

/// A task is missing, and nothing tells what it was: the process is broken.
fn give_up(engine: &mut Engine<'_, '_>, id: &TaskId) -> OpResult<()> {
    if let Some(decision) = Decision::find(engine.tx, id)?.filter(|found| found.state == State::Registered) {
        row::dequeue(engine.tx, &decision.queue, decision.queued, id)?;
    }
    if let Some(held) = engine.hold(&id.process)? {
        held.graph.done.remove(&id.number);
        held.graph.open.entry(id.number).or_default();
    }
    write_broken(engine, id, &lost(id))?;
    engine.break_off(id, &lost(id))
}

/// Repairs a ready task; whether it still needed it.
fn repair(engine: &mut Engine<'_, '_>, id: &TaskId, finding: Finding) -> OpResult<bool> {
    let Some(task) = engine.task(id)? else { return Ok(false) };
    let (decision, now) = (Decision::find(engine.tx, id)?, engine.cx.heard);
    match (finding, decision) {
        (Finding::NotQueued, None) => engine.queue_up(&task, Some(now)).map(|()| true),
        (Finding::NotBegun, _) => engine.begin_now(id).map(|()| true),
        (Finding::Dropped, Some(decision))
            if decision.state == State::Registered || mutants::on(Mutant::WorkflowWorkQueuedAgain) =>
        {
            let rules = engine.actor(&task.actor)?.for_task(task.timeout_ms);
            let is_queued = row::is_queued(engine.tx, &decision.queue, decision.queued, id)?;
            if (is_queued && !mutants::on(Mutant::WorkflowBacklogQueuedAgain))
                || !decision.register(engine.tx, (now, rules.queued_until(now)), Some(now), None)?
            {
                return Ok(false);
            }
            engine.queue_again(&task, now).map(|()| true)
        }
        _ => Ok(false),
    }
}

/// A process could not be examined: it is put off, and told (WFL-11).
pub(super) fn put_off(tx: &mut dyn Tx, cx: &mut OpCx<'_>, process: &str, error: &str, pause_ms: i64) -> OpResult<()> {
    let (now, until) = (cx.heard, cx.heard.plus_ms(pause_ms));
    graph_later(tx, process, until, now)?;
    process_later(tx, process, until, now)?;
    cx.fx.count(RECOVERIES, crate::engine::AUTOMATIC, &[(Field::Errors, 1)]);
    cx.fx.journal(
        "workflow-recovery",
        process,
        format!("it could not be examined, and is again in {pause_ms} ms: {error}"),
    );
    Ok(())
}
