//! Overload (KER-45): refused at once, with a time to come again, and others are served.

use serde_json::json;
use web::AppConfig;

use crate::client::Client;
use crate::valve::Flow;
use crate::world::{ADMIN, Setup, World};

fn narrow(all: usize, per_namespace: usize) -> World {
    let app = AppConfig { in_flight_max: all, in_flight_per_namespace_max: per_namespace, ..AppConfig::default() };
    World::with(Setup { app, ..Setup::default() })
}

/// Sends so many requests that the store holds.
fn fill(world: &World, key: &str, count: usize) -> Vec<Client> {
    world.valve.set(Flow::Held);
    let clients = (0..count).map(|_| {
        let mut client = world.client();
        let head = format!("host: x\r\nauthorization: Bearer {key}\r\ncontent-type: application/json");
        client.send(format!("POST /v1/main/probe HTTP/1.1\r\n{head}\r\ncontent-length: 12\r\n\r\n{{\"name\":\"f\"}}"));
        client
    });
    let clients = clients.collect();
    world.valve.wait_held(count);
    clients
}

#[test]
fn ker_45_a_namespace_that_is_full_is_refused_at_once_and_others_are_served() {
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

#[test]
fn ker_45_a_client_that_goes_away_gives_its_place_back() {
    let world = narrow(10, 2);
    let key = world.key("main", "app");
    drop(fill(&world, &key, 2));
    let asked = (0..1_000).find(|_| world.get("/v1/main/probe/f", &key).status == 200);
    assert!(asked.is_some(), "the places are not given back");
    world.valve.set(Flow::Open);
}
