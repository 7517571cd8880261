//! The routes of access keys (KER-32).

use serde_json::{Value, json};

use crate::client::Answer;
use crate::world::{ADMIN, World, bearer};

#[test]
fn ker_32_a_key_is_made_listed_without_its_secret_and_revoked_at_once() {
    let world = World::new();
    let body = json!({ "role": "app", "scope": { "company": "c1" }, "label": "till <7>" });
    let made = world.post("/v1/main/keys", ADMIN, &body);
    assert_eq!(made.status, 201);
    let (id, key) = (made.json()["id"].as_str().unwrap().to_owned(), made.json()["key"].as_str().unwrap().to_owned());
    assert_eq!(world.get("/v1/main/probe/x", &key).status, 200);
    let listed = world.get("/v1/main/keys", ADMIN);
    assert!(!listed.text().contains(&key));
    let item = listed.json()["items"][0].clone();
    assert_eq!((&item["id"], &item["role"], &item["label"]), (&json!(id), &json!("app"), &json!("till <7>")));
    assert_eq!((&item["scope"], &item["revoked_at"]), (&json!({ "company": "c1" }), &Value::Null));
    let path = format!("/v1/main/keys/{id}");
    for _ in 0..2 {
        let revoked = world.delete(&path, ADMIN);
        assert_eq!((revoked.status, revoked.body.len()), (204, 0));
        world.get("/v1/main/probe/x", &key).check(401, "SKEY");
    }
    let revoked_at = world.get("/v1/main/keys", ADMIN).json()["items"][0]["revoked_at"].as_str().unwrap().to_owned();
    assert!(revoked_at.len() == 24 && revoked_at.ends_with('Z') && revoked_at.starts_with("20"), "{revoked_at}");
}

#[test]
fn ker_32_revoking_what_is_not_there_is_told_and_another_namespaces_key_is_not_there() {
    let world = World::new();
    world.delete("/v1/main/keys/01KA2B3C4D5E6F7G8H9JKMNPQR", ADMIN).check(404, "NKEY");
    world.delete("/v1/main/keys/nonsense%2Fx", ADMIN).check(404, "NKEY");
    world.delete("/v1/main/keys/%ff", ADMIN).check(400, "ABODY");
    world.delete("/v1/main/keys/a%00b", ADMIN).check(400, "ABODY");
    let of_z = world.get("/v1/z/keys", ADMIN).json()["items"][0]["id"].as_str().unwrap().to_owned();
    world.delete(&format!("/v1/main/keys/{of_z}"), ADMIN).check(404, "NKEY");
}

/// Asks to call a key of a namespace otherwise.
fn change(world: &World, path: &str, key: &str, body: &str) -> Answer {
    world.ask("PATCH", &format!("/v1/{path}"), &[("authorization", &bearer(key))], Some(body))
}

#[test]
fn ker_32_a_label_is_changed_over_http() {
    let world = World::new();
    let made = world.post("/v1/main/keys", ADMIN, &json!({ "role": "app", "label": "Anna" })).json();
    let path = format!("main/keys/{}", made["id"].as_str().unwrap());
    let label = || world.get("/v1/main/keys", ADMIN).json()["items"][0]["label"].as_str().unwrap().to_owned();
    for wanted in ["till 8", "till 8", "", "käse \u{1f9c0}"] {
        let changed = change(&world, &path, ADMIN, &json!({ "label": wanted }).to_string());
        assert_eq!((changed.status, changed.body.len()), (204, 0), "{}", changed.text());
        assert_eq!(label(), wanted);
    }
    for (body, status, code) in [
        ("{}", 400, "ABODY"),
        ("[]", 400, "ABODY"),
        ("{\"label\":7}", 400, "ABODY"),
        ("{\"label\":null}", 400, "ABODY"),
        ("{\"label\":\"a\",\"role\":\"admin\"}", 400, "ABODY"),
        ("{\"label\":\"a\\nb\"}", 400, "ABODY"),
        (&format!("{{\"label\":\"{}\"}}", "x".repeat(256)), 422, "ALIMIT"),
    ] {
        change(&world, &path, ADMIN, body).check(status, code);
    }
    assert_eq!(label(), "käse \u{1f9c0}", "nothing changed");
    let of_z = world.get("/v1/z/keys", ADMIN).json()["items"][0]["id"].as_str().unwrap().to_owned();
    for unknown in ["01KA2B3C4D5E6F7G8H9JKMNPQR", "nonsense%2Fx", &of_z] {
        change(&world, &format!("main/keys/{unknown}"), ADMIN, "{\"label\":\"x\"}").check(404, "NKEY");
    }
    change(&world, &path, &world.key("main", "operator"), "{\"label\":\"x\"}").check(403, "SROLE");
    let changed = change(&world, &format!("z/keys/{of_z}"), ADMIN, "{\"label\":\"first\"}");
    assert_eq!(changed.status, 204, "{}", changed.text());
    assert_eq!(world.get("/v1/z/keys", ADMIN).json()["items"][0]["label"], "first");
}

