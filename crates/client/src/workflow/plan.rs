//! What a function came to: a value, or tasks that it lays out and the result that they will give.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::failure::Failure;
use super::task::{Argument, IntoArgument, Promise, Task};

/// The tasks of a decision. A function that has one as a parameter is a coordinator.
#[derive(Debug, Default)]
pub struct Plan {
    tasks: Vec<Task>,
}

impl Plan {
    /// Lays out a task; its result may be promised from now on.
    pub fn add(&mut self, task: Task) -> Promise {
        // The same in every attempt, so that a decision that is made again lays out the same tasks.
        let id = task.id.clone().unwrap_or_else(|| format!("t{}", self.tasks.len() + 1));
        self.tasks.push(task.named(&id));
        Promise { id }
    }

    /// The decision, with its own result: a value, or what one of the tasks will give.
    #[must_use]
    pub fn result(self, result: impl IntoArgument) -> Outcome {
        Outcome { result: result.argument(), tasks: self.tasks }
    }

    /// The decision; its own result is null.
    #[must_use]
    pub fn done(self) -> Outcome {
        self.result(())
    }
}

/// What a function came to.
#[derive(Debug)]
pub struct Outcome {
    result: Result<Argument, String>,
    tasks: Vec<Task>,
}

impl Outcome {
    /// A value and nothing else.
    pub fn value(value: impl Serialize) -> Self {
        Plan::default().result(value)
    }

    /// As it goes over the wire: the result's text and the tasks.
    pub(super) fn written(self) -> Result<(Box<RawValue>, Vec<Task>), Failure> {
        #[derive(Serialize)]
        struct Promised {
            promise: String,
        }
        let unwritable = |error: String| Failure::new("UnwritableResult", error);
        if let Some(task) = self.tasks.iter().find(|task| task.wrong.is_some()) {
            let (id, wrong) = (task.id.as_deref().unwrap_or_default(), task.wrong.as_deref().unwrap_or_default());
            return Err(unwritable(format!("task {id}: {wrong}")));
        }
        match self.result.map_err(unwritable)? {
            Argument::Value(value) => Ok((value, self.tasks)),
            Argument::Promise(promise) => Ok((to_raw_value(&Promised { promise })?, self.tasks)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wfl_4_a_decision_names_its_tasks_the_same_each_time() {
        let decide = || {
            let mut plan = Plan::default();
            let first = plan.add(Task::new("a#1", "x").arg(1));
            let last = plan.add(Task::new("b#1", "y").arg(&first).named("last"));
            let (result, tasks) = plan.result(&last).written().unwrap();
            (result.get().to_owned(), serde_json::to_string(&tasks).unwrap())
        };
        assert_eq!(decide().0, r#"{"promise":"last"}"#);
        assert_eq!(decide(), decide());
        assert!(decide().1.contains(r#""args":[{"promise":"t1"}]"#), "{}", decide().1);
    }

    #[test]
    fn wfl_4_what_cannot_be_written_is_an_error_of_the_task() {
        let unwritable = std::collections::BTreeMap::from([((1, 2), 3)]);
        let mut plan = Plan::default();
        plan.add(Task::new("a#1", "x").arg(&unwritable));
        assert_eq!(plan.done().written().unwrap_err().class, "UnwritableResult");
        assert_eq!(Outcome::value(&unwritable).written().unwrap_err().class, "UnwritableResult");
    }
}
