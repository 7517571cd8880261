//! From the start of a process to its result.

use serde_json::json;

use crate::kit::{Flow, args};

#[test]
fn wfl_2_wfl_6_a_process_of_one_task_ends_with_its_value() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "add#1", "method": "sum", "args": [{ "value": 1 }, { "value": null }] }));
    assert_eq!(flow.state(&id), "ACTIVE");
    let task = flow.take("add#1");
    assert_eq!((task.method.as_str(), task.attempt, args(&task)), ("sum", 1, vec![json!(1), json!(null)]));
    flow.nothing_for("add#1");
    flow.done(&task, json!({ "value": { "sum": 3 } }));
    assert_eq!(flow.value(&id), json!({ "sum": 3 }));
}

#[test]
fn wfl_2_a_start_with_a_key_is_made_once() {
    let flow = Flow::new();
    let start = |value: i32| json!({ "type": "order", "key": "k-1", "start": { "actor": "a#1", "args": [{ "value": value }] } });
    let first = flow.try_start(start(1)).unwrap();
    assert_eq!(flow.try_start(start(1)).unwrap(), first);
    assert_eq!(flow.try_start(start(2)).unwrap_err().code.name, "AKEYREUSED");
    assert_eq!(flow.poll_many("a#1", 10).len(), 1);
}

#[test]
fn wfl_5_a_coordinator_lays_out_tasks_and_promises_their_result() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    let start = flow.take("decide#1");
    let tasks = json!([
        { "id": "a", "actor": "double#1", "args": [{ "value": 2 }] },
        { "id": "b", "actor": "double#1", "args": [{ "value": 5 }] },
        { "id": "sum", "actor": "sum#1", "args": [{ "promise": "a" }, { "promise": "b" }] },
    ]);
    flow.done(&start, json!({ "value": { "promise": "sum" }, "tasks": tasks }));
    flow.nothing_for("sum#1");
    for task in flow.poll_many("double#1", 10) {
        let doubled = args(&task)[0].as_i64().unwrap() * 2;
        flow.done(&task, json!({ "value": doubled }));
    }
    let sum = flow.take("sum#1");
    assert_eq!(args(&sum), [json!(4), json!(10)]);
    flow.done(&sum, json!({ "value": 14 }));
    assert_eq!(flow.value(&id), json!(14));
}

#[test]
fn wfl_5_what_cannot_be_is_refused_and_changes_nothing() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    let other = flow.start(json!({ "actor": "other#1" }));
    let start = flow.take("decide#1");
    let bad = [
        json!({ "tasks": [{ "id": "a", "actor": "a#1", "wait_for": ["b"] }, { "id": "b", "actor": "a#1", "wait_for": ["a"] }] }),
        json!({ "tasks": [{ "id": "a", "actor": "a#1", "args": [{ "promise": "z" }] }] }),
        json!({ "tasks": [{ "id": "a", "actor": "a#1", "args": [{ "promise": format!("{other}.1") }] }] }),
        json!({ "tasks": [{ "id": "a", "actor": "nobody" }] }),
        json!({ "tasks": [{ "id": "a", "actor": "a#1" }, { "id": "a", "actor": "a#1" }] }),
        json!({ "value": { "promise": "a" } }),
        json!({ "value": { "promise": "a" }, "tasks": [{ "id": "a", "actor": "a#1", "wait_for": [start.task_id] }] }),
        json!({ "value": "x".repeat(2 << 20) }),
    ];
    for says in bad {
        let verdict = flow.bring(&start, says.clone());
        assert!(!verdict.accepted && verdict.reason.is_some(), "{says}");
        assert_eq!(flow.tasks(&id).len(), 1, "{says}");
    }
    let many: Vec<_> = (0..10_000).map(|_| json!({ "actor": "a#1" })).collect();
    let release =
        serde_json::from_value(json!({ "results": [{ "task_id": start.task_id, "attempt": 1, "tasks": many }] }))
            .unwrap();
    assert_eq!(flow.0.call(&workflow::work::RELEASE, release).unwrap_err().code.name, "ALIMIT");
    flow.done(&start, json!({ "value": 1 }));
    assert_eq!(flow.value(&id), json!(1));
}

#[test]
fn wfl_5_a_fan_out_of_a_thousand_is_joined() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    let start = flow.take("decide#1");
    let mut tasks: Vec<_> = (0..1_000).map(|n| json!({ "id": format!("t{n}"), "actor": "one#1" })).collect();
    let all: Vec<_> = (0..1_000).map(|n| json!({ "promise": format!("t{n}") })).collect();
    tasks.push(json!({ "id": "join", "actor": "join#1", "args": all }));
    flow.done(&start, json!({ "value": { "promise": "join" }, "tasks": tasks }));
    for _ in 0..10 {
        for task in flow.poll_many("one#1", 100) {
            flow.done(&task, json!({ "value": 1 }));
        }
    }
    let join = flow.take("join#1");
    assert_eq!(args(&join).len(), 1_000);
    flow.done(&join, json!({ "value": "all" }));
    assert_eq!(flow.value(&id), json!("all"));
}

