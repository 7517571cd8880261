//! The original's seven cases (WFL-13), each made by surgery, and what concerns whole processes (WFL-14).

use base::{Sql, Value};
use serde_json::{Value as Json, json};
use workflow::broken::{RETRY, Retry};

use crate::kit::args;
use crate::surgery::{A_LOOK_MS, Watched};

static QUEUE: Sql = Sql::new("test.queue", "DELETE FROM wfl_queue WHERE process = ?1");
static DECISION_1: Sql = Sql::new("test.decision_1", "DELETE FROM wfl_decision WHERE process = ?1 AND number = 1");
static DECISION_3: Sql = Sql::new("test.decision_3", "DELETE FROM wfl_decision WHERE process = ?1 AND number = 3");
static TASK_1: Sql = Sql::new("test.task_1", "DELETE FROM wfl_task WHERE process = ?1 AND number = 1");
static TASK_3: Sql = Sql::new("test.task_3", "DELETE FROM wfl_task WHERE process = ?1 AND number = 3");
static GRAPH: Sql = Sql::new("test.graph", "DELETE FROM wfl_graph WHERE process = ?1");
static DAMAGE: Sql = Sql::new("test.damage", "UPDATE wfl_graph SET data = '{' WHERE process = ?1");
static DAMAGE_1: Sql = Sql::new("test.damage_1", "UPDATE wfl_task SET args = '{' WHERE process = ?1 AND number = 1");
static DAMAGE_2: Sql = Sql::new("test.damage_2", "UPDATE wfl_task SET args = '{' WHERE process = ?1 AND number = 2");
static GRAPHS: Sql = Sql::new("test.graphs", "SELECT data, open, ready, done FROM wfl_graph ORDER BY process");
static PUT_BACK: Sql =
    Sql::new("test.put_back", "UPDATE wfl_graph SET data = ?2, open = ?3, ready = ?4, done = ?5 WHERE process = ?1");
static UNFINISH: Sql = Sql::new(
    "test.unfinish",
    "UPDATE wfl_process SET state = 'ACTIVE', ended = NULL, ended_at = NULL, value = NULL, recovery = 1 WHERE id = ?1",
);
static ALERTS: Sql = Sql::new("test.alerts", "SELECT COUNT(*) FROM alert WHERE kind = 'workflow-broken'");
pub static RESTARTS: Sql =
    Sql::new("test.restarts", "INSERT INTO wfl_type (id, on_inconsistency) VALUES (?1, 'restart')");

/// A coordinator laid out a, and b that needs it; a is to be done.
fn two(world: &Watched) -> String {
    let id = world.start(json!({ "actor": "decide#1" }));
    let tasks = json!([{ "id": "a", "actor": "a#1" }, { "id": "b", "actor": "b#1", "args": [{ "promise": "a" }] }]);
    world.done(&world.take("decide#1"), json!({ "value": { "promise": "b" }, "tasks": tasks }));
    id
}

#[test]
fn wfl_13_cases_1_and_2_nobody_polls_and_nothing_is_done() {
    let world = Watched::new();
    let id = world.start(json!({ "actor": "a#1" }));
    world.cut_of(&QUEUE, &id);
    world.wait_ms(2 * A_LOOK_MS);
    assert_eq!(world.kinds(&id), Vec::<String>::new());
    assert_eq!(world.process(&id).verdict.unwrap().verdict, "nobody-polls");
    world.nothing_for("a#1");
    world.wait_ms(A_LOOK_MS);
    world.done(&world.take("a#1"), json!({ "value": 1 }));
    assert_eq!(world.value(&id), json!(1), "once somebody polls it is found out");
}

#[test]
fn wfl_13_case_3_behind_a_backlog_nothing_is_done() {
    let world = Watched::new();
    world.start(json!({ "actor": "a#1" }));
    world.wait_ms(10);
    let second = world.start(json!({ "actor": "a#1" }));
    assert_eq!(world.poll_many("a#1", 1).len(), 1);
    world.cut_of(&QUEUE, &second);
    world.recover(&second);
    assert_eq!(world.process(&second).verdict.unwrap().verdict, "backlog", "its turn has not come");
    assert_eq!(world.kinds(&second), Vec::<String>::new());
    world.wait_ms(1);
    world.nothing_for("a#1");
    world.recover(&second);
    assert_eq!(world.kinds(&second), ["requeued"]);
    assert_eq!(world.take("a#1").process_id, second);
}

#[test]
fn wfl_13_case_4_a_result_that_is_stored_is_applied() {
    let world = Watched::new();
    let id = two(&world);
    let before = world.0.rows(&GRAPHS).remove(0);
    world.done(&world.take("a#1"), json!({ "value": "a" }));
    let values = vec![
        Value::from(id.clone()),
        Value::from(before.text(0).to_owned()),
        Value::from(before.int(1)),
        Value::from(before.int(2)),
        Value::from(before.int(3)),
    ];
    assert_eq!(world.cut(&PUT_BACK, values), 1);
    world.cut_of(&QUEUE, &id);
    world.cut_of(&DECISION_3, &id);
    world.wait_ms(A_LOOK_MS);
    assert_eq!(world.kinds(&id)[0], "applied");
    let b = world.take("b#1");
    assert_eq!(args(&b), [json!("a")]);
    world.done(&b, json!({ "value": "b" }));
    assert_eq!(world.value(&id), json!("b"));
}

#[test]
fn wfl_13_case_5_what_was_never_queued_is() {
    let world = Watched::new();
    let id = world.start(json!({ "actor": "a#1" }));
    world.cut_of(&QUEUE, &id);
    world.cut_of(&DECISION_1, &id);
    world.wait_ms(10);
    world.nothing_for("a#1");
    world.wait_ms(A_LOOK_MS);
    world.done(&world.take("a#1"), json!({ "value": 1 }));
    assert_eq!(world.value(&id), json!(1));
    let line = world.history(&id).remove(0);
    assert_eq!((line.kind.as_str(), line.source.as_str()), ("requeued", "automatic"));
}

