//! Processes are aborted, and begun anew.

use serde_json::{Value, json};
use workflow::broken::{RETRY, Retry};
use workflow::process::{ABORT, Abort, RESTART, Restart};

use crate::kit::{Flow, args};

fn restart(flow: &Flow, id: &str, task: Option<&str>) -> Result<(), base::OpError> {
    let restart = Restart { process: id.into(), task: task.map(str::to_owned), source: None };
    flow.0.call(&RESTART, restart).map(drop)
}

#[test]
fn wfl_7_what_is_brought_to_an_aborted_process_does_not_count() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "a#1" }));
    let task = flow.take("a#1");
    let abort = || flow.0.call(&ABORT, Abort { process: id.clone(), reason: "not wanted".into(), source: None });
    abort().unwrap();
    abort().unwrap();
    assert_eq!(flow.state(&id), "ABORTED");
    assert_eq!(flow.bring(&task, json!({ "value": 1 })).reason.as_deref(), Some("the process is over"));
    flow.pass_ms(120_000);
    flow.nothing_for("a#1");
}

#[test]
fn wfl_18_a_process_begun_anew_refuses_late_results_of_before() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "a#1", "args": [{ "value": 5 }] }));
    let old = flow.take("a#1");
    restart(&flow, &id, None).unwrap();
    let new = flow.take("a#1");
    assert_eq!(args(&new), [json!(5)]);
    assert_ne!(new.task_id, old.task_id);
    assert_eq!(flow.bring(&old, json!({ "value": "old" })).reason.as_deref(), Some("no such task"));
    flow.done(&new, json!({ "value": "new" }));
    assert_eq!(flow.value(&id), json!("new"));
    restart(&flow, &id, None).unwrap();
    assert_eq!(flow.state(&id), "ACTIVE", "also one that is finished");
    flow.done(&flow.take("a#1"), json!({ "value": "third" }));
    assert_eq!(flow.value(&id), json!("third"));
}

/// a and b, then c from both; the result is that of c.
fn chain(flow: &Flow) -> (String, Vec<String>) {
    let id = flow.start(json!({ "actor": "decide#1" }));
    let tasks = json!([
        { "id": "a", "actor": "a#1" },
        { "id": "b", "actor": "b#1" },
        { "id": "c", "actor": "c#1", "args": [{ "promise": "a" }, { "promise": "b" }] },
    ]);
    flow.done(&flow.take("decide#1"), json!({ "value": { "promise": "c" }, "tasks": tasks }));
    flow.done(&flow.take("a#1"), json!({ "value": "a" }));
    flow.done(&flow.take("b#1"), json!({ "value": "b" }));
    flow.done(&flow.take("c#1"), json!({ "value": "ab" }));
    assert_eq!(flow.value(&id), json!("ab"));
    let ids = flow.tasks(&id).into_iter().map(|task| task.task_id).collect();
    (id, ids)
}

#[test]
fn wfl_18_from_a_task_on_results_are_dropped_and_earlier_ones_kept() {
    let flow = Flow::new();
    let (id, tasks) = chain(&flow);
    restart(&flow, &id, Some(&tasks[1])).unwrap();
    assert_eq!(flow.state(&id), "ACTIVE");
    flow.nothing_for("decide#1");
    flow.nothing_for("b#1");
    let again = flow.take("a#1");
    assert_eq!((again.task_id.as_str(), again.attempt), (tasks[1].as_str(), 2), "the attempt grows on");
    flow.done(&again, json!({ "value": "A" }));
    let c = flow.take("c#1");
    assert_eq!(args(&c), [json!("A"), json!("b")]);
    flow.done(&c, json!({ "value": "Ab" }));
    assert_eq!(flow.value(&id), json!("Ab"));
}

#[test]
fn wfl_18_from_a_coordinator_on_what_it_laid_out_is_dropped_too() {
    let flow = Flow::new();
    let (id, tasks) = chain(&flow);
    restart(&flow, &id, Some(&tasks[0])).unwrap();
    flow.nothing_for("a#1");
    let again = flow.take("decide#1");
    flow.done(&again, json!({ "value": { "promise": "z" }, "tasks": [{ "id": "z", "actor": "z#1" }] }));
    flow.done(&flow.take("z#1"), json!({ "value": "other" }));
    assert_eq!(flow.value(&id), json!("other"));
}

