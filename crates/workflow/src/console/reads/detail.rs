//! One task with all that is known of it.

use base::{Heard, OpResult, Tx};
use kernel::Query;

use super::lines::Stands;
use crate::decision::next::{ActorRules, State};
use crate::decision::row::Decision;
use crate::engine::Made;
use crate::names::{PROCESS, TaskId, is_own};
use crate::process::row::Process;
use crate::task::row::Task;

/// A task of a process, if it is there.
pub(in super::super) static DETAIL: Query<TaskId, Option<Detail>> = Query::new("workflow.page_detail", detail);

/// A task, its decision, and what holds for it.
#[derive(Debug, Clone)]
pub(in super::super) struct Detail {
    pub(in super::super) task: Task,
    pub(in super::super) decision: Option<Decision>,
    pub(in super::super) rules: ActorRules,
    /// The process that it stands for.
    pub(in super::super) child: Option<String>,
    /// Listening time, in which its deadline is told.
    pub(in super::super) now: Heard,
}

impl Detail {
    pub(in super::super) fn stands(&self) -> Stands {
        let state = self.decision.as_ref().map(|decision| match decision.state {
            State::Registered => "REGISTERED",
            State::Work => "WORK",
            State::Finish => "FINISH",
        });
        let decision = self.decision.as_ref();
        let has_error = decision.is_some_and(|decision| decision.error.is_some());
        let is_broken = decision.is_some_and(|decision| decision.broken_at.is_some());
        Stands::of(state, is_own(&self.task.actor), has_error, is_broken)
    }

    /// The task whose result is its result.
    pub(in super::super) fn same_as(&self) -> Option<i64> {
        Made::read(self.decision.as_ref().and_then(|decision| decision.tasks.as_deref())).as_other
    }
}

fn detail(tx: &mut dyn Tx, id: &TaskId) -> OpResult<Option<Detail>> {
    let Some(task) = Task::find(tx, id)? else { return Ok(None) };
    let rules = crate::actors::rules::of_actor(tx, &task.actor)?.for_task(task.timeout_ms);
    let child = match task.actor.as_str() {
        PROCESS => Process::by_key(tx, &task.method, &format!("@{id}"))?.map(|(child, ..)| child),
        _ => None,
    };
    Ok(Some(Detail { decision: Decision::find(tx, id)?, rules, child, now: tx.heard(), task }))
}