#[test]
fn wfl_13_case_6_what_is_registered_and_in_no_queue_is_queued() {
    let world = Watched::new();
    let id = world.start(json!({ "actor": "a#1" }));
    world.cut_of(&QUEUE, &id);
    world.wait_ms(10);
    world.nothing_for("a#1");
    world.wait_ms(A_LOOK_MS);
    let task = world.take("a#1");
    world.done(&task, json!({ "value": 1 }));
    assert_eq!((task.attempt, world.value(&id)), (1, json!(1)));
    assert_eq!(world.kinds(&id), ["requeued"]);
}

#[test]
fn wfl_13_case_7_a_missing_start_is_laid_out_again() {
    for with_graph in [true, false] {
        let world = Watched::new();
        let id = world.start(json!({ "actor": "a#1", "args": [{ "value": 7 }] }));
        [&TASK_1, &DECISION_1, &QUEUE].iter().for_each(|sql| world.cut_of(sql, &id));
        if !with_graph {
            world.cut_of(&GRAPH, &id);
        }
        world.wait_ms(A_LOOK_MS);
        let task = world.take("a#1");
        assert_eq!(args(&task), [json!(7)]);
        world.done(&task, json!({ "value": 1 }));
        assert_eq!(world.value(&id), json!(1));
    }
}

#[test]
fn wfl_14_a_process_whose_tasks_are_done_is_finished() {
    let world = Watched::new();
    let id = two(&world);
    world.done(&world.take("a#1"), json!({ "value": "a" }));
    world.done(&world.take("b#1"), json!({ "value": "b" }));
    world.cut_of(&UNFINISH, &id);
    world.wait_ms(A_LOOK_MS);
    assert_eq!(world.value(&id), json!("b"));
}

#[test]
fn wfl_14_a_graph_that_is_lost_or_damaged_is_made_anew() {
    for sql in [&GRAPH, &DAMAGE] {
        let world = Watched::new();
        let id = two(&world);
        world.done(&world.take("a#1"), json!({ "value": "a" }));
        world.cut_of(sql, &id);
        world.recover(&id);
        assert!(world.kinds(&id).contains(&"rebuilt".to_owned()), "{:?}", world.kinds(&id));
        world.done(&world.take("b#1"), json!({ "value": "b" }));
        assert_eq!(world.value(&id), json!("b"));
    }
}

#[test]
fn wfl_11_a_missing_task_breaks_its_process_with_an_alert() {
    let world = Watched::new();
    let id = two(&world);
    world.cut_of(&TASK_3, &id);
    world.done(&world.take("a#1"), json!({ "value": "a" }));
    world.wait_ms(A_LOOK_MS);
    let process = world.process(&id);
    assert_eq!((process.state.as_str(), process.error.unwrap().class.as_str()), ("BROKEN", "Inconsistent"));
    assert_eq!(world.kinds(&id), ["inconsistent"]);
    assert_eq!(world.0.count(&ALERTS), 1);
    world.wait_ms(2 * A_LOOK_MS);
    assert_eq!(world.kinds(&id), ["inconsistent"], "once");
}

#[test]
fn wfl_11_a_task_that_cannot_be_read_is_as_good_as_lost_and_stops_no_other() {
    let world = Watched::new();
    let (broken, first) = (two(&world), world.start(json!({ "actor": "c#1", "args": [{ "value": 7 }] })));
    world.cut_of(&DAMAGE_2, &broken);
    world.cut_of(&DAMAGE_1, &first);
    world.wait_ms(10);
    world.nothing_for("a#1");
    world.nothing_for("c#1");
    world.nothing_for("c#1");
    world.wait_ms(A_LOOK_MS);
    assert_eq!(world.state(&broken), "BROKEN");
    let again = world.take("c#1");
    assert_eq!(args(&again), [json!(7)], "the process tells what its first task was");
    world.done(&again, json!({ "value": 1 }));
    assert_eq!(world.value(&first), json!(1));
}

#[test]
fn wfl_11_a_missing_task_restarts_a_process_whose_type_allows_it() {
    let world = Watched::new();
    world.cut_of(&RESTARTS, "test");
    let id = two(&world);
    world.cut_of(&TASK_3, &id);
    world.wait_ms(A_LOOK_MS);
    assert_eq!(world.kinds(&id), ["inconsistent", "restarted"]);
    world.done(&world.take("decide#1"), json!({ "value": Json::from("again") }));
    assert_eq!(world.value(&id), json!("again"));
}

#[test]
fn wfl_14_wfl_17_a_broken_task_that_is_missing_begins_its_process_anew_where_the_type_allows_it() {
    let world = Watched::new();
    let id = world.start(json!({ "actor": "a#1" }));
    world.done(&world.take("a#1"), json!({ "error": { "class": "Oops" } }));
    world.cut_of(&TASK_1, &id);
    let retry = || world.0.call(&RETRY, Retry { task_id: format!("{id}.1"), source: None }).map(drop);
    let refused = retry().unwrap_err();
    assert_eq!((refused.code.name, world.state(&id).as_str()), ("NFLOWTASK", "BROKEN"));
    assert!(refused.message.contains("restart process"), "it says what to do: {refused:?}");
    world.cut_of(&RESTARTS, "test");
    retry().unwrap();
    assert_eq!(world.kinds(&id), ["failed", "inconsistent", "restarted"]);
    world.done(&world.take("a#1"), json!({ "value": "well" }));
    assert_eq!(world.value(&id), json!("well"));
}
