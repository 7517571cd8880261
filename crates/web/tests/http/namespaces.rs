//! KER-1, KER-2 at the edge: states, grants and resources. Creating and removing need a keeper of stores and are tested with the
//! whole server (`examples/ledger/tests/server/namespaces.rs`).

use base::Wall;
use kernel::Caller;
use kernel::namespaces::{SEED_NAMESPACES, SeedNamespaces, Standing, State};
use serde_json::json;

use crate::client::Answer;
use crate::world::{ADMIN, World};

fn world() -> World {
    let world = World::new();
    let (tell, told) = std::sync::mpsc::channel();
    let input = SeedNamespaces { admin: "z".into(), engine: base::Engine::Sqlite, node: "n".into() };
    let done = Box::new(move |reply| tell.send(reply).unwrap());
    let request = world.kernel.request(Caller::server("test"));
    world.kernel.call(&world.kernel.admin_namespace(), &SEED_NAMESPACES, request, input, done);
    told.recv().unwrap().unwrap();
    world
}

fn stand(world: &World, state: State) {
    let reopens_at = Some(Wall(i64::MAX / 2));
    let standing = Standing { state, message: "moving".into(), reopens_at, ..Standing::OPEN };
    world.kernel.namespace("main").unwrap().set_standing(standing);
}

