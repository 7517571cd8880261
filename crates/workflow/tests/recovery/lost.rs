//! Results that got lost: what is needed is made again, what is not stays.

use base::{Sql, Value};
use serde_json::json;
use workflow::work::RELEASE;

use crate::kit::args;
use crate::surgery::{A_LOOK_MS, Watched};

static DECISION_1: Sql = Sql::new("test.lost_1", "DELETE FROM wfl_decision WHERE process = ?1 AND number = 1");
static ALL_QUEUED: Sql = Sql::new("test.lost_queue", "DELETE FROM wfl_queue WHERE process = ?1");
static GRAPH: Sql = Sql::new("test.lost_graph", "DELETE FROM wfl_graph WHERE process = ?1");
static DECISION_2: Sql = Sql::new("test.lost_2", "DELETE FROM wfl_decision WHERE process = ?1 AND number = 2");

fn two(world: &Watched) -> String {
    let id = world.start(json!({ "actor": "decide#1" }));
    let tasks = json!([{ "id": "a", "actor": "a#1" }, { "id": "b", "actor": "b#1", "args": [{ "promise": "a" }] }]);
    world.done(&world.take("decide#1"), json!({ "value": { "promise": "b" }, "tasks": tasks }));
    id
}

#[test]
fn wfl_25_a_value_that_is_needed_is_made_again() {
    let world = Watched::new();
    let id = two(&world);
    world.done(&world.take("a#1"), json!({ "value": 1 }));
    world.cut_of(&DECISION_2, &id);
    world.wait_ms(A_LOOK_MS);
    world.nothing_for("b#1");
    let again = world.take("a#1");
    assert_eq!(again.attempt, 2, "the fence grows on");
    world.done(&again, json!({ "value": 2 }));
    let b = world.take("b#1");
    assert_eq!(args(&b), [json!(2)]);
    world.done(&b, json!({ "value": 3 }));
    assert_eq!(world.value(&id), json!(3));
}

#[test]
fn wfl_25_a_value_that_nobody_needs_any_more_is_not() {
    let world = Watched::new();
    let id = two(&world);
    world.done(&world.take("a#1"), json!({ "value": 1 }));
    let b = world.take("b#1");
    world.cut_of(&DECISION_2, &id);
    assert_eq!(world.recover(&id).repaired, [], "who works on b has it");
    world.nothing_for("a#1");
    world.done(&b, json!({ "value": 3 }));
    assert_eq!(world.value(&id), json!(3));
}

#[test]
fn wfl_25_a_promise_that_got_lost_is_known_from_the_graph() {
    let world = Watched::new();
    let id = two(&world);
    world.cut_of(&DECISION_1, &id);
    world.wait_ms(A_LOOK_MS);
    world.nothing_for("decide#1");
    world.done(&world.take("a#1"), json!({ "value": 1 }));
    world.done(&world.take("b#1"), json!({ "value": 3 }));
    assert_eq!(world.value(&id), json!(3));
    assert_eq!(world.kinds(&id), ["rebuilt"]);
}

#[test]
fn wfl_25_a_process_does_not_end_without_its_result() {
    let world = Watched::new();
    let id = world.start(json!({ "actor": "decide#1" }));
    let tasks = json!([{ "id": "a", "actor": "a#1" }]);
    let first = world.take("decide#1");
    world.done(&first, json!({ "value": "mine", "tasks": tasks }));
    world.cut_of(&DECISION_1, &id);
    world.done(&world.take("a#1"), json!({ "value": 1 }));
    assert_eq!(world.state(&id), "ACTIVE", "its result is lost");
    world.wait_ms(A_LOOK_MS);
    let again = world.take("decide#1");
    world.done(&again, json!({ "value": "mine", "tasks": tasks }));
    assert_eq!(world.value(&id), json!("mine"));
    assert_eq!(world.tasks(&id).len(), 2, "what it had laid out is the same");
}

#[test]
fn wfl_25_a_process_of_many_tasks_is_repaired_in_several_looks() {
    let world = Watched::new();
    let id = world.start(json!({ "actor": "decide#1" }));
    let mut tasks: Vec<_> = (0..1_100).map(|n| json!({ "id": format!("t{n}"), "actor": "one#1" })).collect();
    let all: Vec<_> = (0..1_100).map(|n| json!({ "promise": format!("t{n}") })).collect();
    tasks.push(json!({ "id": "join", "actor": "join#1", "args": all }));
    world.done(&world.take("decide#1"), json!({ "value": { "promise": "join" }, "tasks": tasks }));
    world.wait_ms(10);
    assert_eq!(world.cut(&ALL_QUEUED, vec![Value::from(id.clone())]), 1_100);
    world.nothing_for("one#1");
    world.wait_ms(A_LOOK_MS);
    let mut given: Vec<_> = (0..3).flat_map(|_| world.poll_many("one#1", 400)).collect();
    assert_eq!(given.len(), 1_100, "all are queued again");
    for task in given.drain(..50) {
        world.done(&task, json!({ "value": 1 }));
    }
    world.cut_of(&GRAPH, &id);
    let result = json!({ "task_id": given[0].task_id, "attempt": 1, "value": 1 });
    let release = serde_json::from_value(json!({ "results": [result] })).unwrap();
    assert_eq!(world.0.call(&RELEASE, release).unwrap_err().code.name, "XBUSY", "its graph is made anew elsewhere");
    world.wait_ms(15_000);
    assert_eq!(world.history(&id)[0].kind, "rebuilt");
    for task in given {
        world.done(&task, json!({ "value": 1 }));
    }
    let join = world.take("join#1");
    assert_eq!(args(&join).len(), 1_100);
    world.done(&join, json!({ "value": "all" }));
    assert_eq!(world.value(&id), json!("all"));
}
