//! The routes of alerts (KER-27) and counters (KER-29).

use std::time::Duration;

use kernel::{Caller, Op};
use serde_json::{Value, json};

use crate::world::{ADMIN, World};

/// One operation for all: ids of several within one millisecond have no order.
static OPEN: Op<Vec<String>, ()> = Op::new("test.open_alert", |_, cx, keys| {
    keys.iter().for_each(|key| cx.fx.open_alert(key, "test", format!("{key} is bad")));
    Ok(())
});

fn open(world: &World, keys: &[&str]) {
    let (tell, told) = std::sync::mpsc::channel();
    let done = Box::new(move |reply: base::OpResult<kernel::Reply<()>>| tell.send(reply.is_ok()).unwrap());
    let main = world.kernel.namespace("main").unwrap();
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    world.kernel.call(&main, &OPEN, world.kernel.request(Caller::server("test")), keys, done);
    assert!(told.recv_timeout(Duration::from_secs(10)).unwrap());
}

fn items(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|item| item["key"].as_str().unwrap()).collect()
}

#[test]
fn ker_27_alerts_are_listed_by_state_and_kind_and_acknowledged() {
    let world = World::new();
    let (reader, operator) = (world.key("main", "reader"), world.key("main", "operator"));
    open(&world, &["a", "b", "c"]);
    let page = world.get("/v1/main/alerts?state=open&kind=test&limit=2", &reader).json();
    assert_eq!((items(&page), &page["banner"]), (vec!["c", "b"], &json!([])));
    let next = page["next"].as_str().unwrap();
    let rest = world.get(&format!("/v1/main/alerts?state=open&kind=test&limit=2&after={next}"), &reader).json();
    assert_eq!((items(&rest), &rest["next"]), (vec!["a"], &Value::Null));
    let path = format!("/v1/main/alerts/{}/acknowledge", page["items"][0]["id"].as_str().unwrap());
    let acknowledge = |key: &str| world.send("POST", &path, key);
    acknowledge(&reader).check(403, "SROLE");
    for _ in 0..2 {
        assert_eq!(acknowledge(&operator).json(), json!({ "state": "acknowledged" }));
    }
    let acknowledged = world.get("/v1/main/alerts?state=acknowledged", &reader).json();
    assert_eq!(items(&acknowledged), ["c"]);
    assert!(acknowledged["items"][0]["acknowledged_by"].is_string());
    let lines = world.get("/v1/main/journal?kind=alert.", &reader).json();
    assert_eq!(lines["items"][0]["subject"], "c");
}

#[test]
fn ker_27_channels_are_set_by_administrators_and_shown_without_secrets() {
    let world = World::new();
    let (reader, operator) = (world.key("main", "reader"), world.key("main", "operator"));
    let secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
    let webhook = json!({ "kind": "webhook", "url": "https://sms.example/token", "secret": secret });
    let body = json!({ "channels": [{ "kind": "mail", "to": ["a@b.example"] }, webhook] });
    world.put("/v1/main/alert-channels", &operator, &body).check(403, "SROLE");
    assert_eq!(world.put("/v1/main/alert-channels", ADMIN, &body).status, 204);
    let shown = world.get("/v1/main/alert-channels", &reader);
    assert!(!shown.text().contains("whsec_") && !shown.text().contains("token"), "{}", shown.text());
    assert_eq!(shown.json()["own"], true);
    assert_eq!(shown.json()["channels"][1]["signed"], true);
    let without = json!({ "channels": [{ "kind": "webhook", "url": "https://sms.example/token" }] });
    assert_eq!(world.put("/v1/main/alert-channels", ADMIN, &without).status, 204);
    let kept = world.get("/v1/main/alert-channels", &reader).json();
    assert_eq!(kept["channels"][0]["signed"], true, "the secret is kept");
}

