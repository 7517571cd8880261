//! The server's own routes (KER-30).

use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use tower::ServiceExt as _;

use crate::valve::Flow;
use crate::world::{ADMIN, World};

#[test]
fn ker_30_alive_whatever_happens_ready_only_when_every_store_is_good() {
    let world = World::new();
    assert_eq!(world.ask("GET", "/healthz", &[], None).json(), json!({ "status": "alive" }));
    let ready = world.ask("GET", "/readyz", &[], None);
    let good = |name: &str| {
        let alerts = ("alerts_open", "alert_channels_failing");
        let stuck = ("stuck", "stands_still");
        json!({ "name": name, "engine": "sqlite", "health": "Good", "waiting": 0, (stuck.0): 0, (stuck.1): false,
            (alerts.0): 0, (alerts.1): 0, "alerts_reach_nobody": false })
    };
    let expected = json!({ "ready": true, "draining": false, "namespaces": [good("main"), good("z")] });
    assert_eq!((ready.status, ready.json()), (200, expected));
    world.valve.set(Flow::CutOff);
    let not_ready = world.ask("GET", "/readyz", &[], None);
    assert_eq!((not_ready.status, &not_ready.json()["namespaces"][0]["health"]), (503, &json!("Down")));
    assert!(!not_ready.text().contains("secret"), "{}", not_ready.text());
    assert_eq!(world.ask("GET", "/healthz", &[], None).status, 200);
}

/// Asks until the answer is as it should be: what is stuck is counted now and then.
fn wait_for(world: &World, status: u16) -> serde_json::Value {
    for _ in 0..2_000 {
        let ready = world.ask("GET", "/readyz", &[], None);
        if ready.status == status {
            return ready.json();
        }
        std::thread::yield_now();
    }
    panic!("never {status}: {}", world.ask("GET", "/readyz", &[], None).text())
}

#[test]
fn ker_30_queues_that_stand_still_are_not_ready_and_suspended_ones_are() {
    let world = World::new();
    let late = json!({ "op": "w", "target": "https://x/", "start_at": "2020-01-01T00:00:00Z" });
    assert_eq!(world.post("/v1/main/tasks", ADMIN, &late).status, 201);
    assert_eq!(world.ask("GET", "/readyz", &[], None).status, 200, "nobody has counted yet, and the request does not");
    world.kernel.watch_over();
    let not_ready = wait_for(&world, 503);
    assert_eq!(not_ready["degraded"], json!(["main"]));
    let main = &not_ready["namespaces"][0];
    assert_eq!((&main["health"], &main["stuck"], &main["stands_still"]), (&json!("Good"), &json!(1), &json!(true)));
    assert!(world.ask("GET", "/metrics", &[], None).text().contains("fastness_stuck{namespace=\"main\"} 1"));
    world.send("POST", "/v1/main/queues/suspend", ADMIN);
    world.kernel.watch_over();
    assert!(wait_for(&world, 200).get("degraded").is_none());
}

#[test]
fn ker_30_the_numbers_of_a_namespace_that_was_removed_end() {
    let world = World::new();
    let shop = world.valved("shop");
    let late = json!({ "op": "w", "target": "https://x/", "start_at": "2020-01-01T00:00:00Z" });
    assert_eq!(world.post("/v1/shop/tasks", ADMIN, &late).status, 201);
    world.kernel.watch_over();
    let metrics = || world.ask("GET", "/metrics", &[], None).text();
    let numbers = |number: &str| {
        let text = metrics();
        let lines = text.lines().filter(|line| line.contains("namespace=\"shop\""));
        lines.filter(|line| line.ends_with(number)).map(str::to_owned).collect::<Vec<_>>()
    };
    let stuck = "fastness_stuck{namespace=\"shop\"} 1".to_owned();
    (0..2_000).find(|_| numbers(" 1").contains(&stuck)).expect("it is counted");
    world.kernel.remove_namespace("shop").expect("it was there");
    assert!(!numbers(" 1").contains(&stuck), "{}", metrics());
    assert!(numbers(" 0").contains(&stuck.replace(" 1", " 0")), "nothing waits there any more: {}", metrics());
    assert!(metrics().contains("fastness_stuck{namespace=\"main\"} 0"), "the others are told on");
    drop(shop);
}

