//! A world with processes, and workers that are told what to do.

use serde_json::{Value, json};
use testbed::World;
use workflow::process::{HISTORY, HistoryView, PROCESS, ProcessView, START, TASKS, TaskView};
use workflow::recovery::OVERDUE;
use workflow::work::{GivenTask, POLL, Poll, RELEASE, Release, Verdict};

pub struct Flow(pub World);

impl Flow {
    pub fn new() -> Self {
        Self(World::of(&[&workflow::SERVICE]))
    }

    /// Starts a process of type `test`; its id.
    pub fn start(&self, start: Value) -> String {
        self.try_start(json!({ "type": "test", "start": start })).expect("it starts")
    }

    pub fn try_start(&self, wanted: Value) -> Result<String, base::OpError> {
        let wanted = serde_json::from_value(wanted).expect("a start");
        self.0.call(&START, wanted).map(|reply| reply.out.process_id)
    }

    pub fn poll_many(&self, actor: &str, max: usize) -> Vec<GivenTask> {
        let poll = Poll { actor: actor.into(), task_list: None, worker: Some("worker".into()), max };
        self.0.call(&POLL, poll).expect("polled").out.tasks
    }

    /// The one task that waits for an actor.
    pub fn take(&self, actor: &str) -> GivenTask {
        let mut tasks = self.poll_many(actor, 10);
        assert_eq!(tasks.len(), 1, "{tasks:?}");
        tasks.remove(0)
    }

    pub fn nothing_for(&self, actor: &str) {
        assert_eq!(self.poll_many(actor, 10).len(), 0);
    }

    pub fn release(&self, result: Value) -> Verdict {
        let release: Release = serde_json::from_value(json!({ "results": [result] })).expect("a result");
        self.0.call(&RELEASE, release).expect("released").out.results.remove(0)
    }

    /// A task ends with what is said here.
    pub fn done(&self, task: &GivenTask, says: Value) {
        let verdict = self.bring(task, says);
        assert!(verdict.accepted, "{verdict:?}");
    }

    pub fn bring(&self, task: &GivenTask, says: Value) -> Verdict {
        let mut result = json!({ "task_id": task.task_id, "attempt": task.attempt, "pass": task.pass });
        result.as_object_mut().unwrap().extend(says.as_object().unwrap().clone());
        self.release(result)
    }

    pub fn pass_ms(&self, ms: u64) {
        self.0.pass_ms(ms);
        while self.0.call(&OVERDUE, ()).expect("looked").out {}
    }

    pub fn process(&self, id: &str) -> ProcessView {
        self.0.read(&PROCESS, id.into()).expect("a process")
    }

    pub fn state(&self, id: &str) -> String {
        self.process(id).state
    }

    /// The value of a process that is finished.
    pub fn value(&self, id: &str) -> Value {
        let process = self.process(id);
        assert_eq!(process.state, "FINISHED", "{process:?}");
        self.0.check_invariants();
        serde_json::from_str(process.value.expect("a value").get()).unwrap()
    }

    pub fn tasks(&self, id: &str) -> Vec<TaskView> {
        self.0.read(&TASKS, id.into()).expect("tasks")
    }

    pub fn history(&self, id: &str) -> Vec<HistoryView> {
        self.0.read(&HISTORY, id.into()).expect("a history")
    }
}

/// The arguments that a task was given, plain.
pub fn args(task: &GivenTask) -> Vec<Value> {
    let plain = |filled: &workflow::task::Filled| match (&filled.value, &filled.error) {
        (Some(value), None) => serde_json::from_str(value.get()).unwrap(),
        (None, Some(error)) => json!({ "error": error.class }),
        other => panic!("{other:?}"),
    };
    task.args.iter().map(plain).collect()
}
