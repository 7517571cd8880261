//! Every repair names its source, in counters and history (WFL-19).

use std::collections::BTreeMap;

use base::Sql;
use kernel::counters::list::{CounterInfo, CounterPage, LIST_COUNTERS};
use serde_json::json;
use workflow::jobs::CREATE_JOB;
use workflow::process::{RESTART, Restart};

use crate::kit::Flow;
use crate::surgery::{A_LOOK_MS, Watched};

static QUEUE: Sql = Sql::new("test.source_queue", "DELETE FROM wfl_queue WHERE process = ?1");
static GRAPH: Sql = Sql::new("test.source_graph", "DELETE FROM wfl_graph WHERE process = ?1");

fn counters(flow: &Flow, kind: &str) -> Vec<CounterInfo> {
    let kind = Some(kind.to_owned());
    let page = CounterPage { kind, name: None, after: (String::new(), String::new()), limit: 100 };
    flow.0.read(&LIST_COUNTERS, page).unwrap()
}

/// What was repaired, by whose doing.
fn repaired(flow: &Flow) -> BTreeMap<String, i64> {
    counters(flow, "workflow-recovery").into_iter().map(|counter| (counter.name, counter.processed)).collect()
}

fn sources(flow: &Flow, id: &str) -> Vec<(String, String)> {
    flow.history(id).into_iter().map(|line| (line.kind, line.source)).collect()
}

/// A process whose place in its queue is lost, and workers that poll.
fn dropped(world: &Watched) -> String {
    let id = world.start(json!({ "actor": "a#1" }));
    world.cut_of(&QUEUE, &id);
    world.wait_ms(10);
    world.nothing_for("a#1");
    id
}

#[test]
fn wfl_19_each_repair_says_whose_doing_it_is() {
    let world = Watched::new();
    world.0.kernel.watch_over();
    let by_itself = dropped(&world);
    world.wait_ms(A_LOOK_MS);
    assert_eq!(sources(&world, &by_itself), [("requeued".into(), "automatic".into())]);
    world.done(&world.take("a#1"), json!({ "value": 1 }));

    let by_job = dropped(&world);
    let wish = serde_json::from_value(json!({ "action": "recover" })).unwrap();
    let job = world.0.call(&CREATE_JOB, wish).unwrap().out.job;
    world.wait_ms(2_000);
    let source = format!("operator job {job}");
    assert_eq!(sources(&world, &by_job), [("requeued".into(), source.clone())]);

    let by_hand = world.start(json!({ "actor": "b#1" }));
    let restart = Restart { process: by_hand.clone(), task: None, source: None };
    world.0.call(&RESTART, restart).unwrap();
    let [(kind, source_of_hand)] = sources(&world, &by_hand).try_into().unwrap();
    assert_eq!(kind, "restarted");
    assert!(source_of_hand != "automatic" && !source_of_hand.is_empty(), "{source_of_hand}");

    let by_release = world.start(json!({ "actor": "c#1" }));
    let task = world.take("c#1");
    world.cut_of(&GRAPH, &by_release);
    world.done(&task, json!({ "value": 1 }));
    assert_eq!(
        sources(&world, &by_release),
        [("rebuilt".into(), "automatic".into())],
        "whoever needs it has it made anew"
    );

    world.wait_ms(60_000);
    let counted = repaired(&world);
    assert_eq!(counted.get(&source), Some(&1), "{counted:?}");
    assert!(counted.get("automatic").is_some_and(|many| *many >= 1), "{counted:?}");
}

#[test]
fn wfl_11_silences_are_counted_by_actor() {
    let world = Watched::new();
    world.0.kernel.watch_over();
    for actor in ["a#1", "b#1"] {
        world.start(json!({ "actor": actor }));
        world.take(actor);
    }
    world.wait_ms(61_000);
    world.take("b#1");
    world.wait_ms(61_000);
    world.wait_ms(60_000);
    let counted: Vec<(String, i64)> =
        counters(&world, "workflow-actor").into_iter().map(|counter| (counter.name, counter.deadlocks)).collect();
    assert_eq!(counted, [("a#1".to_owned(), 1), ("b#1".to_owned(), 2)]);
}
