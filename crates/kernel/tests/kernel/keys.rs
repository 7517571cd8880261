//! KER-32, first part: keys are made, found, revoked.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::{OpResult, Sql};
use kernel::keys::hash;
use kernel::ops::bootstrap_key::{BOOTSTRAP_KEY, BootstrapKey, Bootstrapped};
use kernel::ops::change_key::{CHANGE_KEY, ChangeKey};
use kernel::ops::create_key::{CREATE_KEY, CreateKey, CreatedKey};
use kernel::ops::list_keys::{KeyState, LIST_KEYS, Page};
use kernel::ops::revoke_key::{REVOKE_KEY, RevokeKey};
use kernel::ops::rotate_key::{ROTATE_KEY, RotateKey};
use kernel::{Caller, Namespace, Op, Properties, Request, Role};

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

fn changed(world: &World, request: Request, id: &str, label: &str) -> OpResult<()> {
    world.call(&CHANGE_KEY, request, ChangeKey { id: id.into(), label: label.into() }).map(drop)
}

#[test]
fn ker_32_a_label_is_changed_and_the_journal_tells_once_from_what_to_what() {
    static LINES: Sql = Sql::new("test.lines", "SELECT subject, text FROM journal WHERE kind = 'key.changed'");
    let world = World::new();
    let key = create(&world, world.request(), Role::App);
    for label in ["till 7", "till 7", ""] {
        changed(&world, world.request(), &key.id, label).unwrap();
        let listed = world.read(&LIST_KEYS, Page { after: String::new(), limit: 10 }).unwrap();
        assert_eq!(listed[0].label, label);
    }
    let lines = world.rows(&LINES);
    let mut lines: Vec<_> = lines.iter().map(|row| (row.text(0), row.text(1))).collect();
    lines.sort_unstable();
    assert_eq!(lines, [(key.id.as_str(), "label ``, was `till 7`"), (&key.id, "label `till 7`, was `door`")]);
    assert!(authenticate(&world, &world.main(), &key.key).is_some(), "its secret stays");
}

#[test]
fn ker_10_a_repeated_change_of_a_label_does_not_undo_a_later_one() {
    let world = World::new();
    let key = create(&world, world.request(), Role::App);
    let once = || world.request().once("PATCH /keys", "a", [1; 32]);
    changed(&world, once(), &key.id, "first").unwrap();
    changed(&world, world.request(), &key.id, "second").unwrap();
    changed(&world, once(), &key.id, "first").unwrap();
    assert_eq!(world.read(&LIST_KEYS, Page { after: String::new(), limit: 10 }).unwrap()[0].label, "second");
}

#[test]
fn ker_32_a_label_that_no_key_could_be_made_with_is_refused_and_a_revoked_key_loses_its_own() {
    let world = World::new();
    let key = create(&world, world.request(), Role::App);
    let refused = |id: &str, label: &str| error_code(changed(&world, world.request(), id, label)).0;
    assert_eq!(refused(&key.id, &"x".repeat(256)), "ALIMIT");
    assert_eq!(refused(&key.id, "a\nb"), "ABODY");
    assert_eq!(refused("nobody", "x"), "NKEY");
    assert_eq!(world.read(&LIST_KEYS, Page { after: String::new(), limit: 10 }).unwrap()[0].label, "door");
    world.call(&REVOKE_KEY, world.request(), RevokeKey { id: key.id.clone() }).unwrap();
    changed(&world, world.request(), &key.id, "").unwrap();
    let listed = world.read(&LIST_KEYS, Page { after: String::new(), limit: 10 }).unwrap();
    assert!(listed[0].label.is_empty() && listed[0].state == KeyState::Revoked);
}

fn rotate(world: &World, mut request: Request, id: &str, overlap_s: u32) -> OpResult<CreatedKey> {
    request.caller.proof = Some([9; 32]);
    world.call(&ROTATE_KEY, request, RotateKey { id: id.into(), overlap_s }).map(|reply| reply.out)
}

fn is_valid(world: &World, secret: &str) -> bool {
    world.main().forget_keys();
    authenticate(world, &world.main(), secret).is_some()
}

fn state(world: &World) -> KeyState {
    world.read(&LIST_KEYS, Page { after: String::new(), limit: 10 }).unwrap()[0].state
}

