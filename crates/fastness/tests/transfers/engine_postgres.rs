//! A server that began on SQLite goes on on PostgreSQL, and comes back: `fastness admin change-engine`, killed after each of its steps.

use std::path::Path;
use std::process::{Command, Output};

use kill::server::{Launch, Server};
use serde_json::{Value, json};

use crate::kit::{Site, begin_move, create, get, post, settled};
use crate::tenant::{check_same, fill, seen};

/// The command on the server's own directory, with the server's environment.
fn change(launch: &Launch, to: &str) -> Command {
    launch.other_command(&["admin", "change-engine", "--json", "--to", to])
}

fn ran(mut command: Command) -> Output {
    command.output().expect("the program")
}

fn error(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().last().unwrap_or_default();
    let told: Value = serde_json::from_str(last).unwrap_or_else(|_| panic!("no error as JSON: {text}"));
    told["error"]["message"].as_str().expect("a message").to_owned()
}

fn on(site: &Site, engine: &str) -> Server {
    site.launch.clone().env("FASTNESS_STORE__ENGINE", engine).start().expect("a server")
}

fn engine_of(server: &Server, name: &str) -> Value {
    get(server, &format!("/v1/z/namespaces/{name}")).body["engine"].clone()
}

#[test]
fn ker_3_a_server_that_began_on_sqlite_goes_on_on_postgresql_and_comes_back() {
    let site = Site::with_postgres("engine");
    let server = site.start();
    create(&server, "shop");
    fill(&site, &server, "shop");
    let before = seen(&server, "shop");
    assert_eq!(post(&server, "/v1/z/accounts", &json!({ "name": "anna", "role": "admin" })).status, 201);
    let told = error(&ran(change(&site.launch, "postgres")));
    assert!(told.contains("stop it first"), "while it serves: {told}");
    drop(server);
    for state in ["copying", "closing", "switched"] {
        let mut killed = change(&site.launch, "postgres");
        killed.env("FASTNESS_TEST_CRASH_AT", state);
        assert_eq!(ran(killed).status.code(), None, "killed after {state}");
        for engine in ["sqlite", "postgres"] {
            let refused = ran(site.launch.clone().env("FASTNESS_STORE__ENGINE", engine).command());
            let told = String::from_utf8_lossy(&refused.stderr).into_owned();
            assert!(told.contains("a change of the engine was not finished"), "{engine} after {state}: {told}");
        }
        let told = error(&ran(change(&site.launch, "sqlite")));
        assert!(told.contains("a change to postgres was not finished"), "{told}");
    }
    let done = ran(change(&site.launch, "postgres"));
    assert!(done.status.success(), "{done:?}");
    let told: Value = serde_json::from_slice(&done.stdout).expect("a document");
    assert_eq!((&told["namespace"], &told["engine"]), (&json!("z"), &json!("postgres")));
    assert!(Path::new(told["aside"].as_str().expect("a path")).is_file(), "{told}");
    assert!(error(&ran(change(&site.launch, "postgres"))).contains("on postgres already"));

    let refused = ran(site.launch.clone().env("FASTNESS_STORE__ENGINE", "sqlite").command());
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.contains("was carried to PostgreSQL"), "it does not begin anew: {told}");
    let server = on(&site, "postgres");
    assert_eq!(engine_of(&server, "z"), "postgres");
    assert_eq!(get(&server, "/v1/z/accounts/anna").status, 200, "keys and accounts are those that were");
    check_same(&server, "shop", &before, "where it was");
    for name in ["shop", "main"] {
        assert_eq!(engine_of(&server, name), "sqlite");
        begin_move(&server, name, "postgres");
        settled(&server, name);
    }
    check_same(&server, "shop", &before, "carried");
    create(&server, "later");
    assert_eq!(engine_of(&server, "later"), "postgres");
    let journal = get(&server, "/v1/z/journal?kind=namespace.moved").body;
    assert_eq!(journal["items"].as_array().map(Vec::len), Some(1), "told once however often it was killed: {journal}");
    drop(server);

    let back = ran(change(&site.launch, "sqlite"));
    assert!(back.status.success(), "{back:?}");
    let server = on(&site, "sqlite");
    assert_eq!((engine_of(&server, "z"), engine_of(&server, "shop")), (json!("sqlite"), json!("postgres")));
    assert_eq!(get(&server, "/v1/z/accounts/anna").status, 200);
    check_same(&server, "shop", &before, "where it was left");
}

