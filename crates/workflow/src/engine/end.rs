//! Tasks end, with a value, as another, or with an error (WFL-7, WFL-8); with the last of them the process does.

use std::collections::BTreeSet;

use base::OpResult;
use kernel::counters::Field;
use serde::{Deserialize, Serialize};

use super::{Engine, Layout, Note};
use crate::decision::next::{Failure, State as Stands, failed};
use crate::decision::row::{self, Decision, Ending};
use crate::graph::Ended;
use crate::measures::{Count, Time};
use crate::names::{TaskId, queue};
use crate::process::row::State;
use crate::task::ErrorForm;
use crate::task::row::Task;

/// The kind under which actors are counted over time.
pub(crate) const ACTORS: &str = "workflow-actor";
/// The kind under which types of processes are.
pub(crate) const TYPES: &str = "workflow-type";

/// What is kept of a decision beside its value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Made {
    /// The tasks that it laid out.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) made: BTreeSet<i64>,
    /// The task whose result is its result.
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
    pub(crate) as_other: Option<i64>,
}

impl Made {
    pub(crate) fn read(text: Option<&str>) -> Self {
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    pub(crate) fn text(&self) -> Option<String> {
        (*self != Self::default()).then(|| serde_json::to_string(self).unwrap_or_default())
    }
}

/// How a task ended.
pub(crate) enum Outcome<'a> {
    /// With a value, and these tasks if there are any.
    Value(&'a str, Option<Layout>),
    /// As another, with these tasks if there are any.
    As(i64, Option<Layout>),
    /// With an error.
    Error(ErrorForm),
}

impl Engine<'_, '_> {
    /// A task ends; its process is held. `decision`: as it was found, if it was.
    pub(crate) fn end(
        &mut self,
        task: &Task,
        decision: Option<&Decision>,
        attempt: i64,
        outcome: Outcome<'_>,
    ) -> OpResult<()> {
        match outcome {
            Outcome::Value(value, layout) => {
                self.end_well(task, decision, attempt, (Some(value), Ended::Itself), layout)
            }
            Outcome::As(other, layout) => self.end_well(task, decision, attempt, (None, Ended::As(other)), layout),
            Outcome::Error(error) => self.end_badly(task, decision, attempt, &error),
        }
    }

    fn end_well(
        &mut self,
        task: &Task,
        decision: Option<&Decision>,
        attempt: i64,
        (value, ended): (Option<&str>, Ended),
        layout: Option<Layout>,
    ) -> OpResult<()> {
        let as_other = match ended {
            Ended::As(other) => Some(other),
            Ended::Itself => None,
        };
        let made = Made { made: layout.as_ref().map(Layout::numbers).unwrap_or_default(), as_other };
        let failures = decision.map_or(0, |decision| decision.failures);
        self.keep_ending(
            task,
            decision,
            attempt,
            &Ending { value, tasks: made.text(), failures, ..Ending::default() },
        )?;
        self.cx.fx.count(ACTORS, &task.actor, &[(Field::Processed, 1)]);
        self.tally.one(Count::TaskDone);
        self.worked(decision);
        layout.map_or(Ok(()), |layout| self.lay_out(layout))?;
        self.finish_in_graph(&task.id, ended)
    }

    /// An error: tried again, accepted, or the end of the process for now.
    fn end_badly(&mut self, task: &Task, decision: Option<&Decision>, attempt: i64, error: &ErrorForm) -> OpResult<()> {
        let error = error.bounded();
        let failures = decision.map_or(0, |decision| decision.failures) + 1;
        let first_queued = decision.map_or(self.cx.wall, |decision| decision.ready_at);
        let age_ms = self.cx.wall.0.saturating_sub(first_queued.0);
        let text = format!("{}: {}", error.class, error.message);
        self.note(&task.id, &Note { kind: "failed", attempt: Some(attempt), text: &text })?;
        self.cx.fx.count(ACTORS, &task.actor, &[(Field::Errors, 1)]);
        self.worked(decision);
        match (failed(task.more.retry.as_ref(), failures, &error.class, age_ms, task.accept_fail), decision) {
            (Failure::Again { pause_ms }, Some(decision)) => self.try_again(task, decision, &error, pause_ms),
            (Failure::Again { .. }, None) => self.queue_up(task, Some(self.cx.heard)),
            (Failure::Accepted, _) => {
                self.keep_ending(
                    task,
                    decision,
                    attempt,
                    &Ending { error: Some(&error), failures, ..Ending::default() },
                )?;
                self.finish_in_graph(&task.id, Ended::Itself)
            }
            (Failure::Broken, _) => {
                let ending = Ending { error: Some(&error), failures, broken: true, ..Ending::default() };
                self.keep_ending(task, decision, attempt, &ending)?;
                self.break_off(&task.id, &error)
            }
        }
    }

