//! Workers that are silent, late or twice.

use serde_json::{Value, json};
use workflow::process::{ABORT, Abort};
use workflow::work::{GivenTask, HEARTBEAT, Heartbeat};

use crate::kit::Flow;

impl Flow {
    /// A worker says that it is at it.
    pub fn beat(&self, task: &GivenTask, says: Value) -> bool {
        let mut beat = json!({ "task_id": task.task_id, "attempt": task.attempt, "pass": task.pass });
        beat.as_object_mut().unwrap().extend(says.as_object().unwrap().clone());
        let heartbeat: Heartbeat = serde_json::from_value(json!({ "tasks": [beat] })).expect("a heartbeat");
        self.0.call(&HEARTBEAT, heartbeat).expect("beaten").out.tasks[0].ok
    }
}

#[test]
fn wfl_11_a_silent_worker_loses_its_task_to_another() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "a#1" }));
    let silent = flow.take("a#1");
    flow.pass_ms(59_000);
    flow.nothing_for("a#1");
    flow.pass_ms(1_000);
    let second = flow.take("a#1");
    assert_eq!(second.attempt, 2);
    assert_ne!(second.pass, silent.pass);
    assert!(!flow.beat(&silent, json!({})), "it is not its task any more");
    flow.done(&second, json!({ "value": 2 }));
    assert_eq!(flow.bring(&silent, json!({ "value": 1 })).reason.as_deref(), Some("the task ended before"));
    assert_eq!(flow.value(&id), json!(2));
    let kinds: Vec<(String, String)> = flow.history(&id).into_iter().map(|line| (line.kind, line.source)).collect();
    assert_eq!(kinds, [("late".into(), "automatic".into()), ("work-timeout".into(), "automatic".into())]);
}

#[test]
fn wfl_8_wfl_12_what_is_out_of_time_in_its_queue_is_given_out_after_the_pause_alone() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "a#1", "timeout_ms": 1_000, "retry": { "initial_ms": 10_000 } }));
    flow.pass_ms(1_000);
    flow.nothing_for("a#1");
    flow.pass_ms(10_000);
    flow.done(&flow.take("a#1"), json!({ "value": 1 }));
    flow.nothing_for("a#1");
    assert_eq!(flow.value(&id), json!(1));
}

#[test]
fn wfl_7_a_late_value_wins_if_it_is_the_first() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "a#1" }));
    let late = flow.take("a#1");
    flow.pass_ms(60_000);
    assert!(!flow.bring(&late, json!({ "error": { "class": "Oops" } })).accepted, "an error of before does not count");
    flow.done(&late, json!({ "value": 1 }));
    flow.nothing_for("a#1");
    assert_eq!(flow.value(&id), json!(1));
}

#[test]
fn wfl_6_wfl_26_a_heartbeat_extends_the_time_and_keeps_a_checkpoint() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "a#1" }));
    let first = flow.take("a#1");
    flow.pass_ms(50_000);
    assert!(flow.beat(&first, json!({ "checkpoint": { "page": 7 } })));
    flow.pass_ms(50_000);
    flow.nothing_for("a#1");
    flow.pass_ms(10_000);
    let second = flow.take("a#1");
    assert_eq!(second.checkpoint.as_ref().unwrap().get(), r#"{"page":7}"#);
    assert!(!flow.beat(&first, json!({ "checkpoint": { "page": 8 } })));
    flow.done(&second, json!({}));
    assert!(!flow.beat(&second, json!({})), "it is over");
    assert_eq!(flow.state(&id), "FINISHED");
}

#[test]
fn wfl_26_whoever_works_for_a_process_that_is_over_is_told_to_stop() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "a#1" }));
    let task = flow.take("a#1");
    assert!(flow.beat(&task, json!({})));
    let abort = Abort { process: id, reason: "enough".into(), source: None };
    flow.0.call(&ABORT, abort).expect("aborted");
    assert!(!flow.beat(&task, json!({})), "nothing of it counts any more");
    flow.pass_ms(120_000);
    flow.nothing_for("a#1");
}

#[test]
fn wfl_12_a_task_that_waits_too_long_ends_with_an_error() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "a#1", "timeout_ms": 5000 }));
    flow.pass_ms(4_999);
    assert_eq!(flow.state(&id), "ACTIVE");
    flow.pass_ms(1);
    let process = flow.process(&id);
    assert_eq!((process.state.as_str(), process.error.unwrap().class.as_str()), ("BROKEN", "TaskTimeout"));
    flow.nothing_for("a#1");
}

#[test]
fn wfl_12_a_task_in_work_has_the_time_of_its_worker() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "a#1", "timeout_ms": 5000 }));
    flow.pass_ms(4_000);
    let task = flow.take("a#1");
    flow.pass_ms(50_000);
    flow.done(&task, json!({ "value": 1 }));
    assert_eq!(flow.value(&id), json!(1));
}
