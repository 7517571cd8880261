//! What everybody in this world knows: what was started, what was given out, what was accepted.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::plan::{Plan, STRICT};

/// A process that somebody asks for.
pub(super) struct Case {
    pub(super) plan: Plan,
    /// What it computes.
    pub(super) value: i64,
    /// Its type.
    pub(super) kind: &'static str,
    /// Whether it is started with a key of its own; else with one of the request.
    pub(super) keyed: bool,
    /// Its id, once it is acknowledged.
    pub(super) process: Option<String>,
    /// Somebody asked for its end.
    pub(super) abort_asked: bool,
}

impl Case {
    /// The id that whoever starts it gives it.
    pub(super) fn custom_id(&self, number: usize) -> String {
        format!("case {number} = {}", self.value)
    }
}

/// Something that a worker brings.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    /// Which call it is of.
    pub(super) call: u64,
    pub(super) task: String,
    pub(super) actor: &'static str,
    pub(super) attempt: i64,
    pub(super) is_error: bool,
    /// When its worker heard of the task, and when it first brought this.
    pub(super) given_us: u64,
    pub(super) sent_us: u64,
    /// It was given out to nobody as it is brought.
    pub(super) is_lie: bool,
}

impl Sent {
    fn process(&self) -> &str {
        self.task.split('.').next().unwrap_or_default()
    }
}

/// What is known.
#[derive(Default)]
pub(super) struct Known {
    pub(super) is_ready: bool,
    pub(super) cases: Vec<Case>,
    pub(super) calm: bool,
    pub(super) answers: u64,
    /// Rows get lost here.
    pub(super) loses: bool,
    /// The calendar goes on evenly.
    pub(super) even_calendar: bool,
    /// Processes of which a row was, or is about to be, deleted.
    pub(super) damaged: BTreeSet<String>,
    /// A whole table was, which those that are started until then lose too.
    pub(super) all_damaged: bool,
    /// Processes of which a person dropped results, or is about to.
    pub(super) reworked: BTreeSet<String>,
    /// When processes were begun anew by hand: asked and acknowledged.
    pub(super) restarts: BTreeMap<String, Vec<(u64, u64)>>,
    /// The same of tasks from which processes were begun anew.
    pub(super) restarts_from: BTreeMap<String, (u64, u64)>,
    /// Processes in which something ever waited for its time. The calendar may jump past it before the server knows.
    pub(super) timed: BTreeSet<String>,
    /// When the end of processes was acknowledged.
    pub(super) aborts: BTreeMap<String, u64>,
    /// The highest attempt of each task that somebody heard of, and the poll that it was given to.
    given: BTreeMap<String, (i64, u64)>,
    /// The call with the value that was accepted of each task, and its attempt.
    accepted: BTreeMap<String, (u64, i64)>,
    /// The latest moment of the calendar.
    pub(super) latest: i64,
    wrong: Option<String>,
}

impl Known {
    pub(super) fn new(loses: bool, even_calendar: bool) -> Self {
        Self { loses, even_calendar, ..Self::default() }
    }

    /// A promise was broken.
    pub(super) fn wrong(&mut self, text: String) {
        self.wrong.get_or_insert(text);
    }

    /// Whether one was.
    pub(super) fn check(&self) -> Result<(), String> {
        self.wrong.clone().map_or(Ok(()), Err)
    }

    /// Rows of a process may be lost.
    pub(super) fn is_damaged(&self, process: &str) -> bool {
        self.all_damaged || self.damaged.contains(process)
    }

    /// Nobody touched the rows or results of a process.
    pub(super) fn is_sound(&self, process: &str) -> bool {
        !self.is_damaged(process) && !self.reworked.contains(process)
    }

    /// The values that were accepted: task and attempt.
    pub(super) fn accepted(&self) -> impl Iterator<Item = (&String, i64)> {
        self.accepted.iter().map(|(task, (_, attempt))| (task, *attempt))
    }

    /// Somebody was given a task: a new attempt each time, higher than all before; the same only to the same poll, asked again.
    pub(super) fn gave(&mut self, given: &Value, poll: u64) {
        let task = given["task_id"].as_str().unwrap_or_default().to_owned();
        let attempt = given["attempt"].as_i64().unwrap_or_default();
        let (before, last) = self.given.insert(task.clone(), (attempt, poll)).unwrap_or_default();
        let process = task.split('.').next().unwrap_or_default();
        let is_same = attempt == before && poll == last;
        if attempt <= before && !is_same && !self.is_damaged(process) {
            self.wrong(format!("task {task} is given out as attempt {attempt} after attempt {before}"));
        }
    }

    /// Whether somebody was given a later attempt of a task.
    pub(super) fn is_overtaken(&self, task: &str, attempt: i64) -> bool {
        self.given.get(task).is_some_and(|(given, _)| *given > attempt)
    }

    /// A result was accepted.
    pub(super) fn accept(&mut self, sent: &Sent) {
        let process = sent.process();
        if sent.is_lie {
            return self.wrong(format!("a result that nobody was asked for is accepted: {sent:?}"));
        }
        if self.aborts.get(process).is_some_and(|at_us| *at_us < sent.sent_us) {
            return self.wrong(format!("a result counts though its process was aborted: {sent:?}"));
        }
        let is_old = |(asked, done): &(u64, u64)| sent.given_us < *asked && *done < sent.sent_us;
        if self.restarts.get(process).is_some_and(|restarts| restarts.iter().any(is_old)) {
            return self.wrong(format!("a result of before a restart counts: {sent:?}"));
        }
        if self.restarts_from.get(&sent.task).is_some_and(is_old) {
            return self.wrong(format!("a result of before a restart from its task counts: {sent:?}"));
        }
        if sent.is_error || !self.is_sound(process) {
            return;
        }
        if sent.actor == STRICT && self.is_overtaken(&sent.task, sent.attempt) {
            return self.wrong(format!("an attempt that was overtaken counts: {sent:?}"));
        }
        let (call, _) = *self.accepted.entry(sent.task.clone()).or_insert((sent.call, sent.attempt));
        if call != sent.call {
            self.wrong(format!("a second result is accepted: {sent:?}"));
        }
    }
}
