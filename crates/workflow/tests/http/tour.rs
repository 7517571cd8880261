//! What a worker and an operator do, by plain HTTP.

use serde_json::{Value, json};
use testbed_web::Edge;

/// The tasks that are ready for an actor now.
pub fn poll(edge: &Edge, actor: &str) -> Vec<Value> {
    let answer = edge.told(200, "POST", "/poll", &json!({ "actor": actor, "max": 10, "wait_ms": 0 }));
    answer["tasks"].as_array().unwrap().clone()
}

pub fn start(edge: &Edge, start: Value) -> String {
    let answer = edge.told(201, "POST", "/processes", &json!({ "type": "test", "start": start }));
    answer["process_id"].as_str().unwrap().to_owned()
}

/// Brings what is said of a task; what it is told.
pub fn bring(edge: &Edge, task: &Value, mut says: Value) -> Value {
    for name in ["task_id", "attempt", "pass"] {
        says[name] = task[name].clone();
    }
    edge.told(200, "POST", "/release", &json!({ "results": [says] }))["results"][0].clone()
}

pub fn from_start_to_value(edge: &Edge) {
    let id = start(edge, json!({ "actor": "decide#1", "args": [{ "value": { "n": 3 } }] }));
    let task = poll(edge, "decide#1").remove(0);
    assert_eq!((&task["args"], &task["attempt"]), (&json!([{ "value": { "n": 3 } }]), &json!(1)));
    let tasks = json!([
        { "id": "a", "actor": "work#1", "args": [{ "value": 1 }] },
        { "id": "b", "actor": "work#1", "args": [{ "promise": "a" }], "accept_fail": true },
        { "id": "c", "actor": "work#1", "args": [{ "promise": "a" }, { "promise": "b" }] },
    ]);
    assert_eq!(bring(edge, &task, json!({ "value": { "promise": "c" }, "tasks": tasks }))["accepted"], true);
    let a = poll(edge, "work#1").remove(0);
    let beat =
        json!({ "tasks": [{ "task_id": a["task_id"], "attempt": 1, "extend_ms": 5000, "checkpoint": { "at": 1 } }] });
    assert_eq!(edge.told(200, "POST", "/heartbeat", &beat)["tasks"][0]["ok"], true);
    bring(edge, &a, json!({ "value": "A" }));
    bring(edge, &poll(edge, "work#1")[0], json!({ "error": { "class": "Oops", "message": "no b" } }));
    let c = poll(edge, "work#1").remove(0);
    assert_eq!(c["args"][0], json!({ "value": "A" }));
    assert_eq!(c["args"][1]["error"]["class"], "Oops");
    bring(edge, &c, json!({ "value": [1, null, "x"] }));
    let process = edge.get(&format!("/processes/{id}"));
    assert_eq!((&process["state"], &process["value"]), (&json!("FINISHED"), &json!([1, null, "x"])));
    let tasks = edge.get(&format!("/processes/{id}/tasks"));
    let states: Vec<&str> =
        tasks["items"].as_array().unwrap().iter().map(|task| task["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["FINISH"; 4]);
    assert_eq!(tasks["items"][0]["same_as"], tasks["items"][3]["task_id"]);
}

pub fn errors_and_restarts(edge: &Edge) {
    let id = start(edge, json!({ "actor": "work#2" }));
    bring(
        edge,
        &poll(edge, "work#2")[0],
        json!({ "error": { "class": "Oops", "message": "it broke", "trace": "line 1" } }),
    );
    let process = edge.get(&format!("/processes/{id}"));
    assert_eq!((&process["state"], &process["error"]["message"]), (&json!("BROKEN"), &json!("it broke")));
    let (status, _) = edge.ask("POST", &format!("/processes/{id}/restart"), &json!({}));
    assert_eq!(status, 204);
    let task = poll(edge, "work#2").remove(0);
    assert_eq!(bring(edge, &task, json!({ "value": 1 }))["accepted"], true);
    let again = bring(edge, &task, json!({ "value": 2 }));
    assert_eq!((&again["accepted"], &again["reason"]), (&json!(false), &json!("the task ended before")));
    let clone = edge.told(201, "POST", &format!("/processes/{id}/clone"), &json!({}));
    let clone = clone["process_id"].as_str().unwrap();
    let (status, _) = edge.ask("POST", &format!("/processes/{clone}/abort"), &json!({ "reason": "not wanted" }));
    assert_eq!((status, edge.get(&format!("/processes/{clone}"))["state"].clone()), (204, json!("ABORTED")));
    assert_eq!(poll(edge, "work#2").len(), 0);
    let history = edge.get(&format!("/processes/{id}/history"));
    let kinds: Vec<&str> =
        history["items"].as_array().unwrap().iter().map(|line| line["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["late", "restarted", "failed"]);
}

#[test]
fn wfl_2_wfl_6_a_process_from_start_to_value() {
    from_start_to_value(&crate::edge());
}

#[test]
fn wfl_8_errors_and_restarts() {
    errors_and_restarts(&crate::edge());
}

#[test]
fn wfl_9_a_signal_by_http() {
    let edge = crate::edge();
    let id = start(&edge, json!({ "actor": "@signal", "method": "go" }));
    let (status, _) = edge.ask("POST", &format!("/processes/{id}/signal"), &json!({ "name": "go", "value": [1] }));
    assert_eq!(status, 204);
    assert_eq!(edge.get(&format!("/processes/{id}"))["value"], json!([1]));
}

#[test]
fn wfl_7_a_release_repeated_with_its_key_is_answered_the_same() {
    let edge = crate::edge();
    start(&edge, json!({ "actor": "work#1" }));
    let task = poll(&edge, "work#1").remove(0);
    let body = json!({ "results": [{ "task_id": task["task_id"], "attempt": 1, "value": 1 }] }).to_string();
    let release = || edge.send(testbed_web::ADMIN, "POST", "/release", &[("idempotency-key", "r-1")], &body);
    let first = release();
    assert_eq!(first.json()["results"][0]["accepted"], true);
    assert_eq!(release().json(), first.json());
}
