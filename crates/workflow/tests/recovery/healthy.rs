//! Where nothing is wrong nothing changes (WFL-15), and the analysis says so (WFL-20).

use base::{Sql, Value};
use serde_json::json;
use workflow::recovery::{ANALYSE, Analyse};

use crate::kit::Flow;
use crate::surgery::{A_LOOK_MS, Watched};

static TABLES: [Sql; 8] = [
    Sql::new("test.p", "SELECT id, type, first, state, ended, changed, value, error FROM wfl_process ORDER BY id"),
    Sql::new("test.t", "SELECT process, number, attempt, args FROM wfl_task ORDER BY process, number"),
    Sql::new(
        "test.d",
        "SELECT process, number, state, attempt, pass, queue, queued, restarted, failures, value, error, tasks FROM wfl_decision \
         ORDER BY process, number",
    ),
    Sql::new("test.q", "SELECT queue, at, process, number FROM wfl_queue ORDER BY queue, at, process, number"),
    Sql::new("test.g", "SELECT process, version, changed, open, ready, done, data FROM wfl_graph ORDER BY process"),
    Sql::new("test.s", "SELECT process, name, id FROM wfl_signal ORDER BY process, name, id"),
    Sql::new("test.h", "SELECT process, id, kind FROM wfl_history ORDER BY process, id"),
    Sql::new("test.k", "SELECT op, param FROM task WHERE op = 'workflow.begin' ORDER BY id"),
];
static DUE_GRAPHS: Sql = Sql::new("test.due_graphs", "UPDATE wfl_graph SET recovery = 1 WHERE recovery IS NOT NULL");
static DUE_PROCESSES: Sql =
    Sql::new("test.due_processes", "UPDATE wfl_process SET recovery = 1 WHERE recovery IS NOT NULL");
static STILL_DUE: Sql = Sql::new(
    "test.still_due",
    "SELECT COUNT(*) FROM wfl_process p JOIN wfl_graph g ON g.process = p.id WHERE p.recovery = 1 OR g.recovery = 1",
);
static QUEUE: Sql = Sql::new("test.healthy_queue", "DELETE FROM wfl_queue WHERE process = ?1");

fn digest(flow: &Flow) -> Vec<String> {
    TABLES.iter().map(|sql| format!("{:?}", flow.0.rows(sql))).collect()
}

/// Processes in every state that is well, nobody in work; their ids.
fn all_kinds(flow: &Flow) -> Vec<String> {
    let soon = base::Wall(testbed::NOON + 36_000_000).rfc3339();
    let child = json!({ "start": { "actor": "child#1" } });
    let tasks = [
        json!({ "id": "x", "actor": "@signal", "method": "go" }),
        json!({ "id": "x", "actor": "@timer", "args": [{ "value": 36_000_000 }] }),
        json!({ "id": "x", "actor": "a#1", "start_at": soon }),
        json!({ "id": "x", "actor": "@process", "method": "part", "args": [{ "value": child }] }),
        json!({ "id": "x", "actor": "unpolled#1" }),
        json!({ "id": "x", "actor": "a#1", "retry": { "initial_ms": 3_000_000, "max_interval_ms": 3_000_000 } }),
    ];
    let mut ids = vec![];
    for task in tasks {
        let id = flow.start(json!({ "actor": "decide#1" }));
        let tasks = json!([task, { "id": "y", "actor": "y#1", "args": [{ "promise": "x" }] }]);
        flow.done(&flow.take("decide#1"), json!({ "value": { "promise": "y" }, "tasks": tasks }));
        ids.push(id);
    }
    flow.done(&flow.take("a#1"), json!({ "error": { "class": "Oops" } }));
    let broken = flow.start(json!({ "actor": "b#1" }));
    flow.done(&flow.take("b#1"), json!({ "error": { "class": "Oops" } }));
    let done = flow.start(json!({ "actor": "b#1" }));
    flow.done(&flow.take("b#1"), json!({ "value": 1 }));
    flow.start(json!({ "actor": "a#1" }));
    ids.extend([broken, done]);
    ids
}

#[test]
fn wfl_15_recovery_of_what_is_well_changes_nothing_but_when_to_look() {
    let world = Watched::new();
    let ids = all_kinds(&world);
    world.poll_many("a#1", 10);
    let before = digest(&world);
    for id in &ids {
        assert_eq!(world.recover(id).repaired, [], "{id}");
    }
    assert_eq!(digest(&world), before);
}

#[test]
fn wfl_13_wfl_15_looks_at_what_is_well_only_put_it_off() {
    let world = Watched::new();
    all_kinds(&world);
    for _ in 0..3 {
        world.cut(&DUE_GRAPHS, vec![]);
        world.cut(&DUE_PROCESSES, vec![]);
        let before = digest(&world);
        world.wait_ms(A_LOOK_MS);
        assert_eq!(world.0.count(&STILL_DUE), 0, "all were looked at");
        assert_eq!(digest(&world), before);
    }
}

#[test]
fn wfl_13_nobody_looks_at_graphs_before_the_longest_poll() {
    let world = Watched::new();
    world.start(json!({ "actor": "a#1" }));
    world.cut(&DUE_GRAPHS, vec![]);
    world.cut(&DUE_PROCESSES, vec![]);
    world.wait_ms(59_000);
    assert_eq!(world.0.count(&STILL_DUE), 1);
    world.wait_ms(2_000);
    assert_eq!(world.0.count(&STILL_DUE), 0);
}

#[test]
fn wfl_20_the_analysis_tells_what_is_ill_and_changes_nothing() {
    let flow = Flow::new();
    all_kinds(&flow);
    let ill = flow.start(json!({ "actor": "c#1" }));
    assert_eq!(flow.cut(&QUEUE, vec![Value::from(ill.clone())]), 1);
    flow.0.pass_ms(10);
    flow.nothing_for("c#1");
    let before = digest(&flow);
    let page = |kind: Option<&str>, after: &str, limit| {
        let wanted = Analyse { kind: kind.map(str::to_owned), after: after.into(), limit, now: testbed::NOON };
        flow.0.read(&ANALYSE, wanted).unwrap()
    };
    let all = page(None, "", 1_000);
    assert_eq!((all.found, all.healthy, all.ill.len()), (11, 10, 1), "{all:?}");
    assert_eq!((&all.ill[0].process, all.ill[0].would_repair.len()), (&ill, 1));
    assert_eq!(page(Some("part"), "", 1_000).found, 1);
    let (mut after, mut found) = (String::new(), 0);
    while let Some(next) = page(Some("test"), &after, 3).next {
        found += page(Some("test"), &after, 3).found;
        after = next;
    }
    assert_eq!(found, 10);
    assert_eq!(digest(&flow), before);
}