/// Puts bytes with the administrator's key.
fn put(world: &World, path: &str, media_type: &str, body: &[u8]) -> Answer {
    let mut client = world.client();
    client.send(format!(
        "PUT {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\nauthorization: Bearer {ADMIN}\r\n\
         content-type: {media_type}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    ));
    client.try_send(body);
    client.answer()
}

#[test]
fn ker_2_each_state_is_told_to_tenants_and_passed_by_administrators_of_z() {
    let world = world();
    let (own_admin, body) = (world.key("main", "admin"), json!({ "role": "app" }));
    let asked = |key: &str| {
        let read = world.get("/v1/main/keys", key);
        let changed = world.post("/v1/main/keys", key, &body);
        [read, changed].map(|answer| if answer.status < 300 { String::new() } else { answer.code() })
    };
    for (state, own, everywhere) in [
        (State::Open, ["", ""], ["", ""]),
        (State::ReadOnly, ["", "OREADONLY"], ["", ""]),
        (State::Closed, ["OCLOSED", "OCLOSED"], ["", ""]),
        (State::Removing, ["OREMOVING", "OREMOVING"], ["OREMOVING", "OREMOVING"]),
    ] {
        stand(&world, state);
        assert_eq!(asked(&own_admin), own, "{state:?}");
        assert_eq!(asked(ADMIN), everywhere, "{state:?}");
    }
    stand(&world, State::Closed);
    let closed = world.get("/v1/main/keys", &own_admin);
    assert_eq!((closed.status, closed.message().as_str(), closed.header("retry-after")), (503, "moving", Some("3600")));
    world.get("/v1/main/keys", "fst_nobody").check(401, "SKEY");
    world.ask("GET", "/v1/main/resources/a", &[], None).check(503, "OCLOSED");
}

#[test]
fn ker_2_a_read_only_namespace_answers_questions_that_come_by_post() {
    let world = world();
    let (app, body) = (world.key("main", "app"), json!({ "name": "a" }));
    assert_eq!(world.post("/v1/main/probe", &app, &body).status, 200);
    stand(&world, State::ReadOnly);
    world.post("/v1/main/probe", &app, &body).check(503, "OREADONLY");
    let counted = world.post("/v1/main/probe/count", &app, &body);
    assert_eq!((counted.status, &counted.json()["count"]), (200, &json!(1)), "{}", counted.text());
    stand(&world, State::Closed);
    world.post("/v1/main/probe/count", &app, &body).check(503, "OCLOSED");
}

#[test]
fn ker_2_a_change_is_refused_before_its_body_is_read() {
    let world = world();
    let app = world.key("main", "app");
    stand(&world, State::ReadOnly);
    let mut client = world.client();
    client.send(format!(
        "PUT /v1/main/blobs/{} HTTP/1.1\r\nhost: test\r\nauthorization: Bearer {app}\r\ncontent-length: 1000\r\n\r\n",
        "0".repeat(64)
    ));
    client.answer().check(503, "OREADONLY");
}

#[test]
fn ker_2_a_live_connection_changes_nothing_when_read_only_and_ends_when_closed() {
    let world = world();
    let app = world.key("main", "app");
    let mut stream = world.stream("/v1/main/probe/adder", &app, "");
    stream.until("add good;");
    stream.until("count good;");
    stand(&world, State::ReadOnly);
    stream.until("add OREADONLY;");
    let before = world.count("live");
    stream.until("count good;");
    stream.until("add OREADONLY;");
    assert_eq!(world.count("live"), before);
    stand(&world, State::Closed);
    stream.until("count OCLOSED;");
    stream.until("add OCLOSED;");
    stream.until("0\r\n\r\n");
}

#[test]
fn ker_2_a_namespaces_own_limit_of_requests_holds_and_can_be_raised() {
    let world = world();
    let main = world.kernel.namespace("main").unwrap();
    main.set_standing(Standing { requests_max: Some(0), ..Standing::OPEN });
    world.get("/v1/main/keys", ADMIN).check(503, "XBUSY");
    assert_eq!(world.get("/v1/z/keys", ADMIN).status, 200, "the others have their own");
    main.set_standing(Standing { requests_max: Some(1), ..Standing::OPEN });
    assert_eq!(world.get("/v1/main/keys", ADMIN).status, 200);
}

#[test]
fn ker_2_only_administrators_on_z_itself_configure_namespaces() {
    let world = world();
    let (own_admin, operator) = (world.key("main", "admin"), world.key("z", "operator"));
    world.get("/v1/main/namespaces", ADMIN).check(404, "NROUTE");
    world.get("/v1/main/namespaces", &own_admin).check(404, "NROUTE");
    world.get("/v1/z/namespaces", &own_admin).check(401, "SKEY");
    world.get("/v1/z/namespaces", &operator).check(403, "SROLE");
    let listed = world.get("/v1/z/namespaces", ADMIN).json();
    assert_eq!((&listed["items"][0]["name"], &listed["items"][1]["name"]), (&json!("main"), &json!("z")));
    world.get("/v1/z/namespaces/nobody", ADMIN).check(404, "NNAMESPACE");
    for bad in
        [json!({ "message": "x" }), json!({ "state": "removing" }), json!({ "reopens_at": "now", "state": "open" })]
    {
        let body = bad.to_string();
        let asked =
            world.ask("PATCH", "/v1/z/namespaces/main", &[("authorization", &format!("Bearer {ADMIN}"))], Some(&body));
        asked.check(400, "ABODY");
    }
}

#[test]
fn ker_1_grants_are_shown_as_they_were_given() {
    let world = world();
    let one = "/v1/z/namespaces/main/grants/z/Order";
    let ask = |method: &str| world.ask(method, one, &[("authorization", &format!("Bearer {ADMIN}"))], None);
    ask("GET").check(404, "NGRANT");
    assert_eq!(ask("PUT").status, 204);
    assert_eq!(ask("PUT").status, 204);
    let given = ask("GET").json();
    assert_eq!((&given["reader"], &given["class"]), (&json!("z"), &json!("Order")));
    let listed = world.get("/v1/z/namespaces/main/grants", ADMIN).json();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    assert_eq!(ask("DELETE").status, 204);
    assert_eq!(ask("DELETE").status, 204);
    ask("GET").check(404, "NGRANT");
}

#[test]
fn ker_2_resources_are_for_everybody_and_act_as_nobody() {
    let world = world();
    let page = b"<script>alert(1)</script>";
    assert_eq!(put(&world, "/v1/z/namespaces/z/resources/a/b/page.html", "text/html", page).status, 200);
    let common = world.ask("GET", "/v1/main/resources/a/b/page.html", &[], None);
    assert_eq!((common.status, common.body.as_slice()), (200, &page[..]));
    assert_eq!(common.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(common.header("content-security-policy"), Some("sandbox"));
    assert_eq!(common.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(common.header("cache-control"), Some("public, max-age=60"));
    let tag = common.header("etag").unwrap();
    let same = world.ask("GET", "/v1/main/resources/a/b/page.html", &[("if-none-match", tag)], None);
    assert_eq!((same.status, same.body.len(), same.header("etag")), (304, 0, Some(tag)));
    put(&world, "/v1/z/namespaces/main/resources/a/b/page.html", "text/plain", b"own");
    let own = world.ask("GET", "/v1/main/resources/a/b/page.html", &[("if-none-match", tag)], None);
    assert_eq!((own.status, own.body.as_slice()), (200, &b"own"[..]));
    assert_eq!(world.ask("GET", "/v1/z/resources/a/b/page.html", &[], None).body, page);
    world.ask("GET", "/v1/main/resources/nothing", &[], None).check(404, "NRESOURCE");
    world.ask("GET", "/v1/main/resources/", &[], None).check(401, "SKEY");
    world.ask("POST", "/v1/main/resources/a", &[], None).check(401, "SKEY");
    world.ask("PUT", "/v1/z/namespaces/z/resources/a", &[], None).check(401, "SKEY");
}

#[test]
fn ker_34_what_a_resource_cannot_be_is_refused() {
    let world = world();
    put(&world, "/v1/z/namespaces/z/resources/a", "text/x-unknown", b"x").check(415, "ATYPE");
    put(&world, "/v1/z/namespaces/z/resources/a/%2e%2e/b", "text/plain", b"x").check(400, "ABODY");
    put(&world, "/v1/z/namespaces/nobody/resources/a", "text/plain", b"x").check(404, "NNAMESPACE");
    let large = put(&world, "/v1/z/namespaces/z/resources/a", "text/plain", &vec![b'x'; (1 << 20) + 1]);
    assert!(large.check(413, "ATOOBIG").message().contains("1048576"), "{}", large.text());
    let listed = world.get("/v1/z/namespaces/z/resources", ADMIN).json();
    assert_eq!(listed["items"], json!([]));
}
