//! Keys and roles: who gets in, decided before routing.

use serde_json::json;

use crate::client::Answer;
use crate::valve::Flow;
use crate::world::{ADMIN, World};

fn check_needs_key(answer: &Answer) {
    answer.check(401, "SKEY");
    assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"fastness\""));
    assert_eq!(answer.json()["phase"], 0);
}

#[test]
fn ker_32_every_path_below_v1_needs_a_key_before_it_is_routed() {
    let world = World::new();
    let paths = [
        "/v1",
        "/v1/",
        "/v1//",
        "/v1/main",
        "/v1/main/keys",
        "/v1/main/nonsense",
        "/v1/nowhere/keys",
        "/v1/z/keys?x=y",
        "/v1/main/../keys",
        "/v1/main/%00",
        "/v1/main/%ff",
        "/v1/MAIN/keys",
        "/v1/%6dain/keys",
        "/v1/main/keys/",
    ];
    for path in paths {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PURGE"] {
            for key in [None, Some("Bearer fst_wrong"), Some("Basic YTpi"), Some("Bearer")] {
                let headers: Vec<_> = key.iter().map(|key| ("authorization", *key)).collect();
                let mut client = world.client();
                let head: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
                client.send(format!("{method} {path} HTTP/1.1\r\nhost: x\r\n{head}\r\n"));
                if method == "HEAD" {
                    assert!(client.looks(std::time::Duration::from_secs(20)));
                    continue;
                }
                check_needs_key(&client.answer());
            }
        }
    }
}

#[test]
fn ker_32_a_refusal_tells_nothing_apart() {
    let world = World::new();
    let bodies: Vec<_> = ["/v1/main/keys", "/v1/nowhere/keys", "/v1/main/nonsense", "/v1"]
        .map(|path| world.get(path, "fst_wrong").text())
        .to_vec();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
}

#[test]
fn ker_32_a_repeated_authorization_is_refused() {
    let world = World::new();
    let key = format!("Bearer {ADMIN}");
    let twice = [("authorization", key.as_str()), ("authorization", key.as_str())];
    check_needs_key(&world.ask("GET", "/v1/z/keys", &twice, None));
    assert_eq!(world.ask("GET", "/v1/z/keys", &[("authorization", &format!("bEaReR {ADMIN}"))], None).status, 200);
}

#[test]
fn ker_1_a_key_belongs_to_one_namespace_and_an_administrators_of_z_to_all() {
    let world = World::new();
    let (main_admin, z_operator) = (world.key("main", "admin"), world.key("z", "operator"));
    assert_eq!(world.get("/v1/main/keys", &main_admin).status, 200);
    assert_eq!(world.get("/v1/main/keys", ADMIN).status, 200);
    check_needs_key(&world.get("/v1/z/keys", &main_admin));
    check_needs_key(&world.get("/v1/main/keys", &z_operator));
}

#[test]
fn ker_1_an_unknown_namespace_is_told_only_to_administrators_of_z() {
    let world = World::new();
    let main_admin = world.key("main", "admin");
    check_needs_key(&world.get("/v1/nowhere/keys", &main_admin));
    check_needs_key(&world.get("/v1/nowhere/keys", &world.key("z", "reader")));
    world.get("/v1/nowhere/keys", ADMIN).check(404, "NNAMESPACE");
    world.get("/v1", ADMIN).check(404, "NROUTE");
}

#[test]
fn ker_32_a_role_that_the_route_does_not_name_is_refused() {
    let world = World::new();
    let (reader, app) = (world.key("main", "reader"), world.key("main", "app"));
    let refused = world.post("/v1/main/probe", &reader, &json!({ "name": "a" }));
    refused.check(403, "SROLE");
    assert_eq!(refused.message(), "role reader may not do this, it needs admin or app");
    assert_eq!(world.post("/v1/main/probe", &app, &json!({ "name": "a" })).status, 200);
    assert_eq!(world.get("/v1/main/probe/a", &reader).json()["count"], 1);
}

#[test]
fn ker_32_a_public_route_needs_no_key_but_its_namespace() {
    let world = World::new();
    let answer = world.ask("POST", "/v1/main/probe/open", &[], None);
    assert_eq!(answer.json(), json!({ "caller": "public", "namespace": "main" }));
    world.ask("POST", "/v1/nowhere/probe/open", &[], None).check(404, "NNAMESPACE");
    check_needs_key(&world.ask("GET", "/v1/main/probe/open", &[], None));
    check_needs_key(&world.ask("POST", "/v1/main/probe/open/", &[], None));
}

#[test]
fn ker_31_a_store_that_cannot_be_asked_is_a_fault_not_a_refusal() {
    let world = World::new();
    world.valve.set(Flow::CutOff);
    let answer = world.get("/v1/main/keys", "fst_any");
    answer.check(503, "XSTORE");
    assert_eq!(answer.header("retry-after"), Some("2"));
    assert!(!answer.text().contains("secret"), "{}", answer.text());
    world.valve.set(Flow::Open);
    check_needs_key(&world.get("/v1/main/keys", "fst_any"));
}
