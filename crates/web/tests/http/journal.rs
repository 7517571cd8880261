//! The route of the journal (KER-28).

use crate::valve::Flow;
use crate::world::{ADMIN, World};

#[test]
fn ker_28_the_journal_is_searched_over_http() {
    let world = World::new();
    let reader = world.key("main", "reader");
    world.key("main", "app");
    let all = world.get("/v1/main/journal", &reader).json();
    assert_eq!(all["items"].as_array().unwrap().len(), 2);
    assert_eq!(all["next"], serde_json::Value::Null);
    let found =
        world.get("/v1/main/journal?kind=key.&q=APP+key&from=2020-01-01&to=2099-01-01T00:00:00Z", &reader).json();
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    let first = world.get("/v1/main/journal?limit=1", &reader).json();
    let next = first["next"].as_str().unwrap();
    let second = world.get(&format!("/v1/main/journal?limit=1&after={next}"), &reader).json();
    assert_ne!(first["items"][0]["id"], second["items"][0]["id"]);
    let before = world.get("/v1/main/journal?to=2020-01-01", &reader).json();
    assert_eq!(before["items"].as_array().unwrap().len(), 0);
}

#[test]
fn ker_34_the_journal_refuses_what_it_does_not_understand() {
    let world = World::new();
    for bad in ["from=yesterday", "to=2026-02-30", "after=x", "after=5-x", "what=1"] {
        world.get(&format!("/v1/main/journal?{bad}"), ADMIN).check(400, "ABODY");
    }
    for beyond in ["limit=0", "limit=1001", "q=a+b+c+d+e+f+g+h+i+j+k"] {
        world.get(&format!("/v1/main/journal?{beyond}"), ADMIN).check(422, "ALIMIT");
    }
    world.get("/v1/main/journal", &world.key("main", "app")).check(403, "SROLE");
}

#[test]
fn ker_28_a_login_that_the_store_could_not_decide_is_journaled_when_it_can() {
    let world = World::new();
    world.valve.set(Flow::CutOff);
    for _ in 0..3 {
        assert_eq!(world.get("/v1/main/keys", "some unknown key").status, 401, "no key at all");
        world.get("/v1/main/keys", "fst_unknown").check(503, "XSTORE");
    }
    let main = world.kernel.namespace("main").unwrap();
    assert_eq!(main.watched.later.counts(), (1, 0), "the same news is one line");
    world.kernel.flush_watched();
    assert_eq!(main.watched.later.counts(), (1, 0), "the store is still down");
    world.valve.set(Flow::Open);
    world.kernel.flush_watched();
    let mut found = (0..1_000).map(|_| world.get("/v1/main/journal?kind=login.", ADMIN).json()["items"][0].clone());
    let line = found.find(|line| !line.is_null()).unwrap();
    assert_eq!(line["text"], "a key could not be looked up: XSTORE (3 times)");
}
