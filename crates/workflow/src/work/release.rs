//! Takes results in (WFL-6, WFL-7): each is accepted once, or refused with a reason and kept in the history as late.

use std::collections::BTreeSet;

use base::mutants::{self, Mutant};
use base::{Keys, OpError, OpResult, Tx, codes};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::decision::next::{Brought, Found, Refusal, judge};
use crate::decision::row::Decision;
use crate::engine::{Engine, Layout, Note, Outcome, TASKS_AT_ONCE};
use crate::graph::Graph;
use crate::names::TaskId;
use crate::task::row::Task;
use crate::task::{ErrorForm, TaskForm, check_value, promised};

/// Results of one call.
const RESULTS_MAX: usize = 500;

/// Takes results in.
pub static RELEASE: Op<Release, Released> = Op::new("workflow.release", release).keyed(keys).ending();

/// What a worker brings.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowRelease)]
pub struct Release {
    /// Results of any tasks, of any processes.
    pub results: Vec<Result>,
}

/// The result of a task.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = WorkflowResult)]
#[serde(deny_unknown_fields)]
pub struct Result {
    /// The task.
    pub task_id: String,
    /// The attempt that it was given out with.
    pub attempt: i64,
    /// The pass that it was given out with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<String>,
    /// Its value; `{"promise": id}`: the result of that task will be its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub value: Option<Box<RawValue>>,
    /// What went wrong instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorForm>,
    /// Tasks that it lays out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskForm>,
}

/// What became of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = WorkflowReleased)]
pub struct Released {
    /// In the same order.
    pub results: Vec<Verdict>,
}

/// What became of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = WorkflowVerdict)]
pub struct Verdict {
    /// The task.
    pub task_id: String,
    /// It counts.
    pub accepted: bool,
    /// Why it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

fn keys(release: &Release) -> Keys {
    let process = |result: &Result| result.task_id.split('.').next().unwrap_or_default().to_owned();
    let processes: BTreeSet<String> = release.results.iter().map(process).collect();
    Keys::of(processes.iter().map(|process| crate::contention(process)).collect())
}

impl Release {
    /// Refuses what is too much.
    ///
    /// # Errors
    /// `ALIMIT`.
    pub fn check(&self) -> OpResult<()> {
        if self.results.len() > RESULTS_MAX {
            return Err(OpError::new(
                codes::ALIMIT,
                format!("{} results in one call, at most {RESULTS_MAX}", self.results.len()),
            ));
        }
        let tasks: usize = self.results.iter().map(|result| result.tasks.len()).sum();
        if tasks > TASKS_AT_ONCE {
            return Err(OpError::new(codes::ALIMIT, format!("{tasks} tasks in one call, at most {TASKS_AT_ONCE}")));
        }
        Ok(())
    }
}

fn release(tx: &mut dyn Tx, cx: &mut OpCx<'_>, brought: &Release) -> OpResult<Released> {
    brought.check()?;
    let mut engine = Engine::new(tx, cx);
    let results = brought.results.iter().map(|result| take_in(&mut engine, result)).collect::<OpResult<_>>()?;
    engine.settle()?;
    Ok(Released { results })
}

/// What a result does not count for: refused by its own fault, or too late.
enum Not {
    Late(Refusal),
    Wrong(OpError),
}

fn take_in(engine: &mut Engine<'_, '_>, result: &Result) -> OpResult<Verdict> {
    let told = |accepted, reason| Verdict { task_id: result.task_id.clone(), accepted, reason };
    match accept(engine, result)? {
        Ok(()) => Ok(told(true, None)),
        Err(Not::Late(refusal)) => {
            note_late(engine, result, refusal)?;
            Ok(told(false, Some(refusal.reason().into())))
        }
        Err(Not::Wrong(error)) => Ok(told(false, Some(error.message))),
    }
}

fn accept(engine: &mut Engine<'_, '_>, result: &Result) -> OpResult<std::result::Result<(), Not>> {
    let Ok(id) = result.task_id.parse::<TaskId>() else { return Ok(Err(Not::Late(Refusal::Unknown))) };
    let Some(task) = Task::find(engine.tx, &id)? else { return Ok(Err(Not::Late(Refusal::Unknown))) };
    // Whoever works as another actor is told no more than that.
    if !engine.cx.caller.may("actor", &task.actor) {
        return Ok(Err(Not::Late(Refusal::Unknown)));
    }
    let decision = Decision::find(engine.tx, &id)?;
    let accept_first = engine.actor(&task.actor)?.accept_first;
    let before = if result.tasks.is_empty() { vec![] } else { Task::laid_out(engine.tx, &id)? };
    let Some(held) = engine.hold(&id.process)? else { return Ok(Err(Not::Late(Refusal::Unknown))) };
    let found = Found {
        state: decision.as_ref().map(|decision| decision.state),
        attempt: task.attempt,
        pass: decision.as_ref().and_then(|decision| decision.pass.as_deref()),
        dropped: task.more.dropped,
    };
    let given = Brought { attempt: result.attempt, pass: result.pass.as_deref(), is_error: result.error.is_some() };
    if let Err(refusal) = judge(found, given, accept_first) {
        return Ok(Err(Not::Late(refusal)));
    }
    if held.process.state.is_over() && !mutants::on(Mutant::WorkflowAbortIgnored) {
        return Ok(Err(Not::Late(Refusal::ProcessEnded)));
    }
    match outcome(&held.graph, &id, result, &before) {
        Ok(outcome) => engine.end(&task, decision.as_ref(), result.attempt, outcome).map(Ok),
        Err(error) => Ok(Err(Not::Wrong(error))),
    }
}

/// What a result says, with all that could be wrong with it refused: nothing has changed yet.
fn outcome<'a>(
    graph: &Graph,
    id: &TaskId,
    result: &'a Result,
    before: &[(Option<String>, i64)],
) -> OpResult<Outcome<'a>> {
    if let Some(error) = &result.error {
        return Ok(Outcome::Error(error.clone()));
    }
    let value = result.value.as_deref().unwrap_or(RawValue::NULL);
    check_value(value)?;
    let promise = promised(value);
    if result.tasks.is_empty() && promise.is_none() {
        return Ok(Outcome::Value(value.get(), None));
    }
    let layout = Layout::plan(graph, id, &result.tasks, before)?;
    match promise {
        Some(name) => {
            let other = layout.number_of(graph, &name)?;
            layout.check_promise(graph, id.number, other)?;
            Ok(Outcome::As(other, Some(layout)))
        }
        None => Ok(Outcome::Value(value.get(), Some(layout))),
    }
}

fn note_late(engine: &mut Engine<'_, '_>, result: &Result, refusal: Refusal) -> OpResult<()> {
    let Ok(id) = result.task_id.parse::<TaskId>() else { return Ok(()) };
    if refusal == Refusal::Unknown {
        return Ok(());
    }
    let text = format!("a result of attempt {} was refused: {}", result.attempt, refusal.reason());
    engine.note(&id, &Note { kind: "late", attempt: Some(result.attempt), text: &text })
}
