//! KER-32, first part: keys are made, found, revoked.

use std::sync::Arc;

use base::Sql;
use kernel::keys::hash;
use kernel::ops::bootstrap_key::{BOOTSTRAP_KEY, BootstrapKey, Bootstrapped};
use kernel::ops::create_key::{CREATE_KEY, CreateKey, CreatedKey};
use kernel::ops::list_keys::{LIST_KEYS, Page};
use kernel::ops::revoke_key::{REVOKE_KEY, RevokeKey};
use kernel::{Caller, Namespace, Request, Role};

use crate::world::{World, error_code};

fn authenticate(world: &World, ns: &Arc<Namespace>, secret: &str) -> Option<Caller> {
    let (tell, told) = std::sync::mpsc::channel();
    world.kernel.authenticate(ns, secret, Box::new(move |found| tell.send(found).unwrap()));
    told.try_recv().unwrap().unwrap()
}

fn create(world: &World, mut request: Request, role: Role) -> CreatedKey {
    request.caller.proof = Some([9; 32]);
    let input = CreateKey { role, scope: serde_json::Map::new(), label: "door".into() };
    world.call(&CREATE_KEY, request, input).unwrap().out
}

#[test]
fn ker_32_a_key_is_found_by_its_secret_and_only_by_it() {
    let world = World::new();
    let key = create(&world, world.request(), Role::App);
    let caller = authenticate(&world, &world.main(), &key.key).unwrap();
    assert_eq!((caller.name.as_str(), caller.role), (key.id.as_str(), Role::App));
    assert_eq!(authenticate(&world, &world.main(), &key.key[1..]), None);
    let z = world.kernel.admin_namespace();
    assert_eq!(authenticate(&world, &z, &key.key), None, "a key belongs to one namespace");
}

#[test]
fn ker_32_secrets_are_stored_hashed_also_in_the_rows_of_repeated_requests() {
    static TEXTS: Sql = Sql::new("test.texts", "SELECT COALESCE(answer, '') FROM request");
    let world = World::new();
    let once = || world.request().once("POST /keys", "a", [1; 32]);
    let key = create(&world, once(), Role::App);
    assert_eq!(world.rows(&TEXTS)[0].text(0), "");
    let again = create(&world, once(), Role::App);
    assert_eq!((again.id, again.key), (key.id, key.key), "a repeat shows the same secret");
}

#[test]
fn ker_32_a_revoked_key_is_nobodys_at_once_and_revoking_twice_is_harmless() {
    let world = World::new();
    let key = create(&world, world.request(), Role::App);
    assert!(authenticate(&world, &world.main(), &key.key).is_some());
    for _ in 0..2 {
        world.call(&REVOKE_KEY, world.request(), RevokeKey { id: key.id.clone() }).unwrap();
        world.main().forget_keys();
    }
    assert_eq!(authenticate(&world, &world.main(), &key.key), None);
    let unknown = RevokeKey { id: "nobody".into() };
    assert_eq!(error_code(world.call(&REVOKE_KEY, world.request(), unknown)), ("NKEY", 1));
    let listed = world.read(&LIST_KEYS, Page { after: String::new(), limit: 10 }).unwrap();
    assert!(listed.len() == 1 && listed[0].revoked_at.is_some());
}

#[test]
fn ker_1_an_administrators_key_of_z_is_valid_everywhere_other_keys_of_z_are_not() {
    let world = World::new();
    let z = world.kernel.admin_namespace();
    let (tell, told) = std::sync::mpsc::channel();
    let input = BootstrapKey { hash: hash("the first secret") };
    let done = Box::new(move |reply| tell.send(reply).unwrap());
    world.kernel.call(&z, &BOOTSTRAP_KEY, world.request(), input, done);
    assert_eq!(told.try_recv().unwrap().unwrap().out, Bootstrapped::Added);
    let caller = authenticate(&world, &world.main(), "the first secret").unwrap();
    assert_eq!(caller.role, Role::Admin);
}

#[test]
fn ker_32_the_first_key_is_added_once_even_if_it_was_revoked_since() {
    let world = World::new();
    let first = || world.call(&BOOTSTRAP_KEY, world.request(), BootstrapKey { hash: hash("s") }).unwrap().out;
    assert_eq!(first(), Bootstrapped::Added);
    let id = authenticate(&world, &world.main(), "s").unwrap().name;
    world.call(&REVOKE_KEY, world.request(), RevokeKey { id }).unwrap();
    world.main().forget_keys();
    assert_eq!(first(), Bootstrapped::NotNeeded);
    assert_eq!(authenticate(&world, &world.main(), "s"), None);
}

#[test]
fn ker_32_a_caller_without_a_secret_cannot_be_made_one() {
    let world = World::new();
    let input = CreateKey { role: Role::App, scope: serde_json::Map::new(), label: String::new() };
    assert_eq!(error_code(world.call(&CREATE_KEY, world.request(), input)).0, "BDETECTED");
}

#[test]
fn ker_32_services_see_the_scope_of_a_key() {
    let world = World::new();
    let scope = serde_json::json!({ "device": "d1" }).as_object().unwrap().clone();
    let mut request = world.request();
    request.caller.proof = Some([9; 32]);
    let input = CreateKey { role: Role::Device, scope, label: String::new() };
    let key = world.call(&CREATE_KEY, request, input).unwrap().out;
    let caller = authenticate(&world, &world.main(), &key.key).unwrap();
    assert_eq!(caller.scope.as_ref(), r#"{"device":"d1"}"#);
}

#[test]
fn ker_34_labels_and_scopes_have_limits() {
    let world = World::new();
    let with = |label: String| CreateKey { role: Role::App, scope: serde_json::Map::new(), label };
    assert_eq!(error_code(world.call(&CREATE_KEY, world.request(), with("x".repeat(256)))).0, "ALIMIT");
    assert_eq!(error_code(world.call(&CREATE_KEY, world.request(), with("a\u{7}".into()))).0, "ABODY");
}
