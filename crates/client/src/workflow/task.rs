//! Tasks as they are asked for.

use std::time::Duration;

use base::Wall;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::calls::Start;

/// A task to be done: by whom, what, with which arguments, and what holds for it.
#[derive(Debug, Clone, Default, Serialize)]
#[must_use = "a task is laid out by `Plan::add`, or starts a process"]
pub struct Task {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    actor: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    method: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    args: Vec<Argument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    wait_for: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry: Option<Retry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    accept_fail: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_list: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// An argument that has no form in JSON: told when the task is used.
    #[serde(skip)]
    pub(super) wrong: Option<String>,
}

/// A value, or the result of another task.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Argument {
    /// A value.
    Value(Box<RawValue>),
    /// The result of a task, by its id.
    Promise(String),
}

/// The result of a task before it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promise {
    pub(super) id: String,
}

impl Promise {
    /// Of a task of the same process that was laid out before, by its task id.
    #[must_use]
    pub fn of_task(task_id: &str) -> Self {
        Self { id: task_id.to_owned() }
    }
}

/// What an argument, or a result, may be: anything that serde writes, or a promise.
pub trait IntoArgument {
    /// As it goes over the wire.
    ///
    /// # Errors
    /// It has no form in JSON.
    fn argument(self) -> Result<Argument, String>;
}

impl<T: Serialize> IntoArgument for T {
    fn argument(self) -> Result<Argument, String> {
        to_raw_value(&self).map(Argument::Value).map_err(|error| error.to_string())
    }
}

impl IntoArgument for &Promise {
    fn argument(self) -> Result<Argument, String> {
        Ok(Argument::Promise(self.id.clone()))
    }
}

impl IntoArgument for Promise {
    fn argument(self) -> Result<Argument, String> {
        Ok(Argument::Promise(self.id))
    }
}

impl Task {
    /// A task of an actor, `name#version`.
    pub fn new(actor: &str, method: &str) -> Self {
        Self { actor: actor.to_owned(), method: method.to_owned(), ..Self::default() }
    }

    /// Ends with the value of a signal of this name.
    pub fn signal(name: &str) -> Self {
        Self::new("@signal", name)
    }

    /// Ends after so long, counted from when nothing is waited for any more.
    pub fn timer(pause: Duration) -> Self {
        Self::new("@timer", "").arg(millis(pause))
    }

    /// Ends at this moment.
    pub fn timer_at(at: Wall) -> Self {
        Self::new("@timer", "").start_at(at)
    }

    /// Starts a process and ends with its value; with an error if it is aborted. The start's key has no meaning here.
    pub fn process(start: &Start) -> Self {
        #[derive(Serialize)]
        struct Child<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            custom_id: Option<&'a str>,
            start: &'a Task,
        }
        let child = Child { custom_id: start.custom_id.as_deref(), start: &start.task };
        Self { wrong: start.task.wrong.clone(), ..Self::new("@process", &start.kind).arg(child) }
    }

    /// With a further argument: a value, or the promise of another task's result.
    pub fn arg(mut self, argument: impl IntoArgument) -> Self {
        match argument.argument() {
            Ok(argument) => self.args.push(argument),
            Err(error) => self.wrong = Some(format!("argument {}: {error}", self.args.len() + 1)),
        }
        self
    }

    /// With one further argument for each of these; whoever does the task takes any number of them as a [`Rest`](super::Rest).
    pub fn args(self, arguments: impl IntoIterator<Item = impl IntoArgument>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    /// Not before these tasks have ended.
    pub fn wait_for<'a>(mut self, others: impl IntoIterator<Item = &'a Promise>) -> Self {
        self.wait_for.extend(others.into_iter().map(|other| other.id.clone()));
        self
    }

    /// What happens after an error; without it the error counts.
    pub fn retry(self, retry: Retry) -> Self {
        Self { retry: Some(retry), ..self }
    }

    /// How long it may take, counted from when it is queued.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout_ms: Some(millis(timeout)), ..self }
    }

    /// Its error is a result like any other for those who wait for it: their parameter is a [`Tried`](super::Tried).
    pub fn accept_fail(self) -> Self {
        Self { accept_fail: true, ..self }
    }

    /// Not before this moment.
    pub fn start_at(self, at: Wall) -> Self {
        Self { start_at: Some(at.rfc3339()), ..self }
    }

    /// In a queue of its own beside the actor's.
    pub fn task_list(self, list: &str) -> Self {
        Self { task_list: Some(list.to_owned()), ..self }
    }

    /// Passed on to whoever does it, who can tell by it that something was done before.
    pub fn key(self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self }
    }

    /// What the decision calls it, for people and for restarts from it; else it gets a number.
    pub fn named(self, id: &str) -> Self {
        Self { id: Some(id.to_owned()), ..self }
    }
}

