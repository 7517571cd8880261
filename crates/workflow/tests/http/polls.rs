//! Polls that wait.

use serde_json::json;
use testbed_web::{ADMIN, Edge, Reply};
use workflow::process::{START, Start};
use workflow::work::RELEASE;

use crate::edge;

fn poll_while(edge: &Edge, done: impl FnOnce()) -> Reply {
    let body = json!({ "actor": "a#1", "wait_ms": 60_000 }).to_string();
    edge.while_waiting(edge.request(ADMIN, "POST", "/poll", &[], body), done)
}

fn start(edge: &Edge, task: serde_json::Value) {
    let start: Start = serde_json::from_value(json!({ "type": "test", "start": task })).unwrap();
    edge.world().call(&START, start).unwrap();
}

#[test]
fn wfl_6_a_poll_waits_for_something_to_come() {
    let edge = edge();
    let polled = poll_while(&edge, || start(&edge, json!({ "actor": "a#1" })));
    assert_eq!(polled.json()["tasks"].as_array().unwrap().len(), 1, "no time passed meanwhile");
}

#[test]
fn wfl_6_a_poll_ends_empty_at_the_end_of_its_time() {
    let edge = edge();
    let polled = poll_while(&edge, || {
        start(&edge, json!({ "actor": "b#1" }));
        edge.world().pass_ms(30_000);
        edge.world().pass_ms(30_000);
    });
    assert_eq!((polled.status, polled.json()), (200, json!({ "tasks": [] })));
}

#[test]
fn wfl_6_two_who_wait_each_get_one_of_two() {
    let edge = edge();
    let body = || json!({ "actor": "a#1", "wait_ms": 60_000 }).to_string();
    let second = edge.request(ADMIN, "POST", "/poll", &[], body());
    let router = edge.router.clone();
    let other = edge.runtime.spawn(testbed_web::answered(router, second));
    let first = poll_while(&edge, || {
        start(&edge, json!({ "actor": "a#1" }));
        start(&edge, json!({ "actor": "a#1" }));
    });
    let other = edge.runtime.block_on(other).unwrap();
    let many = |reply: &Reply| reply.json()["tasks"].as_array().unwrap().len();
    assert_eq!((many(&first), many(&other)), (1, 1));
}

#[test]
fn wfl_6_a_poll_is_given_what_is_tried_again_after_its_pause() {
    let edge = edge();
    start(&edge, json!({ "actor": "a#1", "retry": { "initial_ms": 3000 } }));
    let task = crate::tour::poll(&edge, "a#1").remove(0);
    crate::tour::bring(&edge, &task, json!({ "error": { "class": "Busy" } }));
    let polled = poll_while(&edge, || edge.world().pass_ms(3_000));
    assert_eq!(polled.json()["tasks"][0]["attempt"], 2);
}

#[test]
fn wfl_2_who_waits_for_a_process_hears_of_its_end() {
    let edge = edge();
    start(&edge, json!({ "actor": "a#1" }));
    let task = crate::tour::poll(&edge, "a#1").remove(0);
    let process = format!("/processes/{}?wait_ms=60000", task["process_id"].as_str().unwrap());
    let shown = edge.while_waiting(edge.request(ADMIN, "GET", &process, &[], String::new()), || {
        let result = json!({ "results": [{ "task_id": task["task_id"], "attempt": 1, "value": 7 }] });
        edge.world().call(&RELEASE, serde_json::from_value(result).unwrap()).unwrap();
    });
    assert_eq!((&shown.json()["state"], &shown.json()["value"]), (&json!("FINISHED"), &json!(7)), "no time passed");
}

#[test]
fn wfl_2_who_waits_for_a_process_that_goes_on_is_told_so_at_the_end_of_its_time() {
    let edge = edge();
    start(&edge, json!({ "actor": "a#1" }));
    let task = crate::tour::poll(&edge, "a#1").remove(0);
    let process = format!("/processes/{}?wait_ms=10000", task["process_id"].as_str().unwrap());
    let request = edge.request(ADMIN, "GET", &process, &[], String::new());
    let shown = edge.while_waiting(request, || edge.world().pass_ms(10_000));
    assert_eq!(shown.json()["state"], "ACTIVE");
    let too_long = process.replace("10000", "60001");
    assert_eq!(edge.refused("GET", &too_long, &json!(null)).1, "ALIMIT");
}

fn poll_with_key(edge: &Edge, actor: &str, key: &str) -> Reply {
    let body = json!({ "actor": actor, "max": 2, "wait_ms": 0 }).to_string();
    edge.send(ADMIN, "POST", "/poll", &[("idempotency-key", key)], &body)
}

#[test]
fn wfl_6_a_poll_whose_answer_was_lost_is_given_the_same_tasks_again() {
    let edge = edge();
    assert_eq!(poll_with_key(&edge, "a#1", "k-1").json(), json!({ "tasks": [] }));
    (0..3).for_each(|_| start(&edge, json!({ "actor": "a#1" })));
    let first = poll_with_key(&edge, "a#1", "k-1").json();
    assert_eq!(first["tasks"].as_array().unwrap().len(), 2, "an empty answer is not kept");
    assert_eq!(poll_with_key(&edge, "a#1", "k-1").json(), first, "the same attempts with the same passes");
    assert_eq!(poll_with_key(&edge, "a#1", "k-2").json()["tasks"].as_array().unwrap().len(), 1);
    assert_eq!(poll_with_key(&edge, "b#1", "k-1").code(), "AKEYREUSED");
}

#[test]
fn wfl_6_what_is_over_or_anothers_is_not_given_again() {
    let edge = edge();
    (0..2).for_each(|_| start(&edge, json!({ "actor": "a#1" })));
    let first = poll_with_key(&edge, "a#1", "k-1").json();
    crate::tour::bring(&edge, &first["tasks"][0], json!({ "value": 1 }));
    let again = poll_with_key(&edge, "a#1", "k-1").json();
    assert_eq!(again["tasks"], json!([first["tasks"][1]]));
    crate::tour::bring(&edge, &first["tasks"][1], json!({ "value": 1 }));
    start(&edge, json!({ "actor": "a#1" }));
    let next = poll_with_key(&edge, "a#1", "k-1").json();
    assert_eq!(
        next["tasks"].as_array().unwrap().len(),
        1,
        "nothing of the first answer is left: it is a poll like others"
    );
}
