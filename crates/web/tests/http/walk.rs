//! Every route of the table, asked by everybody: what the table declares is what happens. A new route is walked without any
//! change here.

use kernel::Role;
use serde_json::json;
use web::{Access, RouteInfo};

use crate::client::Answer;
use crate::world::{ADMIN, Session, World};

/// Codes that say who asks, not what is asked.
const OF_AUTH: [&str; 3] = ["SKEY", "SROLE", "SCSRF"];

/// Asks a route of namespace `main`; every other part of its path is called `x`.
fn ask(world: &World, route: &RouteInfo, headers: &[(&str, &str)]) -> Answer {
    let name = |part: &str| if part.starts_with('{') { "x" } else { part }.to_owned();
    let path = route.path.replace("{ns}", "main");
    let path: Vec<String> = path.split('/').map(name).collect();
    let body = (!route.is_got()).then_some("{}");
    world.ask(route.method.as_str(), &path.join("/"), headers, body)
}

/// The code by which it was refused for who asks; nothing if it went on to what is asked.
fn refusal(answer: &Answer) -> Option<String> {
    let is_error = answer.status >= 400;
    is_error.then(|| answer.code()).filter(|code| OF_AUTH.contains(&code.as_str()))
}

#[track_caller]
fn check(world: &World, route: &RouteInfo, who: &str, headers: &[(&str, &str)], expected: Option<&str>) {
    let answer = ask(world, route, headers);
    assert_eq!(refusal(&answer).as_deref(), expected, "{} by {who}: {}", route.label(), answer.text());
}

/// What the table says of a role.
fn declared(route: &RouteInfo, role: Role) -> Option<&'static str> {
    (!route.access.allows(role)).then_some("SROLE")
}

fn below_v1(world: &World) -> impl Iterator<Item = &RouteInfo> {
    let all = world.table.iter().map(AsRef::as_ref);
    all.filter(|route| route.path.starts_with("/v1/"))
}

#[test]
fn ker_32_every_route_needs_a_key_that_is_valid_here() {
    let world = World::new();
    let revoked = world.post("/v1/main/keys", ADMIN, &json!({ "role": "admin" })).json();
    let (id, secret) = (revoked["id"].as_str().unwrap(), revoked["key"].as_str().unwrap());
    assert_eq!(world.delete(&format!("/v1/main/keys/{id}"), ADMIN).status, 204);
    let strangers = [("a wrong key", "fst_wrong".to_owned()), ("a revoked key", secret.to_owned())];
    let of_z = Role::ALL.into_iter().filter(|role| *role != Role::Admin);
    let of_z = of_z.map(|role| ("a key of another namespace", world.key("z", role.word())));
    let strangers: Vec<_> = strangers.into_iter().chain(of_z).collect();
    for route in below_v1(&world) {
        let expected = (route.access != Access::Public).then_some("SKEY");
        check(&world, route, "nobody", &[], expected);
        for (who, key) in &strangers {
            check(&world, route, who, &[("authorization", &format!("Bearer {key}"))], expected);
        }
        check(
            &world,
            route,
            "a wrong cookie",
            &[("cookie", &format!("fastness_session={}", "0".repeat(64)))],
            expected,
        );
    }
}

#[test]
fn ker_32_every_route_lets_in_exactly_the_roles_that_it_declares() {
    let world = World::new();
    let keys: Vec<_> = Role::ALL.into_iter().map(|role| (role, world.key("main", role.word()))).collect();
    let mut walked = 0;
    for route in below_v1(&world) {
        for (role, key) in &keys {
            let headers = [("authorization", format!("Bearer {key}"))];
            check(&world, route, role.word(), &[(headers[0].0, &headers[0].1)], declared(route, *role));
        }
        check(&world, route, "an administrator of z", &[("authorization", &format!("Bearer {ADMIN}"))], None);
        walked += 1;
    }
    assert!(walked >= 19, "{walked}");
}

#[test]
fn ker_33_every_change_by_a_session_needs_its_token_and_its_own_page() {
    let world = World::new();
    for route in below_v1(&world) {
        for (ns, role) in [("main", Role::Admin), ("main", Role::Operator), ("main", Role::Reader), ("z", Role::Admin)]
        {
            check_session(&world, route, role, || world.session(ns, role));
        }
        let expected = (route.access != Access::Public).then_some("SKEY");
        let operator = world.session("z", Role::Operator);
        check(&world, route, "another namespace's", &[("cookie", &operator.cookie)], expected);
    }
}

/// A new session each time: one of the routes ends it.
fn check_session(world: &World, route: &RouteInfo, role: Role, session: impl Fn() -> Session) {
    let forged = if !route.is_got() && route.access != Access::Public { Some("SCSRF") } else { declared(route, role) };
    let of_another = session().csrf;
    let Session { cookie, csrf } = session();
    check(world, route, "a session without its token", &[("cookie", &cookie)], forged);
    check(world, route, "with another's", &[("cookie", &cookie), ("x-csrf-token", &of_another)], forged);
    let foreign = [("cookie", cookie.as_str()), ("x-csrf-token", &csrf), ("origin", "http://evil.example")];
    check(world, route, "a foreign page", &foreign, forged);
    let own = [("cookie", cookie.as_str()), ("x-csrf-token", &csrf), ("origin", "http://test")];
    check(world, route, "a session", &own, declared(route, role));
}

#[test]
fn ker_33_a_key_wins_over_a_cookie() {
    let world = World::new();
    let (admin, reader) = (world.session("main", Role::Admin), world.key("main", "reader"));
    let key = format!("Bearer {reader}");
    let both = [("cookie", admin.cookie.as_str()), ("authorization", key.as_str())];
    world.ask("GET", "/v1/main/keys", &both, None).check(403, "SROLE");
    let wrong = [("cookie", admin.cookie.as_str()), ("authorization", "Bearer fst_wrong")];
    world.ask("GET", "/v1/main/keys", &wrong, None).check(401, "SKEY");
    assert_eq!(world.ask("GET", "/v1/main/keys", &[("cookie", &admin.cookie)], None).status, 200);
}
