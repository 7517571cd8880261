//! The routes of accounts (KER-32), and what strangers share on public routes (KER-10).

use serde_json::{Value, json};

use crate::client::Answer;
use crate::world::{ADMIN, World};

fn patch(world: &World, path: &str, body: &Value) -> Answer {
    world.ask("PATCH", path, &[("authorization", &format!("Bearer {ADMIN}"))], Some(&body.to_string()))
}

#[test]
fn ker_32_an_account_shows_its_one_time_password_once_and_to_a_repeat() {
    let world = World::new();
    let body = json!({ "name": "anna", "role": "operator" });
    let make = || world.post_with("/v1/main/accounts", ADMIN, &[("idempotency-key", "a")], &body);
    let made = make();
    assert_eq!(made.status, 201);
    let password = made.json()["password"].as_str().unwrap().to_owned();
    let again = make();
    assert_eq!((again.header("idempotency-replayed"), &again.json()["password"]), (Some("true"), &json!(password)));
    for path in ["/v1/main/accounts", "/v1/main/accounts/anna"] {
        let shown = world.get(path, ADMIN).text();
        assert!(!shown.contains(&password) && !shown.contains("argon2") && shown.contains("anna"), "{shown}");
    }
    world.post("/v1/main/accounts", ADMIN, &body).check(422, "AACCOUNT");
}

#[test]
fn ker_32_accounts_are_changed_and_removed_and_bad_input_changes_nothing() {
    let world = World::new();
    world.post("/v1/main/accounts", ADMIN, &json!({ "name": "anna", "role": "operator" }));
    for (body, code) in [
        (json!({ "role": "god" }), "ABODY"),
        (json!({ "role": "device" }), "ABODY"),
        (json!({ "blocked": "yes" }), "ABODY"),
        (json!({ "password": "mine, of my own choice" }), "ABODY"),
    ] {
        assert_eq!(patch(&world, "/v1/main/accounts/anna", &body).code(), code, "{body}");
    }
    for body in [
        json!({}),
        json!({ "name": "x" }),
        json!({ "name": "X", "role": "reader" }),
        json!({ "name": 7, "role": "reader" }),
    ] {
        world.post("/v1/main/accounts", ADMIN, &body).check(400, "ABODY");
    }
    let changed = patch(&world, "/v1/main/accounts/anna", &json!({ "role": "reader", "new_password": true })).json();
    assert_eq!((&changed["role"], changed["password"].is_string()), (&json!("reader"), true));
    let nothing = patch(&world, "/v1/main/accounts/anna", &json!({})).json();
    assert_eq!((&nothing["role"], &nothing["password"]), (&json!("reader"), &Value::Null));
    patch(&world, "/v1/main/accounts/nobody", &json!({ "new_password": true })).check(404, "NPERSON");
    assert_eq!(world.delete("/v1/main/accounts/anna", ADMIN).status, 204);
    world.delete("/v1/main/accounts/anna", ADMIN).check(404, "NPERSON");
}

#[test]
fn ker_32_the_last_administrator_of_z_stays_and_another_namespaces_may_go() {
    let world = World::new();
    for ns in ["z", "main"] {
        world.post(&format!("/v1/{ns}/accounts"), ADMIN, &json!({ "name": "root", "role": "admin" }));
    }
    patch(&world, "/v1/z/accounts/root", &json!({ "blocked": true })).check(422, "ALASTADMIN");
    patch(&world, "/v1/z/accounts/root", &json!({ "role": "reader" })).check(422, "ALASTADMIN");
    world.delete("/v1/z/accounts/root", ADMIN).check(422, "ALASTADMIN");
    assert_eq!(world.delete("/v1/main/accounts/root", ADMIN).status, 204);
}