#[test]
fn ker_32_a_rotated_key_has_two_secrets_until_the_overlap_ends_in_listening_time() {
    let world = World::new();
    let old = create(&world, world.request(), Role::App);
    assert_eq!(state(&world), KeyState::Active);
    let new = rotate(&world, world.request(), &old.id, 60).unwrap();
    assert!(new.id == old.id && new.key != old.key);
    assert!(is_valid(&world, &old.key) && is_valid(&world, &new.key) && state(&world) == KeyState::Overlapping);
    world.clock.wall_ms.fetch_add(3_600_000, Ordering::Relaxed);
    assert!(is_valid(&world, &old.key), "the calendar ends nothing");
    world.clock.ran_ms.fetch_add(59_999, Ordering::Relaxed);
    assert!(is_valid(&world, &old.key));
    world.clock.ran_ms.fetch_add(1, Ordering::Relaxed);
    assert!(!is_valid(&world, &old.key) && is_valid(&world, &new.key) && state(&world) == KeyState::Active);
    world.check_invariants();
}

#[test]
fn ker_32_a_second_rotation_does_not_cut_the_overlap_of_the_first_unless_it_is_told_to() {
    let world = World::new();
    let first = create(&world, world.request(), Role::App);
    let second = rotate(&world, world.request(), &first.id, 60).unwrap();
    let third = rotate(&world, world.request(), &first.id, 86_400).unwrap();
    assert!([&first, &second, &third].iter().all(|made| is_valid(&world, &made.key)), "an answer may have been lost");
    let fourth = rotate(&world, world.request(), &first.id, 0).unwrap();
    assert!([&first, &second, &third].iter().all(|made| !is_valid(&world, &made.key)), "all older ones at once");
    assert!(is_valid(&world, &fourth.key));
    world.check_invariants();
}

#[test]
fn ker_32_a_repeated_rotation_shows_the_same_secret_and_rotates_once() {
    let world = World::new();
    let old = create(&world, world.request(), Role::App);
    let once = || world.request().once("POST rotate", "a", [1; 32]);
    let new = rotate(&world, once(), &old.id, 60).unwrap();
    assert_eq!(rotate(&world, once(), &old.id, 60).unwrap().key, new.key);
    assert!(is_valid(&world, &old.key) && is_valid(&world, &new.key));
    let mut stranger = once();
    stranger.caller.proof = Some([8; 32]);
    let input = RotateKey { id: old.id, overlap_s: 60 };
    assert_eq!(error_code(world.call(&ROTATE_KEY, stranger, input)).0, "AKEYREUSED", "not a secret that is none");
}

#[test]
fn ker_32_a_revoked_or_unknown_key_is_not_rotated_and_revoking_ends_every_secret() {
    let world = World::new();
    let old = create(&world, world.request(), Role::App);
    let new = rotate(&world, world.request(), &old.id, 60).unwrap();
    world.call(&REVOKE_KEY, world.request(), RevokeKey { id: old.id.clone() }).unwrap();
    assert!(!is_valid(&world, &old.key) && !is_valid(&world, &new.key) && state(&world) == KeyState::Revoked);
    assert_eq!(error_code(rotate(&world, world.request(), &old.id, 60)), ("NKEY", 1));
    assert_eq!(error_code(rotate(&world, world.request(), "nobody", 60)), ("NKEY", 1));
}

#[test]
fn ker_34_overlaps_and_older_secrets_have_limits() {
    let world = World::new();
    let key = create(&world, world.request(), Role::App);
    assert_eq!(error_code(rotate(&world, world.request(), &key.id, 30 * 86_400 + 1)).0, "ALIMIT");
    for _ in 0..8 {
        rotate(&world, world.request(), &key.id, 86_400).unwrap();
    }
    assert_eq!(error_code(rotate(&world, world.request(), &key.id, 86_400)).0, "ALIMIT");
    assert!(is_valid(&world, &key.key), "what was refused changed nothing");
    assert!(rotate(&world, world.request(), &key.id, 0).is_ok());
}

#[test]
fn ker_32_operations_read_what_the_application_says_of_itself() {
    static SAID: Op<(), String> =
        Op::new("test.said", |_, cx, ()| Ok(cx.properties.account.clone().unwrap_or_default()));
    let world = World::new();
    let mut request = world.request();
    request.properties = Properties { account: Some("anna".into()), ..Properties::default() };
    assert_eq!(world.call(&SAID, request, ()).unwrap().out, "anna");
    assert_eq!(world.call(&SAID, world.request(), ()).unwrap().out, "");
}
