//! Repeats, operation times and builds (KER-10, KER-11).

use base::{Stamp, Wall};
use serde_json::json;

use crate::world::{ADMIN, Setup, World};

const KEY: &str = "idempotency-key";

#[test]
fn ker_10_a_repeat_gives_the_first_answer_and_says_so() {
    let world = World::new();
    let ask = || world.post_with("/v1/main/probe", ADMIN, &[(KEY, "01-a")], &json!({ "name": "a" }));
    let (first, second) = (ask(), ask());
    assert_eq!((first.status, first.header("idempotency-replayed")), (200, None));
    assert_eq!((second.status, second.header("idempotency-replayed")), (200, Some("true")));
    assert_eq!(first.text(), second.text());
    assert_eq!(first.header("fastness-version"), second.header("fastness-version"));
    let version: i64 = first.header("fastness-version").unwrap().parse().unwrap();
    assert!(Stamp::new(version).is_ok(), "{version}");
    assert_eq!(world.count("a"), 1);
}

#[test]
fn ker_10_two_at_once_have_one_effect() {
    let world = World::new();
    let answers =
        host::side_by_side(8, |_| world.post_with("/v1/main/probe", ADMIN, &[(KEY, "01-b")], &json!({ "name": "b" })));
    assert!(answers.iter().all(|answer| answer.status == 200 && answer.text() == answers[0].text()));
    let replayed = answers.iter().filter(|answer| answer.header("idempotency-replayed").is_some()).count();
    assert_eq!(replayed, 7);
    assert_eq!(world.count("b"), 1);
}

#[test]
fn ker_10_the_same_key_with_another_body_is_refused() {
    let world = World::new();
    let ask = |name: &str| world.post_with("/v1/main/probe", ADMIN, &[(KEY, "01-c")], &json!({ "name": name }));
    assert_eq!(ask("c").status, 200);
    ask("d").check(422, "AKEYREUSED");
    assert_eq!((world.count("c"), world.count("d")), (1, 0));
}

#[test]
fn ker_10_the_scope_of_a_key_is_caller_and_route() {
    let world = World::new();
    let other = world.key("main", "app");
    let ask = |key: &str| world.post_with("/v1/main/probe", key, &[(KEY, "01-e")], &json!({ "name": "e" }));
    assert_eq!((ask(ADMIN).status, ask(&other).status), (200, 200));
    assert_eq!(world.count("e"), 2, "another caller");
    let elsewhere = world.post_with("/v1/main/keys", ADMIN, &[(KEY, "01-e")], &json!({ "role": "reader" }));
    assert_eq!((elsewhere.status, elsewhere.header("idempotency-replayed")), (201, None), "another route");
}

#[test]
fn ker_10_a_refusal_is_not_stored() {
    let world = World::new();
    let ask = |label: &str| {
        world.post_with("/v1/main/keys", ADMIN, &[(KEY, "01-f")], &json!({ "role": "app", "label": label }))
    };
    ask(&"x".repeat(300)).check(422, "ALIMIT");
    assert_eq!(ask("short").status, 201);
}

#[test]
fn ker_10_a_repeat_of_making_a_key_shows_the_same_secret() {
    let world = World::new();
    let ask = || world.post_with("/v1/main/keys", ADMIN, &[(KEY, "01-g")], &json!({ "role": "app" }));
    let (first, second) = (ask(), ask());
    assert_eq!((first.status, second.status), (201, 201));
    assert_eq!(first.text(), second.text());
    assert_eq!(second.header("idempotency-replayed"), Some("true"));
    let key = first.json()["key"].as_str().unwrap().to_owned();
    assert_eq!(world.get("/v1/main/probe/x", &key).status, 200);
}

#[test]
fn ker_10_a_malformed_key_is_refused() {
    let world = World::new();
    for bad in ["", "a b", "\u{e4}", &"k".repeat(256)] {
        world.post_with("/v1/main/probe", ADMIN, &[(KEY, bad)], &json!({ "name": "h" })).check(400, "AHEADER");
    }
    world.post_with("/v1/main/probe", ADMIN, &[(KEY, "a"), (KEY, "a")], &json!({ "name": "h" })).check(400, "AHEADER");
    assert_eq!(world.count("h"), 0);
}

fn stamp(world: &World, offset_ms: i64) -> String {
    let Wall(now) = world.kernel.env().clock.wall();
    Stamp::from_wall(Wall(now + offset_ms)).to_string()
}

#[test]
fn ker_10_an_operation_time_ahead_or_too_old_is_refused() {
    let world = World::new();
    let ask =
        |time: &str| world.post_with("/v1/main/probe", ADMIN, &[("fastness-op-time", time)], &json!({ "name": "i" }));
    assert_eq!(ask(&stamp(&world, 0)).status, 200);
    assert_eq!(ask(&stamp(&world, -23 * 3_600_000)).status, 200);
    ask(&stamp(&world, 60_000)).check(400, "AOPTIME");
    ask(&stamp(&world, -25 * 3_600_000)).check(400, "AOPTIME");
    ask("261399000000000").check(400, "AHEADER");
    let read = [("authorization", &*format!("Bearer {ADMIN}")), ("fastness-op-time", &*stamp(&world, 60_000))];
    world.ask("GET", "/v1/main/probe/i", &read, None).check(400, "AOPTIME");
    assert_eq!(world.count("i"), 2);
}

#[test]
fn ker_11_a_build_that_is_too_old_is_refused() {
    let world = World::with(Setup { build_min: 7, ..Setup::default() });
    let ask =
        |build: &str| world.post_with("/v1/main/probe", ADMIN, &[("fastness-build", build)], &json!({ "name": "j" }));
    ask("6").check(400, "DBUILD");
    assert_eq!(ask("7").status, 200);
    ask("seven").check(400, "AHEADER");
    assert_eq!(world.post("/v1/main/probe", ADMIN, &json!({ "name": "j" })).status, 200, "without a build");
    let read = [("authorization", &*format!("Bearer {ADMIN}")), ("fastness-build", "6")];
    world.ask("GET", "/v1/main/probe/j", &read, None).check(400, "DBUILD");
}
