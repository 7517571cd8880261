//! Lays out tasks (WFL-3, WFL-5): all that a decision says is planned beside the graph first, and refused before anything changes.

use std::collections::{BTreeMap, BTreeSet};

use base::{OpError, OpResult, codes};

use super::Engine;
use crate::codes::{AGRAPH, AWORKFLOW};
use crate::graph::Graph;
use crate::names::{TaskId, short};
use crate::task::row::{More, TASKS_MAX, Task};
use crate::task::{Argument, TaskForm};

/// Tasks that one decision may lay out.
pub(crate) const TASKS_AT_ONCE: usize = 1_500;

/// Tasks to be laid out.
#[derive(Default)]
pub(crate) struct Layout {
    /// Those that are new.
    tasks: Vec<Task>,
    /// The numbers of all of them, by the ids that the decision gives.
    names: BTreeMap<String, i64>,
    process: String,
}

impl Layout {
    /// Plans the tasks of a decision. `before`: what an earlier decision of the same task laid out that got lost; the same ids are the
    /// same tasks.
    pub(crate) fn plan(
        graph: &Graph,
        parent: &TaskId,
        forms: &[TaskForm],
        before: &[(Option<String>, i64)],
    ) -> OpResult<Self> {
        let mut layout = Self { process: parent.process.clone(), ..Self::default() };
        layout.name(graph, forms, before)?;
        for (place, form) in forms.iter().enumerate() {
            form.check()?;
            let number = layout.names[&local(form, place)];
            if graph.knows(number) {
                continue;
            }
            let task = layout.task(graph, parent, form, local(form, place), number)?;
            layout.tasks.push(task);
        }
        // Only now: they may refer to each other in any order.
        graph.check_new(&layout.waits())?;
        Ok(layout)
    }

    /// What each of the new ones waits for.
    fn waits(&self) -> BTreeMap<i64, BTreeSet<i64>> {
        self.tasks.iter().map(|task| (task.id.number, task.waits())).collect()
    }

    /// Gives each a number.
    fn name(&mut self, graph: &Graph, forms: &[TaskForm], before: &[(Option<String>, i64)]) -> OpResult<()> {
        if forms.len() > TASKS_AT_ONCE {
            return Err(OpError::new(
                codes::ALIMIT,
                format!("{} tasks in one decision, at most {TASKS_AT_ONCE}", forms.len()),
            ));
        }
        let known = graph.open.len() + graph.done.len();
        if known + forms.len() > TASKS_MAX {
            return Err(OpError::new(
                codes::ALIMIT,
                format!("a process has at most {TASKS_MAX} tasks: start another one"),
            ));
        }
        let before: BTreeMap<&str, i64> =
            before.iter().filter_map(|(local, number)| Some((local.as_deref()?, *number))).collect();
        let mut next = graph.next;
        for (place, form) in forms.iter().enumerate() {
            if form.id.as_ref().is_some_and(|id| id.starts_with('#')) {
                return Err(OpError::new(AWORKFLOW, "the id of a task does not begin with #"));
            }
            let local = local(form, place);
            let number = before.get(local.as_str()).copied().unwrap_or(next);
            next = next.max(number + 1);
            if self.names.insert(local.clone(), number).is_some() {
                return Err(OpError::new(AWORKFLOW, format!("two tasks are called `{}`", short(&local))));
            }
        }
        Ok(())
    }

    fn task(&self, graph: &Graph, parent: &TaskId, form: &TaskForm, local: String, number: i64) -> OpResult<Task> {
        let kept = |argument: &Argument| {
            let promise = argument.promise.as_ref().map(|name| self.number_of(graph, name)).transpose()?;
            Ok(crate::task::KeptArgument { value: argument.value.clone(), promise })
        };
        let args = form.args.iter().map(kept).collect::<OpResult<Vec<_>>>()?;
        let wait_for =
            form.wait_for.iter().map(|name| self.number_of(graph, name)).collect::<OpResult<BTreeSet<_>>>()?;
        Ok(Task {
            id: TaskId::new(&parent.process, number),
            parent: parent.number,
            local: Some(local),
            actor: form.actor.clone(),
            list: form.task_list.clone().unwrap_or_default(),
            method: form.method.clone(),
            attempt: 0,
            accept_fail: form.accept_fail,
            timeout_ms: form.timeout_ms,
            start_at: form.starts_at()?,
            more: More { retry: form.retry.clone(), wait_for, key: form.key.clone(), dropped: 0 },
            args: crate::task::Args(args),
        })
    }

    /// The task that a name means: one of this decision, or one of the process by its task id.
    pub(crate) fn number_of(&self, graph: &Graph, name: &str) -> OpResult<i64> {
        if let Some(number) = self.names.get(name) {
            return Ok(*number);
        }
        let known = name.parse::<TaskId>().ok().filter(|id| id.process == self.process && graph.knows(id.number));
        let unknown = || OpError::new(AGRAPH, format!("`{}` is no task of this decision or this process", short(name)));
        known.map(|id| id.number).ok_or_else(unknown)
    }

    /// Refuses a promise of what waits for the one who promises.
    pub(crate) fn check_promise(&self, graph: &Graph, number: i64, other: i64) -> OpResult<()> {
        graph.check_promise(number, other, &self.waits())
    }

    /// The numbers of all that the decision laid out.
    pub(crate) fn numbers(&self) -> BTreeSet<i64> {
        self.names.values().copied().collect()
    }
}

/// What a task is called in its decision; those that were given no id by their place.
fn local(form: &TaskForm, place: usize) -> String {
    form.id.clone().unwrap_or_else(|| format!("#{place}"))
}

impl Engine<'_, '_> {
    /// Carries a plan out, in a process that is held.
    pub(crate) fn lay_out(&mut self, layout: Layout) -> OpResult<()> {
        let Layout { tasks, process, .. } = layout;
        for task in tasks {
            task.insert(self.tx)?;
            if let Some(held) = self.held.get_mut(&process) {
                held.graph.lay_out(task.id.number, &task.waits());
            }
            self.fresh.insert(task.id.clone(), task);
        }
        self.touch(&process);
        Ok(())
    }

    /// Lays out the task that a process begins with, which was given out so often before.
    pub(crate) fn lay_out_start(&mut self, process: &str, number: i64, form: &TaskForm, attempt: i64) -> OpResult<()> {
        let nobody = Graph::default();
        let task = Layout::default().task(&nobody, &TaskId::new(process, 0), form, local(form, 0), number)?;
        let task = Task { attempt, ..task };
        task.insert(self.tx)?;
        self.fresh.insert(task.id.clone(), task);
        Ok(())
    }
}
