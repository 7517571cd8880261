//! Broken tasks are grouped, listed and tried again.

use base::Wall;
use serde_json::json;
use workflow::broken::{BROKEN, BROKEN_TASKS, BrokenOf, BrokenTasksOf, Grouping, RETRY, Retry};
use workflow::process::{ABORT, Abort};

use crate::kit::Flow;
use crate::{alerts, break_one};

fn groups(flow: &Flow, group: Grouping, from: Option<String>) -> Vec<(String, i64)> {
    let found = flow.0.read(&BROKEN, BrokenOf { group, from, to: None }).unwrap();
    assert!(!found.more);
    found.groups.into_iter().map(|group| (group.group, group.count)).collect()
}

fn retry(flow: &Flow, task: &str) -> Result<(), base::OpError> {
    flow.0.call(&RETRY, Retry { task_id: task.into(), source: None }).map(drop)
}

#[test]
fn wfl_17_broken_tasks_are_grouped_and_regrouped_within_a_range() {
    let flow = Flow::new();
    break_one(&flow, "order", "a#1", "Oops");
    break_one(&flow, "order", "a#1", "Timeout");
    flow.pass_ms(60_000);
    break_one(&flow, "bill", "b#1", "Oops");
    let aborted = break_one(&flow, "bill", "b#1", "Oops");
    flow.0.call(&ABORT, Abort { process: aborted, reason: "not wanted".into(), source: None }).unwrap();
    assert_eq!(groups(&flow, Grouping::Error, None), [("Oops".into(), 2), ("Timeout".into(), 1)]);
    assert_eq!(groups(&flow, Grouping::Actor, None), [("a#1".into(), 2), ("b#1".into(), 1)]);
    assert_eq!(groups(&flow, Grouping::Starter, None), [("a#1".into(), 2), ("b#1".into(), 1)]);
    let later = Wall(testbed::NOON + 30_000).rfc3339();
    assert_eq!(groups(&flow, Grouping::Error, Some(later)), [("Oops".into(), 1)]);
    let wrong = BrokenOf { from: Some("noon".into()), ..BrokenOf::default() };
    assert_eq!(flow.0.read(&BROKEN, wrong).unwrap_err().code.name, "AWORKFLOW");
}

#[test]
fn wfl_17_the_tasks_of_a_group_come_page_by_page_with_message_and_trace() {
    let flow = Flow::new();
    let ids: Vec<String> = (0..5).map(|_| break_one(&flow, "order", "a#1", "Oops")).collect();
    break_one(&flow, "order", "a#1", "Other");
    let mut wanted = BrokenTasksOf {
        group: Grouping::Error,
        name: Some("Oops".into()),
        from: None,
        to: None,
        after: None,
        limit: 2,
    };
    let mut seen = vec![];
    loop {
        let page = flow.0.read(&BROKEN_TASKS, wanted.clone()).unwrap();
        assert!(page.tasks.iter().all(|task| task.error.message == "Oops happened"
            && task.error.trace.as_deref() == Some("at line 7")
            && task.attempt == 1));
        seen.extend(page.tasks.into_iter().map(|task| task.process_id));
        wanted.after = page.next;
        if wanted.after.is_none() {
            break;
        }
    }
    seen.reverse();
    assert_eq!(seen, ids, "each once, newest first");
    for (after, limit) in [(Some("x"), 2), (None, 0), (None, 101)] {
        let wanted = BrokenTasksOf { after: after.map(str::to_owned), limit, ..wanted.clone() };
        assert!(flow.0.read(&BROKEN_TASKS, wanted).is_err(), "{after:?} {limit}");
    }
}

#[test]
fn wfl_17_a_broken_task_is_tried_again_with_a_new_attempt() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    let tasks = json!([{ "id": "a", "actor": "a#1" }, { "id": "b", "actor": "b#1" }]);
    flow.done(&flow.take("decide#1"), json!({ "tasks": tasks }));
    for actor in ["a#1", "b#1"] {
        flow.done(&flow.take(actor), json!({ "error": { "class": "Oops" } }));
    }
    assert_eq!(alerts(&flow, "workflow-broken"), ["workflow-broken/test"]);
    retry(&flow, &format!("{id}.2")).unwrap();
    assert_eq!(flow.state(&id), "BROKEN", "the other one is broken still");
    assert_eq!(alerts(&flow, "workflow-broken").len(), 1);
    retry(&flow, &format!("{id}.3")).unwrap();
    assert_eq!(flow.state(&id), "ACTIVE");
    assert_eq!(alerts(&flow, "workflow-broken"), Vec::<String>::new(), "no process of the type is broken");
    let again = flow.take("a#1");
    assert_eq!(again.attempt, 2);
    flow.done(&again, json!({}));
    flow.done(&flow.take("b#1"), json!({}));
    assert_eq!(flow.value(&id), json!(null));
    let lines = flow.history(&id);
    let retried: Vec<&str> =
        lines.iter().filter(|line| line.kind == "retried").map(|line| line.source.as_str()).collect();
    assert_eq!(retried, ["app", "app"], "whose doing it was");
}

#[test]
fn wfl_17_what_is_not_broken_is_not_tried_again() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "a#1" }));
    assert_eq!(retry(&flow, &format!("{id}.1")).unwrap_err().code.name, "AFLOW");
    assert_eq!(retry(&flow, &format!("{id}.9")).unwrap_err().code.name, "NFLOWTASK");
    assert_eq!(retry(&flow, "nothing").unwrap_err().code.name, "NFLOWTASK");
    let broken = break_one(&flow, "other", "b#1", "Oops");
    retry(&flow, &format!("{broken}.1")).unwrap();
    assert_eq!(retry(&flow, &format!("{broken}.1")).unwrap_err().code.name, "AFLOW", "once");
    assert_eq!(flow.poll_many("b#1", 10).len(), 1);
}

#[test]
fn wfl_17_a_task_that_stands_for_an_aborted_process_begins_that_anew() {
    let flow = Flow::new();
    let id = flow.start(json!({ "actor": "decide#1" }));
    let child = json!({ "start": { "actor": "child#1" } });
    let tasks = json!([{ "id": "sub", "actor": "@process", "method": "part", "args": [{ "value": child }] }]);
    flow.done(&flow.take("decide#1"), json!({ "value": { "promise": "sub" }, "tasks": tasks }));
    let task = flow.take("child#1");
    let abort = Abort { process: task.process_id, reason: "oops".into(), source: None };
    flow.0.call(&ABORT, abort).unwrap();
    assert_eq!(flow.state(&id), "BROKEN");
    retry(&flow, &format!("{id}.2")).unwrap();
    assert_eq!(flow.state(&id), "ACTIVE");
    flow.done(&flow.take("child#1"), json!({ "value": "well" }));
    assert_eq!(flow.value(&id), json!("well"));
}
