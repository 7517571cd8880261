//! Errors as JSON, whoever makes them (KER-9).

use serde_json::json;

use crate::valve::Flow;
use crate::world::{ADMIN, World};

#[test]
fn ker_9_unknown_paths_and_methods_are_answered_in_json() {
    let world = World::new();
    for path in ["/nonsense", "/docs/", "//v1/main/keys", "/V1/main/keys", "/healthz/x", "/assets/../Cargo.toml"] {
        world.ask("GET", path, &[], None).check(404, "NROUTE");
    }
    world.get("/v1/main/nonsense", ADMIN).check(404, "NROUTE");
    let wrong_method = world.ask("DELETE", "/v1/main/keys", &[("authorization", &format!("Bearer {ADMIN}"))], None);
    wrong_method.check(405, "AMETHOD");
    let mut allowed: Vec<_> = wrong_method.header("allow").unwrap().split(',').collect();
    allowed.sort_unstable();
    assert_eq!(allowed, ["GET", "HEAD", "POST"]);
    assert_eq!(world.ask("POST", "/healthz", &[], None).check(405, "AMETHOD").header("allow"), Some("GET,HEAD"));
    world.ask("PURGE", "/docs", &[], None).check(405, "AMETHOD");
}

#[test]
fn ker_9_odd_targets_are_answered_in_json() {
    let world = World::new();
    for (target, status, code) in [
        ("OPTIONS *", 404, "NROUTE"),
        ("CONNECT example.org:443", 404, "NROUTE"),
        ("GET http://elsewhere/v1/main/keys", 401, "SKEY"),
        ("GET http://elsewhere/nonsense", 404, "NROUTE"),
    ] {
        let mut client = world.client();
        client.send(format!("{target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"));
        client.answer().check(status, code);
    }
}

#[test]
fn ker_34_no_spelling_of_a_way_up_leads_anywhere() {
    let world = World::new();
    let ups =
        ["..", "%2e%2e", ".%2E", "%252e%252e", "..%2f..", "..%5c..", "%c0%ae%c0%ae", "%00", "..;", "\u{ff0e}\u{ff0e}"];
    for up in ups {
        for path in [format!("/assets/{up}/{up}/Cargo.toml"), format!("/v1/{up}/keys"), format!("/{up}/healthz")] {
            let answer = world.ask("GET", &path, &[], None);
            assert!((400..=404).contains(&answer.status), "{path}: {} {}", answer.status, answer.text());
        }
        for path in [format!("/v1/main/keys/{up}"), format!("/v1/main/blobs/{up}"), format!("/v1/main/{up}/z/keys")] {
            let answer = world.get(&path, ADMIN);
            assert!((400..500).contains(&answer.status), "{path}: {} {}", answer.status, answer.text());
        }
    }
}

#[test]
fn ker_9_refusals_of_the_framework_look_like_ours() {
    let world = World::new();
    world.post("/v1/main/probe/foreign", ADMIN, &json!({})).check(400, "ABODY");
}

#[test]
fn ker_9_a_panic_in_a_handler_fails_its_request_alone_and_tells_no_path() {
    let world = World::new();
    let panicked = world.ask("POST", "/v1/main/probe/panic", &[("authorization", &format!("Bearer {ADMIN}"))], None);
    panicked.check(500, "BPANIC");
    assert_eq!(panicked.json()["major"], 2);
    assert!(!panicked.text().contains('/'), "{}", panicked.text());
    assert_eq!(world.ask("GET", "/healthz", &[], None).status, 200);
}

#[test]
fn ker_9_a_panic_in_an_operation_fails_it_alone_and_tells_no_path() {
    let world = World::new();
    let panicked = world.post("/v1/main/probe", ADMIN, &json!({ "name": "panic" }));
    panicked.check(500, "BPANIC");
    assert_eq!(panicked.json()["phase"], 1);
    assert!(!panicked.text().contains('/'), "{}", panicked.text());
    assert_eq!(world.post("/v1/main/probe", ADMIN, &json!({ "name": "calm" })).status, 200);
}

#[test]
fn ker_9_a_handler_that_differs_from_its_table_is_found_at_once() {
    let world = World::new();
    world.post("/v1/main/probe/untrue", ADMIN, &json!({ "name": "a" })).check(500, "BPANIC");
}

#[test]
fn ker_31_a_store_that_is_away_is_told_with_retry_after_and_without_its_words() {
    let world = World::new();
    let key = world.key("main", "app");
    assert_eq!(world.get("/v1/main/probe/a", &key).status, 200, "the key is remembered");
    world.valve.set(Flow::CutOff);
    let refused = world.post("/v1/main/probe", &key, &json!({ "name": "a" }));
    refused.check(503, "XSTORE");
    assert!(refused.header("retry-after").is_some());
    assert!(!refused.text().contains("secret"), "{}", refused.text());
    world.valve.set(Flow::Open);
    assert_eq!(world.post("/v1/main/probe", &key, &json!({ "name": "a" })).status, 200);
}

#[test]
fn ker_9_answers_are_not_kept_nor_guessed_at() {
    let world = World::new();
    for answer in [world.get("/v1/z/keys", ADMIN), world.get("/v1/z/nonsense", ADMIN), world.get("/v1/z/keys", "no")] {
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
}
