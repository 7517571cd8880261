//! Why a process does not go on (WFL-27): what is found of its ready tasks, the worst first.

use std::collections::BTreeMap;

use base::{OpResult, Tx, Wall};
use kernel::{Home, Query};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::examine::Sight;
use super::judge::Finding;
use crate::actors::polled::Polls;
use crate::decision::row::Decision;
use crate::engine::kept;
use crate::graph::Graph;
use crate::names::TaskId;
use crate::process::row::{Process, State};
use crate::task::row::Task;

/// Ready tasks that are looked at: more say nothing else.
const TASKS_MAX: usize = 100;

/// Why a process does not go on, by its id; nothing: it is over.
pub static VERDICT: Query<String, Option<VerdictView>> = Query::at_home("workflow.verdict", |tx, home, id| {
    let process = Process::get(tx, id)?;
    verdict(tx, home, &process)
});

/// Why a process does not go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerdictView {
    /// `nobody-polls`, `backlog`, `in-work`, `silent`, `not-applied`, `not-queued`, `missing`, `waits-promise`, `waits-signal`,
    /// `waits-time`, `waits-process` or `broken`.
    #[schema(example = "nobody-polls")]
    pub verdict: String,
    /// The task that this is said of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// For people.
    pub text: String,
}

impl VerdictView {
    fn of(verdict: &str, task: Option<&TaskId>, text: impl Into<String>) -> Option<Self> {
        Some(Self { verdict: verdict.into(), task_id: task.map(ToString::to_string), text: text.into() })
    }
}

/// Why a process does not go on.
pub(crate) fn verdict(tx: &mut dyn Tx, home: &Home, process: &Process) -> OpResult<Option<VerdictView>> {
    if process.state.is_over() {
        return Ok(None);
    }
    let Some((_, graph)) = kept(tx, &process.id)? else {
        return Ok(VerdictView::of("missing", None, "its graph is missing: it is made anew soon"));
    };
    if process.state == State::Broken {
        let broken =
            graph.open.iter().find(|(_, item)| item.broken).map(|(number, _)| TaskId::new(&process.id, *number));
        let error = process.error.clone().unwrap_or_default();
        return Ok(VerdictView::of("broken", broken.as_ref(), format!("{}: {}", error.class, error.message)));
    }
    let worst = worst(tx, home, &process.id, &graph)?;
    Ok(match worst {
        Some((finding, id)) => VerdictView::of(finding.word(), Some(&id), finding.text()),
        None => of_waiting(&process.id, &graph),
    })
}

fn worst(tx: &mut dyn Tx, home: &Home, process: &str, graph: &Graph) -> OpResult<Option<(Finding, TaskId)>> {
    let (polls, now) = (home.memory::<Polls>(), tx.heard());
    // A time that has not come is told by the task alone: who reads has no calendar.
    let mut sight = Sight { tx, polls: &polls, wall: Wall(i64::MIN), now, queues: BTreeMap::new() };
    let mut worst: Option<(Finding, TaskId)> = None;
    for (number, ready) in graph.ready().take(TASKS_MAX) {
        let id = TaskId::new(process, number);
        let (task, decision) = (Task::find(sight.tx, &id)?, Decision::find(sight.tx, &id)?);
        let finding = sight.judge(&id, ready, task.as_ref(), decision.as_ref())?;
        if worst.as_ref().is_none_or(|(known, _)| rank(finding) < rank(*known)) {
            worst = Some((finding, id));
        }
    }
    Ok(worst)
}

/// What is told rather.
fn rank(finding: Finding) -> u8 {
    match finding {
        Finding::Missing => 0,
        Finding::NotApplied => 1,
        Finding::NotQueued | Finding::Dropped | Finding::NotBegun => 2,
        Finding::Silent => 3,
        Finding::NobodyPolls => 4,
        Finding::Backlog => 5,
        Finding::Next => 6,
        Finding::InWork => 7,
        Finding::Waits(_) => 8,
    }
}

/// Nothing of it is ready.
fn of_waiting(process: &str, graph: &Graph) -> Option<VerdictView> {
    let Some((number, item)) = graph.open.first_key_value() else {
        return VerdictView::of("not-applied", None, "all its tasks are done: it is finished soon");
    };
    let waits: Vec<String> = item.waits.iter().take(10).map(|wait| TaskId::new(process, *wait).to_string()).collect();
    let text = format!("it waits for the result of {}", waits.join(", "));
    VerdictView::of("waits-promise", Some(&TaskId::new(process, *number)), text)
}
