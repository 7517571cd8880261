//! Metrics of the workflow (WFL-22). One test alone in its process: metrics are of the process.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use testbed_web::{Edge, answered};
use workflow::recovery::OVERDUE;

fn metrics(edge: &Edge) -> String {
    let mut request = edge.request("", "GET", "/v1/x", &[], String::new());
    *request.uri_mut() = "/metrics".parse().unwrap();
    edge.runtime.block_on(answered(edge.router.clone(), request)).text
}

fn take(edge: &Edge, actor: &str) -> Value {
    let answer = edge.told(200, "POST", "/poll", &json!({ "actor": actor, "wait_ms": 0 }));
    answer["tasks"][0].clone()
}

fn bring(edge: &Edge, task: &Value, mut says: Value) -> bool {
    for name in ["task_id", "attempt", "pass"] {
        says[name] = task[name].clone();
    }
    edge.told(200, "POST", "/release", &json!({ "results": [says] }))["results"][0]["accepted"] == true
}

fn start(edge: &Edge, start: Value) -> String {
    let answer = edge.told(201, "POST", "/processes", &json!({ "type": "test", "start": start }));
    answer["process_id"].as_str().unwrap().to_owned()
}

fn pass_ms(edge: &Edge, ms: u64) {
    edge.world().pass_ms(ms);
    while edge.world().call(&OVERDUE, ()).unwrap().out {}
}

/// A process of each fate: finished after a retry and a silence, broken, tried again and aborted; with a late result and a task whose time
/// was over.
fn live(edge: &Edge) {
    let again = json!({ "retry": { "initial_ms": 1 } });
    start(edge, json!({ "actor": "a#1", "retry": again["retry"] }));
    pass_ms(edge, 2_000);
    let first = take(edge, "a#1");
    pass_ms(edge, 3_000);
    assert!(bring(edge, &first, json!({ "error": { "class": "Busy", "message": "later" } })));
    pass_ms(edge, 10);
    let silent = take(edge, "a#1");
    pass_ms(edge, 61_000);
    let last = take(edge, "a#1");
    assert!(bring(edge, &last, json!({ "value": 1 })));
    assert!(!bring(edge, &silent, json!({ "value": 2 })), "it comes late");
    let broken = start(edge, json!({ "actor": "b#1" }));
    assert!(bring(edge, &take(edge, "b#1"), json!({ "error": { "class": "Oops", "message": "no" } })));
    assert_eq!(edge.ask("POST", &format!("/broken/{broken}.1/retry"), &Value::Null).0, 204);
    assert_eq!(edge.ask("POST", &format!("/processes/{broken}/restart"), &json!({})).0, 204);
    assert_eq!(edge.ask("POST", &format!("/processes/{broken}/abort"), &json!({ "reason": "x" })).0, 204);
    start(edge, json!({ "actor": "c#1", "timeout_ms": 1000, "accept_fail": true }));
    pass_ms(edge, 2_000);
}

#[test]
fn wfl_22_every_outcome_and_latency_is_counted() {
    let edge = Edge::new("/v1/main/workflow", workflow::service());
    live(&edge);
    let shown = metrics(&edge);
    let value = |name: &str| {
        let line = shown.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {shown}"));
        line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()
    };
    for (name, count) in [
        (r#"processes_total{namespace="main",outcome="started"}"#, 3.0),
        (r#"processes_total{namespace="main",outcome="finished"}"#, 2.0),
        (r#"processes_total{namespace="main",outcome="broken"}"#, 1.0),
        (r#"processes_total{namespace="main",outcome="aborted"}"#, 1.0),
        (r#"processes_total{namespace="main",outcome="restarted"}"#, 1.0),
        (r#"tasks_total{namespace="main",outcome="given"}"#, 4.0),
        (r#"tasks_total{namespace="main",outcome="done"}"#, 1.0),
        (r#"tasks_total{namespace="main",outcome="failed"}"#, 3.0),
        (r#"tasks_total{namespace="main",outcome="retried"}"#, 1.0),
        (r#"tasks_total{namespace="main",outcome="late"}"#, 1.0),
        (r#"timeouts_total{namespace="main",kind="work"}"#, 1.0),
        (r#"timeouts_total{namespace="main",kind="task"}"#, 1.0),
        (r#"recovered_total{namespace="main",source="automatic"}"#, 1.0),
        (r#"recovered_total{namespace="main",source="operator"}"#, 1.0),
        (r#"polls_total{namespace="main",found="work"}"#, 4.0),
        (r#"wait_seconds_count{namespace="main"}"#, 4.0),
        (r#"work_seconds_count{namespace="main"}"#, 3.0),
        (r#"process_seconds_count{namespace="main"}"#, 2.0),
    ] {
        assert_eq!(value(&format!("fastness_workflow_{name}")), count, "{name}");
    }
    assert!(value(r#"fastness_workflow_wait_seconds_sum{namespace="main"}"#) >= 2.0, "it waited two seconds");
    assert!(value(r#"fastness_workflow_work_seconds_sum{namespace="main"}"#) >= 3.0, "it was worked on for three");
    assert!(
        shown.contains(r#"fastness_workflow_process_seconds_bucket{namespace="main",le="86400"}"#),
        "long ones are told apart"
    );
}