#[test]
fn con_2_the_overview_shows_work_and_store_of_every_namespace_that_is_seen() {
    let world = World::new();
    let task = |start_at: &str| json!({ "op": "w", "target": "https://x/", "start_at": start_at });
    for start_at in ["2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z", "2090-01-01T00:00:00Z"] {
        assert_eq!(world.post("/v1/main/tasks", ADMIN, &task(start_at)).status, 201);
    }
    let reader = world.key("main", "reader");
    let main = world.get("/v1/main/overview", &reader).json();
    assert_eq!(main["items"].as_array().unwrap().len(), 1);
    let (store, work) = (&main["items"][0]["store"], &main["items"][0]["work"]);
    assert_eq!((&store["engine"], &store["health"]), (&json!("sqlite"), &json!("Good")));
    let tasks = &work["tasks"];
    assert_eq!((&tasks["due"], &tasks["later"], &tasks["parked"]), (&json!(2), &json!(1), &json!(0)));
    assert_eq!(tasks["oldest"]["since"], "2020-01-01T00:00:00.000Z");
    assert_eq!((&tasks["next_at"], &work["stuck"]), (&json!("2090-01-01T00:00:00.000Z"), &json!(2)));
    assert!(
        work["figures"]
            .as_array()
            .unwrap()
            .contains(&json!({"service": "tasks", "name": "suspended_queues", "value": 0}))
    );
    world.get("/v1/main/overview", &world.key("main", "app")).check(403, "SROLE");
    let all = world.get("/v1/z/overview", ADMIN).json();
    let names: Vec<_> = all["items"].as_array().unwrap().iter().map(|item| item["namespace"].clone()).collect();
    assert_eq!(names, ["main", "z"]);
    world.valve.set(Flow::CutOff);
    let cut_off = world.get("/v1/z/overview", ADMIN).json();
    let seen = |at: usize| (cut_off["items"][at]["store"]["health"].clone(), cut_off["items"][at]["work"].is_null());
    assert_eq!([seen(0), seen(1)], [(json!("Down"), true), (json!("Good"), false)], "one must not hide the others");
}

#[test]
fn ker_30_a_server_that_stops_is_not_ready() {
    let world = World::new();
    let status = || {
        let request = Request::builder().uri("/readyz").header("host", "x").body(Body::empty()).unwrap();
        world.block_on(world.router.clone().oneshot(request)).unwrap().status().as_u16()
    };
    assert_eq!(status(), 200);
    world.shutdown.begin();
    assert_eq!(status(), 503);
}

#[test]
fn ker_30_numbers_of_requests_and_stores_are_shown_by_pattern_and_never_by_path() {
    let world = World::new();
    let key = world.key("main", "reader");
    world.get("/v1/main/probe/a-secret-name", &key);
    world.get("/a-secret-path", "a-secret-key");
    world.ask("SECRET", "/healthz", &[], None);
    let metrics = world.ask("GET", "/metrics", &[], None);
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let text = metrics.text();
    for line in [
        "fastness_http_requests_total{route=\"/v1/{ns}/probe/{name}\",method=\"GET\",status=\"200\"}",
        "fastness_http_requests_total{route=\"none\",method=\"GET\",status=\"404\"}",
        "fastness_http_request_seconds_bucket{route=\"/v1/{ns}/probe/{name}\",method=\"GET\",le=\"0.5\"}",
        "fastness_http_in_flight",
        "fastness_http_connections",
        "fastness_store_health{namespace=\"main\"} 2",
        "fastness_store_waiting{namespace=\"z\"} ",
        "fastness_operations_total{operation=\"key.create\",result=\"ok\"}",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert!(!text.to_lowercase().contains("secret"), "{text}");
}

#[test]
fn ker_38_pages_hold_nothing_from_elsewhere_and_say_so() {
    let world = World::new();
    for path in ["/", "/docs"] {
        let page = world.ask("GET", path, &[], None);
        assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")), "{path}");
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(page.header("referrer-policy"), Some("same-origin"));
        assert_eq!(page.header("x-frame-options"), Some("DENY"));
        let html = page.text();
        assert!(html.starts_with("<!DOCTYPE html>") && html.contains("/assets/style.css"), "{path}");
        for foreign in ["<script", "src=\"http", "href=\"http", "style=\"", "@import"] {
            assert!(!html.contains(foreign), "{path} holds {foreign}");
        }
    }
    let style = world.ask("GET", "/assets/style.css", &[], None);
    assert_eq!((style.status, style.header("content-type")), (200, Some("text/css; charset=utf-8")));
}

#[test]
fn ker_38_the_first_page_shows_every_namespace_and_its_state() {
    let world = World::new();
    let page = world.ask("GET", "/", &[], None).text();
    assert!(page.contains(">main<") && page.contains(">z<") && page.contains("href=\"/docs\""), "{page}");
    world.valve.set(Flow::CutOff);
    assert!(world.ask("GET", "/", &[], None).text().contains("Down"));
    assert!(!page.contains(ADMIN));
}