/// What happens after an error.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[must_use]
pub struct Retry {
    kind: &'static str,
    initial_ms: u64,
    factor: f64,
    max_interval_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_attempts: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_ms: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    on: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_on: Vec<String>,
}

impl Retry {
    /// Each pause is twice the one before, an hour at most, without end.
    pub fn exponential(first: Duration) -> Self {
        Self::of("exponential", first, 2.0)
    }

    /// Each pause is longer than the one before by the first one.
    pub fn linear(first: Duration) -> Self {
        Self::of("linear", first, 1.0)
    }

    fn of(kind: &'static str, first: Duration, factor: f64) -> Self {
        let (on, not_on) = (vec![], vec![]);
        let max_interval_ms = 3_600_000;
        Self {
            kind,
            initial_ms: millis(first),
            factor,
            max_interval_ms,
            max_attempts: None,
            expires_ms: None,
            on,
            not_on,
        }
    }

    /// By how much pauses grow.
    pub fn factor(self, factor: f64) -> Self {
        Self { factor, ..self }
    }

    /// No pause is longer.
    pub fn up_to(self, pause: Duration) -> Self {
        Self { max_interval_ms: millis(pause), ..self }
    }

    /// So many tries in all, the first included.
    pub fn attempts(self, attempts: u32) -> Self {
        Self { max_attempts: Some(attempts), ..self }
    }

    /// No try begins later than so long after the first.
    pub fn within(self, time: Duration) -> Self {
        Self { expires_ms: Some(millis(time)), ..self }
    }

    /// Only after errors of these classes.
    pub fn on(self, classes: &[&str]) -> Self {
        Self { on: classes.iter().map(|class| (*class).to_owned()).collect(), ..self }
    }

    /// Not after errors of these classes.
    pub fn not_on(self, classes: &[&str]) -> Self {
        Self { not_on: classes.iter().map(|class| (*class).to_owned()).collect(), ..self }
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(task: &Task) -> serde_json::Value {
        serde_json::to_value(task).unwrap()
    }

    #[test]
    fn wfl_3_a_task_is_written_as_the_server_reads_it() {
        let other = Promise::of_task("01KA.1");
        let retry =
            Retry::exponential(Duration::from_secs(1)).attempts(3).within(Duration::from_secs(60)).on(&["Busy"]);
        let task = Task::new("pay#1", "pay").arg(2).arg(&other).retry(retry).accept_fail().task_list("north");
        let task = task.timeout(Duration::from_secs(5)).wait_for([&other]).key("k").named("payment");
        let expected = json!({"id": "payment", "actor": "pay#1", "method": "pay", "args": [{"value": 2}, {"promise": "01KA.1"}],
            "wait_for": ["01KA.1"], "timeout_ms": 5000, "accept_fail": true, "task_list": "north", "key": "k",
            "retry": {"kind": "exponential", "initial_ms": 1000, "factor": 2.0, "max_interval_ms": 3_600_000, "max_attempts": 3,
                "expires_ms": 60000, "on": ["Busy"]}});
        assert_eq!(shown(&task), expected);
        assert_eq!(shown(&Task::new("a#1", "").arg(())), json!({"actor": "a#1", "args": [{"value": null}]}));
    }

    #[test]
    fn wfl_9_signals_timers_and_processes_are_tasks() {
        assert_eq!(shown(&Task::signal("ok")), json!({"actor": "@signal", "method": "ok"}));
        let timer = Task::timer(Duration::from_secs(60));
        assert_eq!(shown(&timer), json!({"actor": "@timer", "args": [{"value": 60_000}]}));
        let start =
            json!({"custom_id": "7", "start": {"actor": "line#1", "method": "begin", "args": [{"value": "x"}]}});
        let expected = json!({"actor": "@process", "method": "line", "args": [{"value": start}]});
        let line = Start::new("line", Task::new("line#1", "begin").arg("x")).custom_id("7");
        assert_eq!(shown(&Task::process(&line)), expected);
    }

    #[test]
    fn wfl_3_an_argument_without_a_form_is_told() {
        let unwritable = std::collections::BTreeMap::from([((1, 2), 3)]);
        assert!(Task::new("a#1", "b").arg(1).arg(unwritable).wrong.unwrap().starts_with("argument 2"));
    }
}
