//! The tasks of a process with what became of them, and its history (WFL-23).

use std::collections::BTreeMap;

use base::{OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::row::Process;
use crate::decision::next::State;
use crate::decision::row::Decision;
use crate::engine::Made;
use crate::names::TaskId;
use crate::task::ErrorForm;
use crate::task::row::Task;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&LINES];

/// Lines of a history that are shown.
const LINES_MAX: usize = 1_000;

static LINES: Sql = Sql::new(
    "wfl_history.of_process",
    "SELECT number, attempt, at, kind, source, text FROM wfl_history WHERE process = ?1 ORDER BY id DESC LIMIT 1000",
);

/// The tasks of a process.
pub static TASKS: Query<String, Vec<TaskView>> = Query::new("workflow.tasks", tasks);
/// The history of a process, newest first.
pub static HISTORY: Query<String, Vec<HistoryView>> = Query::new("workflow.history", history);

/// A task with what became of it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = WorkflowTask)]
pub struct TaskView {
    /// Its id.
    pub task_id: String,
    /// The task that laid it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// What that one called it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Who does it.
    pub actor: String,
    /// What is done.
    pub method: String,
    /// WAITING (for others, a time or a signal), REGISTERED, WORK, FINISH or BROKEN.
    pub state: String,
    /// How often it was given out.
    pub attempt: i64,
    /// Failed tries.
    pub failures: i64,
    /// Tasks that it waits for before it is ready.
    pub waits_for: Vec<String>,
    /// Its arguments.
    #[schema(value_type = Vec<Object>)]
    pub args: Box<RawValue>,
    /// Its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub value: Option<Box<RawValue>>,
    /// The task whose result is its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    /// Its error: the last, or the one that it ended with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorForm>,
    /// Who took it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// What its worker saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub checkpoint: Option<Box<RawValue>>,
    /// When it waited for no other task any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub ready_at: Option<String>,
    /// When it was last taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub taken_at: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub finished_at: Option<String>,
    /// Not before then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub start_at: Option<String>,
}

/// Something that happened beyond the usual.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = WorkflowHistory)]
pub struct HistoryView {
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Which attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<i64>,
    /// When.
    #[schema(format = DateTime)]
    pub at: String,
    /// What: `failed`, `late`, `work-timeout`, `requeued`, `restarted` …
    pub kind: String,
    /// Whose doing: `automatic`, an operator's job, a key.
    pub source: String,
    /// For people.
    pub text: String,
}

fn tasks(tx: &mut dyn Tx, process: &String) -> OpResult<Vec<TaskView>> {
    Process::get(tx, process)?;
    let decisions = Decision::of_process(tx, process)?;
    let mut decisions: BTreeMap<i64, Decision> =
        decisions.into_iter().map(|decision| (decision.id.number, decision)).collect();
    let tasks = Task::of_process(tx, process)?;
    Ok(tasks.into_iter().map(|task| view(&task, decisions.remove(&task.id.number))).collect())
}

fn view(task: &Task, decision: Option<Decision>) -> TaskView {
    let id = |number: i64| TaskId::new(&task.id.process, number).to_string();
    let raw = |text: Option<String>| text.and_then(|text| RawValue::from_string(text).ok());
    let at = |at: Option<Wall>| at.map(|at| at.rfc3339());
    let made = Made::read(decision.as_ref().and_then(|decision| decision.tasks.as_deref()));
    let state = match decision.as_ref().map(|decision| (decision.state, decision.broken_at.is_some())) {
        None => "WAITING",
        Some((State::Registered, _)) if crate::names::is_own(&task.actor) => "WAITING",
        Some((State::Registered, _)) => "REGISTERED",
        Some((State::Work, _)) => "WORK",
        Some((State::Finish, false)) => "FINISH",
        Some((State::Finish, true)) => "BROKEN",
    };
    let taken = |pick: fn(&Decision) -> Option<Wall>| at(decision.as_ref().and_then(pick));
    TaskView {
        task_id: task.id.to_string(),
        parent: (task.parent > 0).then(|| id(task.parent)),
        id: task.local.clone().filter(|local| !local.starts_with('#')),
        actor: task.actor.clone(),
        method: task.method.clone(),
        state: state.into(),
        attempt: task.attempt,
        failures: decision.as_ref().map_or(0, |decision| decision.failures),
        waits_for: task.waits().into_iter().map(id).collect(),
        args: RawValue::from_string(task.args.text()).unwrap_or_default(),
        same_as: made.as_other.map(id),
        ready_at: taken(|decision| Some(decision.ready_at)),
        taken_at: taken(|decision| decision.taken_at),
        finished_at: taken(|decision| decision.finished_at),
        start_at: at(task.start_at),
        value: raw(decision.as_ref().and_then(|decision| decision.value.clone())),
        checkpoint: raw(decision.as_ref().and_then(|decision| decision.checkpoint.clone())),
        worker: decision.as_ref().and_then(|decision| decision.worker.clone()),
        error: decision.and_then(|decision| decision.error),
    }
}

fn history(tx: &mut dyn Tx, process: &String) -> OpResult<Vec<HistoryView>> {
    Process::get(tx, process)?;
    let line = |row: &Row| HistoryView {
        task_id: row.opt_int(0).map(|number| TaskId::new(process, number).to_string()),
        attempt: row.opt_int(1),
        at: Wall(row.int(2)).rfc3339(),
        kind: row.text(3).to_owned(),
        source: row.text(4).to_owned(),
        text: row.text(5).to_owned(),
    };
    Ok(tx.query(&LINES, args![process], LINES_MAX)?.iter().map(line).collect())
}
