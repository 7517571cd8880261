//! A task that waits for no other one: it is queued, or waits for its time, or the server does it itself.

use base::mutants::{self, Mutant};
use base::{Heard, OpResult, Wall};
use kernel::NewTask;

use super::Engine;
use crate::decision::row::{self, Decision};
use crate::names::{TaskId, is_own, queue};
use crate::task::row::Task;

/// The task of the kernel that begins a task of ours at its time.
pub(crate) const BEGIN: &str = "workflow.begin";

impl Engine<'_, '_> {
    /// A task, read once.
    pub(crate) fn task(&mut self, id: &TaskId) -> OpResult<Option<Task>> {
        match self.fresh.get(id) {
            Some(task) => Ok(Some(task.clone())),
            None => Task::find(self.tx, id),
        }
    }

    /// It waits for no other task.
    pub(crate) fn make_ready(&mut self, id: &TaskId) -> OpResult<()> {
        // A task that is lost is found by whoever looks after the process.
        let Some(task) = self.task(id)? else { return self.miss(id) };
        match task.start_at {
            Some(at) if at > self.cx.wall && !mutants::on(Mutant::WorkflowStartEarly) => self.begin_at(id, at),
            _ if is_own(&task.actor) => self.begin_own(&task),
            _ => self.queue_up(&task, None),
        }
    }

    /// Begins it at that moment of the calendar.
    pub(super) fn begin_at(&mut self, id: &TaskId, at: Wall) -> OpResult<()> {
        if mutants::on(Mutant::WorkflowTimerLost) {
            return Ok(());
        }
        let begin = NewTask::new(self.cx.id(), BEGIN).param(serde_json::Value::from(id.to_string()).to_string()).at(at);
        self.cx.fx.task(begin.info(format!("task {id}")));
        Ok(())
    }

    /// Puts it into its queue for the first time, or again if its decision was lost (`restarted`).
    pub(crate) fn queue_up(&mut self, task: &Task, restarted: Option<Heard>) -> OpResult<()> {
        let queue = queue(&task.actor, &task.list);
        let rules = self.actor(&task.actor)?.for_task(task.timeout_ms);
        let now = self.cx.heard;
        Decision::insert(self.tx, &task.id, (&queue, task.attempt), (now, rules.queued_until(now)), self.cx.wall)?;
        if restarted.is_some() {
            let found = Decision::find(self.tx, &task.id)?;
            if let Some(found) = found.filter(|found| found.state == crate::decision::next::State::Registered) {
                found.register(self.tx, (now, rules.queued_until(now)), restarted, None)?;
            }
        }
        row::enqueue(self.tx, &queue, now, &task.id)?;
        self.rung.insert(queue);
        Ok(())
    }

    /// Puts it back into its queue, to be taken after a pause.
    pub(crate) fn queue_again(&mut self, task: &Task, at: Heard) -> OpResult<()> {
        let queue = queue(&task.actor, &task.list);
        row::enqueue(self.tx, &queue, at, &task.id)?;
        if at <= self.cx.heard {
            self.rung.insert(queue);
        }
        Ok(())
    }

    /// Something of a process is lost: somebody looks after it at once.
    pub(crate) fn miss(&mut self, id: &TaskId) -> OpResult<()> {
        let now = self.cx.heard;
        if let Some(held) = self.held.get_mut(&id.process) {
            held.process.recovery = Some(now);
            held.process_changed = true;
            return Ok(());
        }
        crate::process::row::Process::look(self.tx, &id.process, now)
    }
}