#[test]
fn wfl_8_an_error_is_tried_again_and_then_breaks_the_process() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "a#1", "retry": { "initial_ms": 1000, "max_attempts": 2 } }));
    let oops = json!({ "error": { "class": "Oops", "message": "it broke", "trace": "at line 1" } });
    let first = flow.take("a#1");
    flow.done(&first, oops.clone());
    flow.nothing_for("a#1");
    flow.pass_ms(1_000);
    let second = flow.take("a#1");
    assert_eq!(second.attempt, 2);
    flow.done(&second, oops);
    let process = flow.process(&id);
    assert_eq!((process.state.as_str(), process.error.unwrap().class.as_str()), ("BROKEN", "Oops"));
    assert_eq!(flow.tasks(&id)[0].state, "BROKEN");
    assert!(!flow.bring(&second, json!({ "value": 1 })).accepted, "it is over");
    let kinds: Vec<String> = flow.history(&id).into_iter().map(|line| line.kind).collect();
    assert_eq!(kinds, ["late", "failed", "failed"]);
}

#[test]
fn wfl_8_an_accepted_error_is_the_value_of_its_promise() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    let tasks = json!([
        { "id": "a", "actor": "a#1", "accept_fail": true },
        { "id": "b", "actor": "b#1", "args": [{ "promise": "a" }] },
    ]);
    flow.done(&flow.take("decide#1"), json!({ "value": { "promise": "b" }, "tasks": tasks }));
    flow.done(&flow.take("a#1"), json!({ "error": { "class": "Oops" } }));
    let b = flow.take("b#1");
    assert_eq!(args(&b), [json!({ "error": "Oops" })]);
    flow.done(&b, json!({ "value": "coped" }));
    assert_eq!(flow.value(&id), json!("coped"));
}

#[test]
fn wfl_3_a_task_waits_for_its_time_and_its_list() {
    let flow = Flow::new();
    let at = base::Wall(testbed::NOON + 60_000).rfc3339();
    let id = flow.start(json!({ "actor": "a#1", "start_at": at, "task_list": "eu", "key": "k" }));
    let poll = || {
        let poll = workflow::work::Poll { actor: "a#1".into(), task_list: Some("eu".into()), worker: None, max: 1 };
        flow.0.call(&workflow::work::POLL, poll).unwrap().out.tasks
    };
    assert!(poll().is_empty());
    flow.pass_ms(60_000);
    flow.nothing_for("a#1");
    let task = poll().remove(0);
    assert_eq!(task.key.as_deref(), Some("k"));
    flow.done(&task, json!({}));
    assert_eq!(flow.value(&id), json!(null));
}

#[test]
fn wfl_9_a_process_waits_for_a_signal_and_a_timer() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    let tasks = json!([
        { "id": "go", "actor": "@signal", "method": "go" },
        { "id": "late", "actor": "@timer", "args": [{ "value": 5000 }], "wait_for": ["go"] },
        { "id": "end", "actor": "end#1", "args": [{ "promise": "go" }], "wait_for": ["late"] },
    ]);
    flow.done(&flow.take("decide#1"), json!({ "value": { "promise": "end" }, "tasks": tasks }));
    let signal = |name: &str, value: &str| {
        let value = serde_json::value::RawValue::from_string(value.into()).unwrap();
        flow.0.call(
            &workflow::process::SIGNAL,
            workflow::process::Signal { process: id.clone(), name: name.into(), value },
        )
    };
    signal("other", "0").unwrap();
    signal("go", "7").unwrap();
    flow.pass_ms(4_000);
    flow.nothing_for("end#1");
    flow.pass_ms(2_000);
    let end = flow.take("end#1");
    assert_eq!(args(&end), [json!(7)]);
    flow.done(&end, json!({ "value": true }));
    assert_eq!(flow.value(&id), json!(true));
    assert_eq!(signal("go", "8").unwrap_err().code.name, "AFLOW");
}

#[test]
fn wfl_9_a_signal_that_comes_early_is_kept() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    let value = serde_json::value::RawValue::from_string("\"yes\"".into()).unwrap();
    let signal = workflow::process::Signal { process: id.clone(), name: "go".into(), value };
    flow.0.call(&workflow::process::SIGNAL, signal).unwrap();
    let tasks = json!([{ "id": "go", "actor": "@signal", "method": "go" }]);
    flow.done(&flow.take("decide#1"), json!({ "value": { "promise": "go" }, "tasks": tasks }));
    assert_eq!(flow.value(&id), json!("yes"));
}

#[test]
fn wfl_9_a_process_of_its_own_ends_a_task() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    let child = json!({ "custom_id": "c", "start": { "actor": "child#1", "args": [{ "value": 1 }] } });
    let tasks = json!([{ "id": "sub", "actor": "@process", "method": "part", "args": [{ "value": child }] }]);
    flow.done(&flow.take("decide#1"), json!({ "value": { "promise": "sub" }, "tasks": tasks }));
    let task = flow.take("child#1");
    assert_ne!(task.process_id, id);
    assert_eq!(flow.process(&task.process_id).parent, Some(format!("{id}.2")));
    flow.done(&task, json!({ "value": "from below" }));
    assert_eq!(flow.value(&id), json!("from below"));
}