    /// Somebody had it, and it is over or goes back.
    fn worked(&mut self, decision: Option<&Decision>) {
        let taken = decision.filter(|decision| decision.state == Stands::Work).and_then(|decision| decision.taken);
        let ms = taken.map(|taken| self.cx.heard.0.saturating_sub(taken.0));
        ms.into_iter().for_each(|ms| self.tally.took(Time::Work, ms));
    }

    fn try_again(&mut self, task: &Task, decision: &Decision, error: &ErrorForm, pause_ms: i64) -> OpResult<()> {
        let at = self.cx.heard.plus_ms(pause_ms);
        let rules = self.actor(&task.actor)?.for_task(task.timeout_ms);
        if decision.state == Stands::Registered {
            // Its time ended in its queue: it leaves its place, else it would be given out before the pause is over.
            row::dequeue(self.tx, &decision.queue, decision.queued, &task.id)?;
        }
        if decision.register(self.tx, (at, rules.queued_until(at)), None, Some(error))? {
            self.cx.fx.count(ACTORS, &task.actor, &[(Field::Retries, 1)]);
            self.tally.one(Count::TaskRetried);
            self.queue_again(task, at)?;
            self.touch(&task.id.process);
        }
        Ok(())
    }

    /// Keeps that a task is over, and takes it out of its queue.
    fn keep_ending(
        &mut self,
        task: &Task,
        decision: Option<&Decision>,
        attempt: i64,
        ending: &Ending<'_>,
    ) -> OpResult<()> {
        let own = queue(&task.actor, &task.list);
        let (queue, queued) =
            decision.map_or((own.as_str(), self.cx.heard), |decision| (decision.queue.as_str(), decision.queued));
        if decision.is_some_and(|decision| decision.state == Stands::Registered) {
            row::dequeue(self.tx, queue, queued, &task.id)?;
        }
        Decision::finish(self.tx, &task.id, (queue, queued), attempt, ending, self.cx.wall)
    }

    /// Tells the graph that a task is over.
    pub(crate) fn finish_in_graph(&mut self, id: &TaskId, ended: Ended) -> OpResult<()> {
        if let Some(held) = self.hold(&id.process)? {
            held.graph.finish(id.number, ended)?;
        }
        self.touch(&id.process);
        Ok(())
    }

    /// A task is interrupted, and with it the process is broken.
    pub(crate) fn break_off(&mut self, id: &TaskId, error: &ErrorForm) -> OpResult<()> {
        let now = self.cx.heard;
        let Some(held) = self.hold(&id.process)? else { return Ok(()) };
        held.graph.break_off(id.number);
        let was_active = held.process.state == State::Active;
        if was_active {
            held.process.state = State::Broken;
            held.process.error = Some(error.clone());
            held.process.changed = now;
            held.process_changed = true;
            let kind = held.process.kind.clone();
            self.cx.fx.count(TYPES, &kind, &[(Field::Errors, 1)]);
            self.tally.one(Count::ProcessBroken);
            let message = format!("A process of type {kind} is broken: task {id}, {}: {}", error.class, error.message);
            self.cx.fx.open_alert(format!("workflow-broken/{kind}"), "workflow-broken", message);
        }
        self.touch(&id.process);
        Ok(())
    }

    /// All tasks of a process are done.
    pub(super) fn end_process(&mut self, process: &str) -> OpResult<()> {
        let (now, at) = (self.cx.heard, self.cx.wall);
        let Some(held) = self.held.get_mut(process) else { return Ok(()) };
        let last = TaskId::new(process, held.graph.resolved(held.process.first));
        let decision = Decision::find(self.tx, &last)?;
        let is_over = |found: &Decision| found.state == Stands::Finish && found.broken_at.is_none();
        // Its result is lost: whoever looks after the process has it made again.
        let Some(decision) = decision.filter(is_over) else { return self.miss(&last) };
        let process = &mut held.process;
        (process.value, process.error) = (decision.value, decision.error);
        (process.state, process.ended_at, process.changed, process.recovery) = (State::Finished, Some(at), now, None);
        (held.changed, held.process_changed) = (true, true);
        let (kind, parent) = (process.kind.clone(), process.parent.clone());
        let ended = process.clone();
        self.cx.fx.count(TYPES, &kind, &[(Field::Processed, 1)]);
        self.tally.one(Count::ProcessFinished);
        self.tally.took(Time::Process, at.0.saturating_sub(ended.started_at.0));
        parent.map_or(Ok(()), |parent| self.end_parent(&parent, &ended))
    }
}