#[test]
fn ker_32_accounts_are_listed_page_by_page() {
    let world = World::new();
    for name in ["c", "a", "b"] {
        world.post("/v1/main/accounts", ADMIN, &json!({ "name": name, "role": "reader" }));
    }
    let page = world.get("/v1/main/accounts?limit=2", ADMIN).json();
    assert_eq!(
        (&page["items"][0]["name"], &page["items"][1]["name"], &page["next"]),
        (&json!("a"), &json!("b"), &json!("b"))
    );
    let rest = world.get("/v1/main/accounts?limit=2&after=b", ADMIN).json();
    assert_eq!((&rest["items"][0]["name"], &rest["next"]), (&json!("c"), &Value::Null));
    world.get("/v1/main/accounts?after=A", ADMIN).check(400, "ABODY");
    world.get("/v1/main/accounts?limit=0", ADMIN).check(422, "ALIMIT");
}

#[test]
fn ker_32_a_key_is_rotated_over_http_and_the_old_secret_ends_when_told() {
    let world = World::new();
    let made = world.post("/v1/main/keys", ADMIN, &json!({ "role": "reader" })).json();
    let (id, old) = (made["id"].as_str().unwrap(), made["key"].as_str().unwrap());
    let path = format!("/v1/main/keys/{id}/rotate");
    let new = world.post(&path, ADMIN, &json!({})).json()["key"].as_str().unwrap().to_owned();
    let works = |key: &str| world.get("/v1/main/probe/x", key).status == 200;
    assert!(works(old) && works(&new));
    assert_eq!(world.get("/v1/main/keys", ADMIN).json()["items"][0]["state"], "overlapping");
    let last = world.post(&path, ADMIN, &json!({ "overlap_s": 0 })).json()["key"].as_str().unwrap().to_owned();
    assert!(!works(old) && !works(&new) && works(&last), "at once, though they were seen lately");
    world.post(&path, ADMIN, &json!({ "overlap_s": -1 })).check(400, "ABODY");
    world.post(&path, ADMIN, &json!({ "overlap_s": 2_592_001 })).check(422, "ALIMIT");
    world.post("/v1/main/keys/nobody/rotate", ADMIN, &json!({})).check(404, "NKEY");
}

#[test]
fn ker_32_a_scope_with_unknown_fields_is_refused_by_name() {
    let world = World::new();
    let refused = world.post("/v1/main/keys", ADMIN, &json!({ "role": "app", "scope": { "devise": "d1" } }));
    refused.check(400, "ABODY");
    assert!(refused.message().contains("`devise`"), "{}", refused.message());
}

#[test]
fn ker_32_a_scope_that_is_of_no_use_to_its_role_is_refused_with_what_is() {
    let world = World::new();
    let refused = world.post("/v1/main/keys", ADMIN, &json!({ "role": "gateway", "scope": { "device": "d1" } }));
    refused.check(400, "ABODY");
    let words = "scope field `device` is of no use to a key of role `gateway`: its fields are service";
    assert_eq!(refused.message(), words);
    let two = world.post("/v1/main/keys", ADMIN, &json!({ "role": "device", "scope": { "device": ["a", "b"] } }));
    two.check(400, "ABODY");
    assert!(two.message().contains("speaks for one device"), "{}", two.message());
}

#[test]
fn ker_32_own_operations_read_what_the_application_says_of_itself() {
    let world = World::new();
    let add =
        |auth: &str| world.post_with("/v1/main/probe", ADMIN, &[("fastness-auth", auth)], &json!({ "name": "a" }));
    assert_eq!(add(r#"{"account":"anna","key":"k","admin":"a"}"#).json()["id"], "anna");
    let refused = add(r#"{"account":"bert","secret":"s3cr3t"}"#);
    refused.check(400, "AHEADER");
    assert!(!refused.text().contains("s3cr3t") && world.count("a") == 1, "{}", refused.text());
}

#[test]
fn ker_10_strangers_on_a_public_route_cannot_use_up_each_others_keys() {
    let world = World::new();
    let add = |name: &str| {
        let body = json!({ "name": name }).to_string();
        world.ask("POST", "/v1/main/probe/strangers", &[("idempotency-key", "1")], Some(&body))
    };
    let (mine, theirs, again) = (add("mine"), add("theirs"), add("mine"));
    assert_eq!((mine.status, theirs.status), (200, 200), "{}", theirs.text());
    assert_eq!((again.header("idempotency-replayed"), again.json()), (Some("true"), mine.json()));
    assert_eq!((world.count("mine"), world.count("theirs")), (1, 1));
}
