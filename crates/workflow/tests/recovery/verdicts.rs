//! Why a process does not go on (WFL-27).

use base::Sql;
use serde_json::{Value, json};
use workflow::recovery::VERDICT;

use crate::kit::Flow;

static QUEUE: Sql = Sql::new("test.verdict_queue", "DELETE FROM wfl_queue WHERE process = ?1");
static TASK: Sql = Sql::new("test.verdict_task", "DELETE FROM wfl_task WHERE process = ?1");
static GRAPH: Sql = Sql::new("test.verdict_graph", "DELETE FROM wfl_graph WHERE process = ?1");
static FINISH: Sql =
    Sql::new("test.verdict_finish", "UPDATE wfl_decision SET state = 'FINISH', value = '1' WHERE process = ?1");

fn verdict(flow: &Flow, id: &str) -> String {
    let found = flow.0.read(&VERDICT, id.into()).unwrap().unwrap();
    assert!(!found.text.is_empty());
    assert_eq!(flow.process(id).verdict, Some(found.clone()));
    found.verdict
}

#[test]
fn wfl_27_each_reason_why_a_process_waits_is_told() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "a#1" }));
    assert_eq!(verdict(&flow, &id), "nobody-polls");
    let task = flow.take("a#1");
    assert_eq!(verdict(&flow, &id), "in-work");
    flow.0.pass_ms(60_000);
    assert_eq!(verdict(&flow, &id), "silent");
    flow.pass_ms(0);
    assert_eq!(verdict(&flow, &id), "backlog");
    flow.cut_of(&QUEUE, &id);
    flow.0.pass_ms(10);
    flow.nothing_for("a#1");
    assert_eq!(verdict(&flow, &id), "not-queued");
    flow.cut_of(&FINISH, &id);
    assert_eq!(verdict(&flow, &id), "not-applied");
    flow.recover(&id);
    assert_eq!(flow.0.read(&VERDICT, id).unwrap(), None, "it is over");
    assert!(!flow.bring(&task, json!({ "value": 2 })).accepted);
}

#[test]
fn wfl_27_what_is_missing_is_told() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "a#1" }));
    flow.cut_of(&TASK, &id);
    assert_eq!(verdict(&flow, &id), "missing");
    flow.cut_of(&GRAPH, &id);
    assert_eq!(verdict(&flow, &id), "missing");
}

#[test]
fn wfl_27_who_waits_for_no_worker_is_told_so() {
    let flow = Flow::new();
    let child = json!({ "start": { "actor": "child#1" } });
    let soon = base::Wall(testbed::NOON + 3_600_000).rfc3339();
    let waits: [(&str, Value); 4] = [
        ("waits-signal", json!({ "id": "x", "actor": "@signal", "method": "go" })),
        ("waits-time", json!({ "id": "x", "actor": "@timer", "args": [{ "value": 3_600_000 }] })),
        ("waits-time", json!({ "id": "x", "actor": "a#1", "start_at": soon })),
        ("waits-process", json!({ "id": "x", "actor": "@process", "method": "part", "args": [{ "value": child }] })),
    ];
    for (word, task) in waits {
        let id = flow.start(json!({ "actor": "decide#1" }));
        flow.done(&flow.take("decide#1"), json!({ "value": { "promise": "x" }, "tasks": [task] }));
        assert_eq!(verdict(&flow, &id), word);
        assert_eq!(flow.recover(&id).repaired, [], "{word}: nothing is wrong");
    }
    let id = flow.start(json!({ "actor": "b#1" }));
    flow.done(&flow.take("b#1"), json!({ "error": { "class": "Oops" } }));
    assert_eq!(verdict(&flow, &id), "broken");
}

#[test]
fn wfl_27_who_waits_for_a_promise_is_told_which() {
    static UNREADY: Sql = Sql::new(
        "test.verdict_unready",
        "UPDATE wfl_graph SET data = '{\"next\":4,\"waits\":{\"3\":[[2,2]]},\"done\":[[1,1]],\"same\":{\"1\":3}}', open = 1, ready = 0, done = 1 \
         WHERE process = ?1",
    );
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    let tasks = json!([{ "id": "a", "actor": "a#1" }, { "id": "b", "actor": "b#1", "args": [{ "promise": "a" }] }]);
    flow.done(&flow.take("decide#1"), json!({ "value": { "promise": "b" }, "tasks": tasks }));
    let shown = flow.tasks(&id);
    assert_eq!((shown[2].state.as_str(), shown[2].waits_for.as_slice()), ("WAITING", [format!("{id}.2")].as_slice()));
    flow.cut_of(&UNREADY, &id);
    let found = flow.0.read(&VERDICT, id.clone()).unwrap().unwrap();
    assert_eq!((found.verdict.as_str(), found.task_id), ("waits-promise", Some(format!("{id}.3"))));
    assert_eq!(found.text, format!("it waits for the result of {id}.2"));
    assert!(!flow.recover(&id).repaired.is_empty(), "nothing of it is ready: that is repaired");
    flow.done(&flow.take("a#1"), json!({ "value": 1 }));
    flow.done(&flow.take("b#1"), json!({ "value": 2 }));
    assert_eq!(flow.value(&id), json!(2));
}