#[test]
fn ker_32_keys_are_listed_page_by_page() {
    let world = World::new();
    let made: Vec<String> = (0..5).map(|_| world.key("main", "reader")).collect();
    assert_eq!(made.len(), 5);
    let (mut seen, mut path) = (vec![], "/v1/main/keys?limit=2".to_owned());
    let mut pages = 0;
    loop {
        let page = world.get(&path, ADMIN).json();
        seen.extend(page["items"].as_array().unwrap().iter().map(|key| key["id"].as_str().unwrap().to_owned()));
        pages += 1;
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/v1/main/keys?limit=2&after={next}");
    }
    assert_eq!((pages, seen.len()), (3, 5));
    assert!(seen.is_sorted());
}

#[test]
fn ker_34_unknown_parameters_absurd_limits_and_edited_cursors_are_refused_by_name() {
    let world = World::new();
    for (query, status, code, words) in [
        ("limit=0", 422, "ALIMIT", "limit is 0"),
        ("limit=1001", 422, "ALIMIT", "1 to 1000"),
        ("limit=-1", 400, "ABODY", "limit"),
        ("limit=99999999999", 400, "ABODY", "limit"),
        ("limit=1&limit=2", 400, "ABODY", "duplicate field `limit`"),
        ("lmit=1", 400, "ABODY", "unknown field `lmit`"),
        ("after=x'%20OR%201=1", 400, "ABODY", "after"),
        ("after=%00", 400, "ABODY", "NUL"),
    ] {
        let refused = world.get(&format!("/v1/main/keys?{query}"), ADMIN);
        refused.check(status, code);
        assert!(refused.message().contains(words), "{query}: {}", refused.message());
    }
    assert_eq!(world.get("/v1/main/keys?limit=1000", ADMIN).status, 200);
}

#[test]
fn ker_32_only_administrators_handle_keys() {
    let world = World::new();
    let operator = world.key("main", "operator");
    world.get("/v1/main/keys", &operator).check(403, "SROLE");
    world.post("/v1/main/keys", &operator, &json!({ "role": "admin" })).check(403, "SROLE");
    world.post("/v1/main/keys", ADMIN, &json!({ "role": "god" })).check(400, "ABODY");
}

#[test]
fn ker_32_a_key_that_a_scope_binds_makes_nothing_that_reaches_further() {
    let world = World::new();
    let free =
        world.post("/v1/main/keys", ADMIN, &json!({ "role": "admin" })).json()["id"].as_str().unwrap().to_owned();
    let later = json!({ "op": "a", "target": "https://x/", "start_at": "2031-05-06T07:08:09Z" });
    for scope in [json!({ "service": "probe" }), json!({ "client": "a" })] {
        let body = json!({ "role": "admin", "scope": scope });
        let bound = world.post("/v1/main/keys", ADMIN, &body).json()["key"].as_str().unwrap().to_owned();
        for (method, path, body) in [
            ("POST", "/v1/main/keys".to_owned(), json!({ "role": "admin" })),
            ("POST", "/v1/main/keys".to_owned(), body.clone()),
            ("POST", format!("/v1/main/keys/{free}/rotate"), json!({})),
            ("PATCH", format!("/v1/main/keys/{free}"), json!({ "label": "x" })),
            ("DELETE", format!("/v1/main/keys/{free}"), Value::Null),
            ("POST", "/v1/main/accounts".to_owned(), json!({ "name": "eve", "role": "admin" })),
            ("PATCH", "/v1/main/accounts/eve".to_owned(), json!({ "role": "admin" })),
            ("DELETE", "/v1/main/accounts/eve".to_owned(), Value::Null),
            ("POST", "/v1/main/tasks".to_owned(), json!({ "op": "key.create", "param": { "role": "admin" } })),
            ("POST", "/v1/main/tasks".to_owned(), json!({ "op": "probe.add", "param": { "name": "a" } })),
        ] {
            let body = (!body.is_null()).then(|| body.to_string());
            let headers = [("authorization", format!("Bearer {bound}"))];
            let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
            world.ask(method, &path, &headers, body.as_deref()).check(403, "SROLE");
        }
        assert_eq!(world.get("/v1/main/keys", &bound).status, 200, "what its role may look at it still does");
        assert_eq!(world.post("/v1/main/tasks", &bound, &later).status, 201);
    }
    assert_eq!(world.get("/v1/main/keys", ADMIN).json()["items"].as_array().unwrap().len(), 3);
}

/// A page looks at no scope, and people have none.
#[test]
fn ker_32_a_key_that_a_scope_binds_sees_no_page() {
    let world = World::new();
    let body = json!({ "role": "admin", "scope": { "client": "a" } });
    let bound = world.post("/v1/main/keys", ADMIN, &body).json()["key"].as_str().unwrap().to_owned();
    for path in
        ["/console/main/", "/console/main/keys", "/console/main/tasks", "/console/main/stuck", "/console/main/_live"]
    {
        assert_eq!(world.get(path, &bound).status, 403, "{path}");
    }
    assert_eq!(world.get("/console/main/", ADMIN).status, 200);
}