/// Takes a change back.
fn back(launch: &Launch) -> Command {
    launch.other_command(&["admin", "change-engine", "--json", "--cancel"])
}

/// Killed after this word of the change, and taken back, killed after each word of that.
fn taken_back(site: &Site, to: &str, state: &str) {
    let mut killed = change(&site.launch, to);
    killed.env("FASTNESS_TEST_CRASH_AT", state);
    assert_eq!(ran(killed).status.code(), None, "killed after {state}");
    for word in ["cancelling", "returned", "discarded"] {
        let mut killed = back(&site.launch);
        killed.env("FASTNESS_TEST_CRASH_AT", word);
        assert_eq!(ran(killed).status.code(), None, "killed after {state} and {word}");
        let told = error(&ran(change(&site.launch, to)));
        assert!(told.contains("is being taken back"), "only that goes on after {word}: {told}");
        let refused = ran(site.launch.command());
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(told.contains("change-engine --cancel` again"), "after {state} and {word}: {told}");
    }
    let done = ran(back(&site.launch));
    assert!(done.status.success(), "{done:?}");
    let told: Value = serde_json::from_slice(&done.stdout).expect("a document");
    let engine = if to == "postgres" { "sqlite" } else { "postgres" };
    assert_eq!(told, json!({ "namespace": "z", "engine": engine, "taken_back": true }));
    assert!(error(&ran(back(&site.launch))).contains("nothing to take back"));
}

#[test]
fn ker_3_a_change_of_the_engine_is_taken_back_after_any_of_its_steps() {
    let site = Site::with_postgres("engine_back");
    let server = site.start();
    create(&server, "shop");
    fill(&site, &server, "shop");
    let before = seen(&server, "shop");
    assert!(error(&ran(back(&site.launch))).contains("stop it first"), "while it serves");
    drop(server);
    assert!(error(&ran(back(&site.launch))).contains("nothing to take back"));
    let check = |engine: &str, name: &str| {
        let server = on(&site, engine);
        assert_eq!(engine_of(&server, "z"), engine);
        check_same(&server, "shop", &before, "where it was");
        // What is acknowledged between two tries is there after the next.
        assert_eq!(post(&server, "/v1/z/accounts", &json!({ "name": name, "role": "admin" })).status, 201);
    };
    for state in ["copying", "closing", "switched"] {
        taken_back(&site, "postgres", state);
        check("sqlite", &format!("after-{state}"));
    }
    let done = ran(change(&site.launch, "postgres"));
    assert!(done.status.success(), "what was left aside is in nobody's way: {done:?}");
    check("postgres", "there");
    for state in ["copying", "closing", "switched"] {
        taken_back(&site, "sqlite", state);
        check("postgres", &format!("back-{state}"));
    }
    let server = on(&site, "postgres");
    for name in
        ["after-copying", "after-closing", "after-switched", "there", "back-copying", "back-closing", "back-switched"]
    {
        assert_eq!(get(&server, &format!("/v1/z/accounts/{name}")).status, 200, "{name}");
    }
}

#[test]
fn ker_3_an_engine_is_not_changed_beside_another_server_nor_over_another_namespace() {
    let site = Site::with_postgres("engine_refused");
    drop(site.start());
    drop(on_other(&site));
    let told = error(&ran(change(&site.launch, "postgres")));
    assert!(told.contains("there is one on postgres, too") && told.contains("the schema engine_refused"), "{told}");
    let mut without = change(&site.launch, "postgres");
    without.env_remove("FASTNESS_STORE__URL");
    let told = error(&ran(without));
    assert!(told.contains("store.url is not set"), "{told}");
    drop(site.start());
}

/// Another server, with a directory of its own, on the PostgreSQL of the first.
fn on_other(site: &Site) -> Server {
    let launch = site.launch.clone().with_data(&site.path("other"));
    launch.env("FASTNESS_STORE__ENGINE", "postgres").start().expect("a server")
}