#[test]
fn ker_34_bad_channels_states_and_ids_are_refused() {
    let world = World::new();
    for bad in [
        json!({ "channels": [{ "kind": "pigeon" }] }),
        json!({ "channels": [{ "kind": "mail", "to": [] }] }),
        json!({ "channels": [{ "kind": "mail", "to": ["a@b\r\nBcc: x@y"] }] }),
        json!({ "channels": [{ "kind": "mail", "to": ["a@b"], "url": "https://x" }] }),
        json!({ "channels": [{ "kind": "webhook" }] }),
        json!({ "channels": [{ "kind": "webhook", "url": "file:///etc/passwd" }] }),
        json!({ "channels": [{ "kind": "webhook", "url": "https://x", "secret": "short" }] }),
        json!({ "channels": "none" }),
        json!({}),
    ] {
        let answer = world.put("/v1/main/alert-channels", ADMIN, &bad);
        assert!([400, 422].contains(&answer.status), "{bad}: {}", answer.text());
    }
    assert_eq!(world.get("/v1/main/alert-channels", ADMIN).json(), json!({ "own": false, "channels": [] }));
    world.get("/v1/main/alerts?state=broken", ADMIN).check(400, "ABODY");
    world.get("/v1/main/alerts?limit=0", ADMIN).check(422, "ALIMIT");
    world.get("/v1/main/alerts?after=x", ADMIN).check(400, "ABODY");
    let acknowledge = |id: &str| world.send("POST", &format!("/v1/main/alerts/{id}/acknowledge"), ADMIN);
    acknowledge("01KA2B3C4D5E6F7G8H9JKMNPQR").check(404, "NALERT");
    acknowledge("x").check(404, "NALERT");
    assert_eq!(world.get("/v1/main/alert-messages?limit=5", ADMIN).json(), json!({ "items": [], "next": null }));
}

#[test]
fn ker_29_counters_of_operations_are_shown_page_by_page() {
    let world = World::new();
    open(&world, &["a"]);
    world.key("main", "reader");
    world.kernel.flush_watched();
    let mut names = vec![];
    let mut path = "/v1/main/counters?kind=operation&limit=1".to_owned();
    // A read is never behind the writer, but may be ahead of the flush: ask until it is there.
    let there = || world.get("/v1/main/counters?name=test.open_alert", ADMIN).json()["items"][0].is_object();
    (0..1_000).find(|_| there()).expect("the flush arrives");
    loop {
        let page = world.get(&path, ADMIN).json();
        names.extend(page["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/v1/main/counters?kind=operation&limit=1&after={}", next.replace('\u{1f}', "%1f"));
    }
    assert_eq!(names, ["key.create", "test.open_alert"]);
}

#[test]
fn con_2_ker_29_rates_are_shown_from_memory_and_from_the_store() {
    let world = World::new();
    open(&world, &["a"]);
    world.kernel.flush_watched();
    let processed = |span: &str| {
        let rates = world.get(&format!("/v1/main/rates?span={span}"), ADMIN).json();
        assert_eq!(rates["kind"], "operation");
        let points = rates["points"].as_array().unwrap();
        assert_eq!(points.iter().filter(|point| point["partial"] == true).count(), 1);
        (points.len(), points.iter().map(|point| point["processed"].as_i64().unwrap()).sum::<i64>())
    };
    assert_eq!(processed("10m"), (300, 1));
    // A read may be ahead of the flush.
    (0..1_000).find(|_| processed("24h") == (288, 1)).expect("the flush arrives");
    assert_eq!(processed("7d"), (336, 1));
    let other = world.get("/v1/main/rates?kind=device", ADMIN).json();
    assert!(other["points"].as_array().unwrap().iter().all(|point| point["processed"] == 0));
    assert_eq!(world.get("/v1/main/rates?span=1y", ADMIN).json()["code"], "ABODY");
    assert_eq!(world.get(&format!("/v1/main/rates?kind={}", "x".repeat(300)), ADMIN).json()["code"], "ALIMIT");
}

#[test]
fn ker_30_readiness_and_metrics_tell_of_alerts() {
    let world = World::new();
    let ready = world.get("/readyz", "").json();
    assert_eq!(ready["namespaces"][0]["alert_channels_failing"], 0);
    let metrics = world.get("/metrics", "").text();
    for name in ["fastness_alerts{", "fastness_alert_channels_failing", "fastness_journal_waiting"] {
        assert!(metrics.contains(name), "{name} is not in {metrics}");
    }
}
