//! Bad input gets a clear error and changes nothing.

use serde_json::{Value, json};

use crate::tour::{poll, start};

#[test]
fn wfl_3_what_cannot_be_started_is_refused() {
    let edge = crate::edge();
    let of = |start: Value| json!({ "type": "test", "start": start });
    let bad = [
        (of(json!({ "actor": "nobody" })), "AWORKFLOW"),
        (of(json!({ "actor": "a#1", "args": [{ "promise": "x" }] })), "AWORKFLOW"),
        (of(json!({ "actor": "a#1", "wait_for": ["x"] })), "AWORKFLOW"),
        (of(json!({ "actor": "a#1", "args": [{}] })), "AWORKFLOW"),
        (of(json!({ "actor": "a#1", "retry": { "factor": -1 } })), "AWORKFLOW"),
        (of(json!({ "actor": "a#1", "more": 1 })), "ABODY"),
        (of(json!({ "method": "x" })), "ABODY"),
        (json!({ "start": { "actor": "a#1" } }), "ABODY"),
        (json!({ "type": "a b", "start": { "actor": "a#1" } }), "AWORKFLOW"),
        (json!({ "type": "test", "key": "@x", "start": { "actor": "a#1" } }), "AWORKFLOW"),
        (of(json!({ "actor": "a#1", "args": [{ "value": "x".repeat(5 << 20) }] })), "ATOOBIG"),
    ];
    for (body, code) in bad {
        assert_eq!(
            edge.refused("POST", "/processes", &body).1,
            code,
            "{}",
            body.to_string().chars().take(200).collect::<String>()
        );
    }
    assert_eq!(poll(&edge, "a#1").len(), 0);
}

#[test]
fn wfl_6_what_cannot_be_polled_is_refused() {
    let edge = crate::edge();
    for (body, code) in [
        (json!({ "actor": "a" }), "AWORKFLOW"),
        (json!({ "actor": "@timer" }), "AWORKFLOW"),
        (json!({ "actor": "a#1", "max": 0 }), "ALIMIT"),
        (json!({ "actor": "a#1", "max": 501 }), "ALIMIT"),
        (json!({ "actor": "a#1", "wait_ms": 60_001 }), "ALIMIT"),
        (json!({ "actor": "a#1", "max": -1 }), "ABODY"),
        (json!({}), "ABODY"),
    ] {
        assert_eq!(edge.refused("POST", "/poll", &body).1, code, "{body}");
    }
}

#[test]
fn wfl_7_results_of_what_was_never_given_are_refused() {
    let edge = crate::edge();
    let id = start(&edge, json!({ "actor": "a#1" }));
    let untaken = format!("{id}.1");
    for (task, attempt, reason) in [
        ("nonsense", 1, "no such task"),
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV.1", 1, "no such task"),
        (untaken.as_str(), 1, "this attempt was never given out"),
        (untaken.as_str(), 0, "this attempt was never given out"),
    ] {
        let told = edge.told(
            200,
            "POST",
            "/release",
            &json!({ "results": [{ "task_id": task, "attempt": attempt, "value": 1 }] }),
        );
        assert_eq!(
            (&told["results"][0]["accepted"], &told["results"][0]["reason"]),
            (&json!(false), &json!(reason)),
            "{task}"
        );
        let beat = edge.told(200, "POST", "/heartbeat", &json!({ "tasks": [{ "task_id": task, "attempt": attempt }] }));
        assert_eq!(beat["tasks"][0]["ok"], false);
    }
    let many: Vec<Value> = (0..501).map(|_| json!({ "task_id": "x", "attempt": 1 })).collect();
    assert_eq!(edge.refused("POST", "/release", &json!({ "results": many })).1, "ALIMIT");
    assert_eq!(edge.get(&format!("/processes/{id}"))["state"], "ACTIVE");
}

#[test]
fn wfl_2_an_unknown_process_is_not_there() {
    let edge = crate::edge();
    for path in ["", "/tasks", "/history"] {
        assert_eq!(
            edge.refused("GET", &format!("/processes/nothing{path}"), &Value::Null),
            (404, "NFLOW".into()),
            "{path}"
        );
    }
    for (action, body) in
        [("abort", json!({})), ("restart", json!({})), ("clone", json!({})), ("signal", json!({ "name": "x" }))]
    {
        let path = format!("/processes/01ARZ3NDEKTSV4RRFFQ69G5FAV/{action}");
        assert_eq!(edge.refused("POST", &path, &body), (404, "NFLOW".into()), "{action}");
    }
}

#[test]
fn wfl_1_a_key_works_only_as_its_actor() {
    let edge = crate::edge();
    start(&edge, json!({ "actor": "a#1" }));
    let task = poll(&edge, "a#1").remove(0);
    let other = edge.key("actor", &json!({ "service": "workflow", "actor": "b#1" }));
    assert_eq!(
        edge.refused_as(&other, "POST", "/poll", &json!({ "actor": "a#1", "wait_ms": 0 })),
        (403, "SROLE".into())
    );
    let result = json!({ "results": [{ "task_id": task["task_id"], "attempt": 1, "pass": task["pass"], "value": 1 }] });
    assert_eq!(edge.ask_as(&other, "POST", "/release", &result).1["results"][0]["reason"], "no such task");
    let elsewhere = edge.key("actor", &json!({ "service": "sensors" }));
    assert_eq!(edge.refused_as(&elsewhere, "POST", "/poll", &json!({ "actor": "a#1", "wait_ms": 0 })).0, 403);
    let device = edge.key("device", &json!({}));
    assert_eq!(
        edge.refused_as(&device, "POST", "/processes", &json!({ "type": "t", "start": { "actor": "a#1" } })).0,
        403
    );
    let own = edge.key("actor", &json!({ "service": "workflow", "actor": ["a#1", "b#1"] }));
    assert_eq!(edge.ask_as(&own, "POST", "/release", &result).1["results"][0]["accepted"], true);
}
