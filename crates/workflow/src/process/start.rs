//! Starts a process (WFL-2): with its first task in its queue, in one commit.

use base::mutants::{self, Mutant};
use base::{Keys, OpError, OpResult, Tx, codes};
use kernel::counters::Field;
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::row::{Process, State};
use crate::codes::AWORKFLOW;
use crate::engine::{Engine, TYPES};
use crate::graph::Graph;
use crate::measures::Count;
use crate::names::{TaskId, check_text, check_word};
use crate::task::TaskForm;
use crate::task::row::Task;

/// Starts a process.
pub static START: Op<Start, Started> = Op::new("workflow.start", start).keyed(|_| Keys::NONE);

/// A process that is asked for.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowStart)]
pub struct Start {
    /// Its type: what holds for its kind, and what it is found by.
    #[serde(rename = "type")]
    #[schema(example = "order")]
    pub kind: String,
    /// An id of yours, by which it is found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_id: Option<String>,
    /// At most one process of the type is started with this key: the same again is answered the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The task that it begins with.
    pub start: TaskForm,
}

/// It is durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = WorkflowStarted)]
pub struct Started {
    /// Its id.
    pub process_id: String,
}

impl Start {
    /// Refuses what cannot be.
    ///
    /// # Errors
    /// `AWORKFLOW`, `ALIMIT`.
    pub fn check(&self) -> OpResult<()> {
        check_word("type", &self.kind)?;
        self.custom_id.iter().try_for_each(|id| check_text("custom_id", id))?;
        self.key.iter().try_for_each(|key| check_text("key", key))?;
        self.start.check()?;
        if self.key.as_ref().is_some_and(|key| key.starts_with('@')) {
            return Err(OpError::new(AWORKFLOW, "a key does not begin with @"));
        }
        if !self.start.wait_for.is_empty() || self.start.args.iter().any(|argument| argument.promise.is_some()) {
            return Err(OpError::new(AWORKFLOW, "the first task has nothing to wait for"));
        }
        Ok(())
    }
}

fn start(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &Start) -> OpResult<Started> {
    wanted.check()?;
    let text = serde_json::to_string(&wanted.start).unwrap_or_default();
    let key = wanted.key.as_ref().filter(|_| !mutants::on(Mutant::WorkflowKeyIgnored));
    if let Some(key) = key
        && let Some((process_id, start, custom_id)) = Process::by_key(tx, &wanted.kind, key)?
    {
        if start != text || custom_id != wanted.custom_id {
            return Err(OpError::new(
                codes::AKEYREUSED,
                format!("a process `{process_id}` was started with this key and is another"),
            ));
        }
        return Ok(Started { process_id });
    }
    let mut engine = Engine::new(tx, cx);
    let process_id = engine.cx.id().to_string();
    begin(&mut engine, (&process_id, wanted, text), None, key.map(String::as_str))?;
    engine.settle()?;
    Ok(Started { process_id })
}

/// Starts a process for the server itself, at most one of its type with this key, which begins with @; its id, and whether it is new.
pub(crate) fn start_once(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &Start, key: &str) -> OpResult<(String, bool)> {
    if let Some((known, ..)) = Process::by_key(tx, &wanted.kind, key)? {
        return Ok((known, false));
    }
    let text = serde_json::to_string(&wanted.start).unwrap_or_default();
    let mut engine = Engine::new(tx, cx);
    let id = engine.cx.id().to_string();
    begin(&mut engine, (&id, wanted, text), None, Some(key))?;
    engine.settle()?;
    Ok((id, true))
}

/// Starts a process that a task of another one stands for.
pub(crate) fn new_process(
    engine: &mut Engine<'_, '_>,
    wanted: &Start,
    parent: Option<(&TaskId, &str)>,
) -> OpResult<()> {
    let id = engine.cx.id().to_string();
    let text = serde_json::to_string(&wanted.start).unwrap_or_default();
    begin(engine, (&id, wanted, text), parent.map(|(task, _)| task), parent.map(|(_, key)| key))
}

fn begin(
    engine: &mut Engine<'_, '_>,
    (id, wanted, start): (&str, &Start, String),
    parent: Option<&TaskId>,
    key: Option<&str>,
) -> OpResult<()> {
    let rules = engine.kind(&wanted.kind)?;
    let process = Process {
        id: id.to_owned(),
        kind: wanted.kind.clone(),
        custom_id: wanted.custom_id.clone(),
        starter: wanted.start.actor.clone(),
        start,
        first: 1,
        parent: parent.cloned(),
        state: State::Active,
        started_at: engine.cx.wall,
        ended_at: None,
        changed: engine.cx.heard,
        value: None,
        error: None,
        // Early: whatever goes wrong here shows soon (WFL-14).
        recovery: Some(engine.cx.heard.plus_ms(rules.idle_timeout_ms)),
    };
    process.insert(engine.tx, key)?;
    engine.cx.fx.count(TYPES, &wanted.kind, &[(Field::Sent, 1)]);
    engine.tally.one(Count::ProcessStarted);
    engine.lay_out_start(id, process.first, &wanted.start, 0)?;
    let graph = unripe(process.first);
    engine.begin(process, graph);
    Ok(())
}

/// A graph of one task that is not ready yet: whoever carries the process on makes it so.
pub(crate) fn unripe(number: i64) -> Graph {
    let mut graph = Graph { next: number, ..Graph::default() };
    graph.lay_out(number, &[].into());
    graph
}

/// The start that the argument of a task says: `@process` with its type as method, and `{custom_id?, start}` as its first argument.
pub(crate) struct ChildStart(Start);

impl ChildStart {
    pub(crate) fn of(task: &Task) -> OpResult<Self> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Argument {
            #[serde(default)]
            custom_id: Option<String>,
            start: TaskForm,
        }
        let none = || OpError::new(AWORKFLOW, "the argument of @process is {custom_id?, start}");
        let value = task.args.0.first().and_then(|argument| argument.value.as_ref()).ok_or_else(none)?;
        let argument: Argument = serde_json::from_str(value.get()).map_err(|_| none())?;
        let start =
            Start { kind: task.method.clone(), custom_id: argument.custom_id, key: None, start: argument.start };
        start.check().map(|()| Self(start))
    }

    pub(crate) fn wanted(&self) -> &Start {
        &self.0
    }
}
