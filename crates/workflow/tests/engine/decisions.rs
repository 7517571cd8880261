//! What is known of each task that is ready or was (WFL-4).

use base::Sql;
use serde_json::json;

use crate::kit::Flow;

static ROWS: Sql = Sql::new(
    "test.decisions",
    "SELECT number, state, attempt, CASE WHEN pass IS NULL THEN 0 ELSE 1 END, recovery, failures, value, error_class, tasks \
     FROM wfl_decision ORDER BY number",
);

/// The decision of a task as it is kept: state, attempt, whether it has a pass and a time, failures, value, class of its error, tasks.
type Kept = (String, i64, bool, bool, i64, Option<String>, Option<String>, Option<String>);

fn kept(flow: &Flow, number: i64) -> Kept {
    let rows = flow.0.rows(&ROWS);
    let row = rows.iter().find(|row| row.int(0) == number).expect("a decision");
    let text = |column: usize| row.opt_text(column).map(str::to_owned);
    (
        row.text(1).to_owned(),
        row.int(2),
        row.int(3) == 1,
        row.opt_int(4).is_some(),
        row.int(5),
        text(6),
        text(7),
        text(8),
    )
}

#[test]
fn wfl_4_a_decision_is_registered_in_work_and_finished() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    assert_eq!(kept(&flow, 1), ("REGISTERED".into(), 0, false, false, 0, None, None, None));
    let task = flow.take("decide#1");
    assert_eq!(kept(&flow, 1), ("WORK".into(), 1, true, true, 0, None, None, None), "somebody looks after it");
    let tasks = json!([{ "id": "a", "actor": "a#1" }, { "id": "b", "actor": "b#1", "args": [{ "promise": "a" }] }]);
    flow.done(&task, json!({ "value": { "promise": "b" }, "tasks": tasks }));
    let made = Some(r#"{"made":[2,3],"as":3}"#.to_owned());
    assert_eq!(kept(&flow, 1), ("FINISH".into(), 1, true, false, 0, None, None, made), "with what it laid out");
    assert_eq!(flow.0.rows(&ROWS).len(), 2, "b is not ready: nothing is decided of it");
    flow.done(&flow.take("a#1"), json!({ "value": 7 }));
    assert_eq!(kept(&flow, 2), ("FINISH".into(), 1, true, false, 0, Some("7".into()), None, None));
    let shown = flow.tasks(&id);
    let states: Vec<(&str, i64)> = shown.iter().map(|task| (task.state.as_str(), task.attempt)).collect();
    assert_eq!(states, [("FINISH", 1), ("FINISH", 1), ("REGISTERED", 0)]);
    assert_eq!(shown[0].same_as, Some(format!("{id}.3")));
    assert_eq!(shown[1].value.as_ref().map(|value| value.get()), Some("7"));
}

#[test]
fn wfl_4_a_decision_counts_what_failed_and_keeps_the_last_error() {
    let flow = Flow::new();
    let id =
        flow.start(json!({ "actor": "a#1", "retry": { "initial_ms": 0, "max_attempts": 2 }, "accept_fail": true }));
    flow.done(&flow.take("a#1"), json!({ "error": { "class": "First" } }));
    assert_eq!(kept(&flow, 1), ("REGISTERED".into(), 1, false, false, 1, None, Some("First".into()), None));
    flow.done(&flow.take("a#1"), json!({ "error": { "class": "Second" } }));
    assert_eq!(kept(&flow, 1), ("FINISH".into(), 2, true, false, 2, None, Some("Second".into()), None));
    assert_eq!(flow.process(&id).error.unwrap().class, "Second", "its error is its result");
}