#[test]
fn wfl_18_what_cannot_be_begun_anew_is_refused() {
    let flow = Flow::new();
    let (id, _) = chain(&flow);
    for wrong in ["", "x", "01ARZ3NDEKTSV4RRFFQ69G5FAV.1", &format!("{id}.99")] {
        assert_eq!(restart(&flow, &id, Some(wrong)).unwrap_err().code.name, "NFLOWTASK", "{wrong}");
    }
    assert_eq!(restart(&flow, "01ARZ3NDEKTSV4RRFFQ69G5FAV", None).unwrap_err().code.name, "NFLOW");
    let waiting = flow.start(json!({ "actor": "decide#1" }));
    let tasks = json!([{ "id": "a", "actor": "a#1" }, { "id": "b", "actor": "b#1", "wait_for": ["a"] }]);
    flow.done(&flow.take("decide#1"), json!({ "tasks": tasks }));
    let error = restart(&flow, &waiting, Some(&format!("{waiting}.3"))).unwrap_err();
    assert_eq!(error.code.name, "AFLOW", "it never ran");
    assert_eq!(flow.value(&id), Value::from("ab"), "and nothing changed");
}

#[test]
fn wfl_18_from_a_task_on_late_results_of_before_never_count() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    let first = flow.take("decide#1");
    let tasks = json!([{ "id": "a", "actor": "a#1" }]);
    flow.done(&first, json!({ "value": { "promise": "a" }, "tasks": tasks }));
    let old = flow.take("a#1");
    restart(&flow, &id, Some(&format!("{id}.1"))).unwrap();
    let late = json!({ "task_id": first.task_id, "attempt": 1, "value": "late" });
    assert_eq!(flow.release(late.clone()).reason.as_deref(), Some("another attempt was begun since"));
    let again = flow.take("decide#1");
    assert_eq!(again.attempt, 2, "the fence grows on");
    assert!(!flow.release(late).accepted);
    flow.done(&again, json!({ "value": { "promise": "a" }, "tasks": tasks }));
    let new = flow.take("a#1");
    assert_ne!(new.task_id, old.task_id, "numbers are not used again");
    assert!(!flow.release(json!({ "task_id": old.task_id, "attempt": 1, "value": "old" })).accepted);
    flow.done(&new, json!({ "value": "new" }));
    assert_eq!(flow.value(&id), json!("new"));
}

#[test]
fn wfl_18_a_process_of_many_tasks_begins_anew_from_one_of_them() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    let tasks: Vec<_> = (0..1_200).map(|_| json!({ "actor": "a#1" })).collect();
    flow.done(&flow.take("decide#1"), json!({ "value": 1, "tasks": tasks }));
    let given = flow.poll_many("a#1", 1);
    flow.done(&given[0], json!({ "value": 1 }));
    restart(&flow, &id, Some(&given[0].task_id)).unwrap();
    let mut waiting: Vec<_> = (0..3).flat_map(|_| flow.poll_many("a#1", 500)).map(|task| task.task_id).collect();
    waiting.sort();
    waiting.dedup();
    assert_eq!(waiting.len(), 1_200, "it is to be done once more, the others as before");
}

#[test]
fn wfl_18_a_process_that_begins_anew_from_one_task_stays_broken_by_another() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    let tasks = json!([{ "actor": "a#1" }, { "actor": "b#1" }]);
    flow.done(&flow.take("decide#1"), json!({ "value": 1, "tasks": tasks }));
    flow.done(&flow.take("a#1"), json!({ "value": 1 }));
    let broken = flow.take("b#1");
    flow.done(&broken, json!({ "error": { "class": "Oops" } }));
    restart(&flow, &id, Some(&format!("{id}.2"))).unwrap();
    let process = flow.process(&id);
    assert_eq!((process.state.as_str(), process.error.unwrap().class.as_str()), ("BROKEN", "Oops"));
    flow.done(&flow.take("a#1"), json!({ "value": 1 }));
    flow.0.call(&RETRY, Retry { task_id: broken.task_id, source: None }).unwrap();
    flow.done(&flow.take("b#1"), json!({ "value": 1 }));
    assert_eq!(flow.value(&id), json!(1), "it can be tried again, and all of it ends");
}

#[test]
fn wfl_18_what_was_open_in_an_aborted_process_is_done_when_it_begins_anew_from_a_task() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    let tasks = json!([{ "actor": "a#1" }, { "actor": "b#1" }, { "actor": "c#1" }]);
    flow.done(&flow.take("decide#1"), json!({ "value": 1, "tasks": tasks }));
    flow.done(&flow.take("a#1"), json!({ "value": 1 }));
    flow.take("b#1");
    flow.0.call(&ABORT, Abort { process: id.clone(), reason: "x".into(), source: None }).unwrap();
    restart(&flow, &id, Some(&format!("{id}.2"))).unwrap();
    flow.0.check_invariants();
    for (actor, attempt) in [("a#1", 2), ("b#1", 2), ("c#1", 1)] {
        let task = flow.take(actor);
        assert_eq!(task.attempt, attempt, "{actor}");
        flow.done(&task, json!({ "value": 1 }));
    }
    assert_eq!(flow.value(&id), json!(1));
}
