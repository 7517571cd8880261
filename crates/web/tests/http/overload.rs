//! Overload (KER-45): refused without any work for the store, with a time to come again, and others are served.

use std::time::Duration;

use serde_json::json;
use web::{AppConfig, BodyLimits, EdgeLimits};

use crate::client::Client;
use crate::valve::Flow;
use crate::world::{ADMIN, Setup, World};

fn app(all: usize, per_namespace: usize) -> AppConfig {
    AppConfig { in_flight_max: all, in_flight_per_namespace_max: per_namespace, ..AppConfig::default() }
}

fn narrow(all: usize, per_namespace: usize) -> World {
    World::with(Setup { app: app(all, per_namespace), ..Setup::default() })
}

/// Sends so many requests that the store holds.
fn fill(world: &World, key: &str, count: usize) -> Vec<Client> {
    fill_with(world, key, count, "f")
}

fn fill_with(world: &World, key: &str, count: usize, name: &str) -> Vec<Client> {
    world.valve.set(Flow::Held);
    let body = json!({ "name": name }).to_string();
    let head = format!("host: x\r\nauthorization: Bearer {key}\r\ncontent-type: application/json");
    let request = format!("POST /v1/main/probe HTTP/1.1\r\n{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let clients = (0..count).map(|_| {
        let mut client = world.client();
        client.send(&request);
        client
    });
    let clients = clients.collect();
    world.valve.wait_held(count);
    clients
}

/// Asks until it is taken: jobs end in the order of their coming, so all that were sent before have ended then.
fn add_when_free(world: &World, key: &str) {
    let taken = (0..100).any(|_| world.post("/v1/main/probe", key, &json!({ "name": "then" })).status == 200);
    assert!(taken, "nothing is given back");
}

#[test]
fn ker_45_a_namespace_that_is_full_is_refused_and_others_are_served() {
    let world = narrow(10, 3);
    let key = world.key("main", "app");
    let mut held = fill(&world, &key, 3);
    let refused = world.get("/v1/main/probe/f", &key);
    refused.check(503, "XBUSY");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(world.get("/v1/z/keys", ADMIN).status, 200, "another namespace");
    world.get("/v1/main/keys", "fst_wrong").check(401, "SKEY");
    world.valve.set(Flow::Open);
    assert!(held.iter_mut().all(|client| client.answer().status == 200));
    assert_eq!(world.get("/v1/main/probe/f", &key).json()["count"], 3);
}

#[test]
fn ker_45_a_full_namespace_refuses_within_a_second_and_without_any_work_for_the_store() {
    let world = narrow(10, 2);
    let mut held = fill(&world, ADMIN, 2);
    // The first time its key is looked up, so that strangers learn nothing.
    world.get("/v1/main/probe/f", ADMIN).check(503, "XBUSY");
    let given = world.valve.given();
    for _ in 0..3 {
        let mut client = world.client();
        client.send(format!("GET /v1/main/probe/f HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {ADMIN}\r\n\r\n"));
        assert!(client.looks(Duration::from_secs(1)), "held too long");
        client.answer().check(503, "XBUSY");
    }
    assert_eq!(world.valve.given(), given);
    world.valve.set(Flow::Open);
    assert!(held.iter_mut().all(|client| client.answer().status == 200));
    assert_eq!(world.get("/v1/main/probe/f", ADMIN).status, 200);
}

#[test]
fn ker_45_a_full_server_refuses_before_the_body_and_still_tells_that_it_lives() {
    let world = narrow(2, 2);
    let key = world.key("main", "app");
    let mut held = fill(&world, &key, 2);
    let mut client = world.client();
    let head = format!("host: x\r\nauthorization: Bearer {key}\r\ncontent-type: application/json");
    client.send(format!("POST /v1/z/keys HTTP/1.1\r\n{head}\r\ncontent-length: 1000\r\n\r\n"));
    client.answer().check(503, "XBUSY");
    world.ask("GET", "/docs", &[], None).check(503, "XBUSY");
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(world.ask("GET", path, &[], None).status, 200, "{path}");
    }
    world.valve.set(Flow::Open);
    assert!(held.iter_mut().all(|client| client.answer().status == 200));
    assert_eq!(world.post("/v1/z/keys", ADMIN, &json!({ "role": "reader" })).status, 201);
}

/// As many connections as are held: a further one is accepted only when the server knows that one is gone.
fn hung_up(app: AppConfig, count: usize, name: &str) -> (World, String) {
    let edge = EdgeLimits { connections_max: count, ..EdgeLimits::default() };
    let world = World::with(Setup { app, edge, ..Setup::default() });
    let key = world.key("main", "app");
    drop(fill_with(&world, &key, count, name));
    (world, key)
}

#[test]
fn ker_45_who_hangs_up_leaves_its_place_taken_until_its_work_is_done() {
    for app in [app(10, 3), app(3, 3)] {
        let (world, key) = hung_up(app, 3, "f");
        for _ in 0..3 {
            world.get("/v1/main/probe/f", &key).check(503, "XBUSY");
        }
        world.valve.set(Flow::Open);
        add_when_free(&world, &key);
        assert_eq!(world.get("/v1/main/probe/f", &key).json()["count"], 3, "work that was taken is done");
        let mut held = fill(&world, &key, 3);
        world.valve.set(Flow::Open);
        assert!(held.iter_mut().all(|client| client.answer().status == 200), "all places are free again");
    }
}

#[test]
fn ker_34_who_hangs_up_leaves_the_memory_of_its_body_taken_until_its_work_is_done() {
    let body = BodyLimits { memory_max: 64 << 10, ..BodyLimits::default() };
    let large = "f".repeat(25 << 10);
    let (world, key) = hung_up(AppConfig { body, ..AppConfig::default() }, 2, &large);
    let add = || world.post("/v1/main/probe", &key, &json!({ "name": large }));
    add().check(503, "XBUSY");
    assert_eq!(world.get("/v1/main/probe/f", &key).status, 200, "what needs no memory is served");
    world.valve.set(Flow::Open);
    add_when_free(&world, &key);
    assert_eq!(add().status, 200);
}
