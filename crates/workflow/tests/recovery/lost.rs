//! Results that got lost: what is needed is made again, what is not stays.

use base::Sql;
use serde_json::json;

use crate::kit::args;
use crate::surgery::{A_LOOK_MS, Watched};

static DECISION_1: Sql = Sql::new("test.lost_1", "DELETE FROM wfl_decision WHERE process = ?1 AND number = 1");
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
    world.done(&first, json!({ "value": "mine", "tasks": tasks.clone() }));
    world.cut_of(&DECISION_1, &id);
    world.done(&world.take("a#1"), json!({ "value": 1 }));
    assert_eq!(world.state(&id), "ACTIVE", "its result is lost");
    world.wait_ms(A_LOOK_MS);
    let again = world.take("decide#1");
    world.done(&again, json!({ "value": "mine", "tasks": tasks }));
    assert_eq!(world.value(&id), json!("mine"));
    assert_eq!(world.tasks(&id).len(), 2, "what it had laid out is the same");
}
