//! Pages as somebody sees them, and processes to be seen.

use serde_json::{Value, json};
use testbed_web::{ADMIN, Edge, answered};

/// What a worker may write where a name is meant.
pub const EVIL: &str = "<img src=x onerror=alert(1)>";

pub fn edge() -> Edge {
    Edge::new("/v1/main/workflow", workflow::service())
}

/// A page as the holder of this key sees it, in a language.
pub fn page_as(edge: &Edge, key: &str, path: &str, language: &str) -> (u16, String) {
    let mut request = edge.request(key, "GET", "/v1/x", &[("accept-language", language)], String::new());
    *request.uri_mut() = format!("/console/main{path}").parse().unwrap();
    let reply = edge.runtime.block_on(answered(edge.router.clone(), request));
    (reply.status, reply.text)
}

/// A page that must be there.
pub fn seen(edge: &Edge, path: &str) -> String {
    let (status, page) = page_as(edge, ADMIN, path, "en");
    assert_eq!(status, 200, "{path}: {page}");
    page
}

/// Starts a process; its id.
pub fn start(edge: &Edge, wanted: Value) -> String {
    let answer = edge.told(201, "POST", "/processes", &wanted);
    answer["process_id"].as_str().unwrap().to_owned()
}

/// The tasks that are ready for an actor now.
pub fn poll(edge: &Edge, actor: &str) -> Vec<Value> {
    let answer =
        edge.told(200, "POST", "/poll", &json!({ "actor": actor, "worker": "wendy", "max": 500, "wait_ms": 0 }));
    answer["tasks"].as_array().unwrap().clone()
}

/// The first task that is ready for an actor now.
pub fn take(edge: &Edge, actor: &str) -> Value {
    let answer = edge.told(200, "POST", "/poll", &json!({ "actor": actor, "worker": "wendy", "wait_ms": 0 }));
    answer["tasks"][0].clone()
}

/// A task ends with what is said here.
pub fn bring(edge: &Edge, task: &Value, mut says: Value) {
    for name in ["task_id", "attempt", "pass"] {
        says[name] = task[name].clone();
    }
    let answer = edge.told(200, "POST", "/release", &json!({ "results": [says] }));
    assert_eq!(answer["results"][0]["accepted"], true, "{answer}");
}

/// An order whose coordinator laid out two prices and a sum; one price is done, the other in its queue.
pub fn order(edge: &Edge) -> String {
    let id = start(
        edge,
        json!({ "type": "order", "custom_id": "order-17", "start": { "actor": "order#1", "method": "begin", "args": [{ "value": { "lines": [2, 5] } }] } }),
    );
    let tasks = json!([
        { "id": "a", "actor": "price#1", "args": [{ "value": 2 }] },
        { "id": "b", "actor": "price#1", "args": [{ "value": 5 }], "retry": { "max_attempts": 3 } },
        { "id": "total", "actor": "sum#1", "args": [{ "promise": "a" }, { "promise": "b" }] },
    ]);
    bring(edge, &poll(edge, "order#1")[0], json!({ "value": { "promise": "total" }, "tasks": tasks }));
    bring(edge, &take(edge, "price#1"), json!({ "value": 20 }));
    id
}

/// A process whose only task failed for good.
pub fn broken(edge: &Edge, actor: &str, class: &str, message: &str) -> String {
    let id = start(edge, json!({ "type": "bill", "start": { "actor": actor, "method": "pay" } }));
    let error = json!({ "class": class, "message": message, "trace": "at line 1\nat line 2" });
    bring(edge, &poll(edge, actor)[0], json!({ "error": error }));
    id
}

/// A process of a coordinator that laid out so many tasks, and one that takes the result of each.
pub fn fan_out(edge: &Edge, many: usize) -> String {
    let id = start(edge, json!({ "type": "wide", "start": { "actor": "split#1" } }));
    let mut tasks: Vec<Value> = (0..many).map(|at| json!({ "id": format!("p{at}"), "actor": "part#1" })).collect();
    let args: Vec<Value> = (0..many).map(|at| json!({ "promise": format!("p{at}") })).collect();
    tasks.push(json!({ "id": "join", "actor": "join#1", "args": args }));
    bring(edge, &poll(edge, "split#1")[0], json!({ "value": { "promise": "join" }, "tasks": tasks }));
    id
}
