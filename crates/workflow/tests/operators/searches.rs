//! Processes are found by whatever is known of them.

use base::Wall;
use serde_json::{Value, json};
use workflow::search::{
    DELETE_SEARCH, Found, Order, PROCESSES, ProcessesOf, SAVE_SEARCH, SEARCHES, SaveSearch, Search,
};

use crate::break_one;
use crate::kit::Flow;

fn page(flow: &Flow, search: Value, order: Order, after: Option<String>, limit: u32) -> Result<Found, base::OpError> {
    let search = serde_json::from_value(search).expect("a search");
    flow.0.read(&PROCESSES, ProcessesOf { search, order, after, limit, now: Wall(testbed::NOON + 1_000_000) })
}

fn ids(flow: &Flow, search: Value) -> Vec<String> {
    let found = page(flow, search, Order::Oldest, None, 100).unwrap();
    assert_eq!(found.next, None);
    found.processes.into_iter().map(|line| line.process_id).collect()
}

#[test]
fn wfl_18_processes_are_found_by_what_is_known_of_them() {
    let flow = Flow::new();
    let first = flow
        .try_start(json!({ "type": "order", "custom_id": "c-1", "start": { "actor": "a#1", "args": [{ "value": { "number": 17, "name": "blue chair" } }] } }))
        .unwrap();
    flow.pass_ms(10_000);
    let second = flow.try_start(json!({ "type": "order", "custom_id": "c-2", "start": { "actor": "b#1" } })).unwrap();
    let broken = break_one(&flow, "bill", "c#1", "Oops");
    flow.pass_ms(10_000);
    flow.done(&flow.take("b#1"), json!({ "value": 1, "tasks": [{ "actor": "late#1" }] }));
    flow.done(&flow.take("late#1"), json!({}));
    let check = |search: Value, expected: &[&String]| {
        assert_eq!(ids(&flow, search.clone()).iter().collect::<Vec<_>>(), expected, "{search}");
    };
    check(json!({}), &[&first, &second, &broken]);
    check(json!({ "id": second }), &[&second]);
    check(json!({ "id": second, "type": "bill" }), &[]);
    check(json!({ "custom_id": "c-1" }), &[&first]);
    check(json!({ "type": "order" }), &[&first, &second]);
    check(json!({ "state": "ACTIVE" }), &[&first]);
    check(json!({ "state": "FINISHED" }), &[&second]);
    check(json!({ "state": "BROKEN", "type": "bill" }), &[&broken]);
    check(json!({ "actor": "late#1" }), &[&second]);
    check(json!({ "error_class": "Oops" }), &[&broken]);
    check(json!({ "error": "HAPPENED" }), &[&broken]);
    check(json!({ "error": "line 7" }), &[&broken]);
    check(json!({ "argument": "chair" }), &[&first]);
    check(json!({ "argument": 17 }), &[&first]);
    check(json!({ "argument": 18 }), &[]);
    let at = |ms: i64| Wall(testbed::NOON + ms).rfc3339();
    check(json!({ "started_from": at(5_000) }), &[&second, &broken]);
    check(json!({ "started_to": at(5_000) }), &[&first]);
    check(json!({ "ended_from": at(15_000) }), &[&second]);
    check(json!({ "ended_to": at(15_000) }), &[]);
    check(json!({ "duration_max_ms": 20_000 }), &[&second]);
    check(json!({ "duration_min_ms": 20_000, "type": "order" }), &[&first]);
    check(json!({ "unchanged_min_ms": 15_000 }), &[&first]);
    check(json!({ "unchanged_max_ms": 1_000 }), &[&second]);
}

#[test]
fn wfl_18_pages_follow_each_other_in_both_orders_and_never_look_at_too_much() {
    let flow = Flow::new();
    let all: Vec<String> = (0..2_500).map(|_| flow.start(json!({ "actor": "a#1" }))).collect();
    for order in [Order::Oldest, Order::Newest] {
        let (mut seen, mut after) = (vec![], None);
        loop {
            let found = page(&flow, json!({ "type": "test" }), order, after, 900).unwrap();
            seen.extend(found.processes.into_iter().map(|line| line.process_id));
            after = found.next;
            if after.is_none() {
                break;
            }
        }
        if order == Order::Newest {
            seen.reverse();
        }
        assert_eq!(seen, all, "each once, in order");
    }
    let nothing = page(&flow, json!({ "state": "FINISHED" }), Order::Oldest, None, 10).unwrap();
    assert_eq!(nothing.processes, []);
    assert_eq!(nothing.next.as_ref(), Some(&all[1_999]), "it looked at 2,000 and tells where to go on");
    let rest = page(&flow, json!({ "state": "FINISHED" }), Order::Oldest, nothing.next, 10).unwrap();
    assert_eq!((rest.processes.len(), rest.next), (0, None));
}

#[test]
fn wfl_18_what_cannot_be_searched_for_is_refused() {
    let flow = Flow::new();
    let code =
        |search: Value, limit: u32| page(&flow, search, Order::Newest, None, limit).map(|_| ()).unwrap_err().code.name;
    assert_eq!(code(json!({ "state": "DONE" }), 10), "AWORKFLOW");
    assert_eq!(code(json!({ "started_from": "noon" }), 10), "AWORKFLOW");
    assert_eq!(code(json!({ "argument": "x".repeat(5 << 20) }), 10), "ALIMIT");
    assert_eq!(code(json!({ "custom_id": "x".repeat(5 << 20) }), 10), "AWORKFLOW");
    assert_eq!(code(json!({}), 0), "ALIMIT");
    assert_eq!(code(json!({}), 1_001), "ALIMIT");
    let unknown = serde_json::from_value::<Search>(json!({ "stat": "ACTIVE" })).unwrap_err().to_string();
    assert!(unknown.contains("unknown field `stat`"), "{unknown}");
}

#[test]
fn wfl_18_searches_are_saved_replaced_and_deleted() {
    let flow = Flow::new();
    let save = |name: &str, kind: &str| {
        let search = Search { kind: Some(kind.into()), ..Search::default() };
        flow.0.call(&SAVE_SEARCH, SaveSearch { name: name.into(), search })
    };
    save("mine", "order").unwrap();
    save("mine", "bill").unwrap();
    save("other", "order").unwrap();
    assert_eq!(save("", "order").unwrap_err().code.name, "AWORKFLOW");
    assert_eq!(save("x", "no word").unwrap_err().code.name, "AWORKFLOW");
    let saved = flow.0.read(&SEARCHES, ()).unwrap();
    let names: Vec<(&str, Option<&str>)> =
        saved.iter().map(|saved| (saved.name.as_str(), saved.search.kind.as_deref())).collect();
    assert_eq!(names, [("mine", Some("bill")), ("other", Some("order"))]);
    flow.0.call(&DELETE_SEARCH, "mine".into()).unwrap();
    assert_eq!(flow.0.call(&DELETE_SEARCH, "mine".into()).unwrap_err().code.name, "NFLOWJOB");
    assert_eq!(flow.0.read(&SEARCHES, ()).unwrap().len(), 1);
}
