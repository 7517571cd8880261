//! kill -9 of the server at each step of a move, and whenever it pleases: run on, it ends as if nothing had been.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::kit::{Site, begin_move, create, dead, get, settled, until};
use crate::tenant::{check_same, epoch, fill, seen};

/// The work of each state is done and its row does not know it: there the server ends itself.
#[test]
fn ker_3_a_move_killed_at_each_step_ends_identical() {
    let site = Site::with_postgres("steps");
    let mut server = site.start();
    create(&server, "shop");
    fill(&site, &server, "shop");
    let (before, epoch_before) = (seen(&server, "shop"), epoch(&server, "shop"));
    for engine in ["postgres", "sqlite"] {
        for state in ["copying", "closing", "switched"] {
            drop(server);
            let crashing = site.launch.clone().env("FASTNESS_TEST_CRASH_AT", state).start().expect("a server");
            until(&crashing, "/v1/z/namespaces/shop", |answer| answer.body["health"] == "Good");
            begin_move(&crashing, "shop", engine);
            dead(crashing);
            server = site.start();
            let moved = settled(&server, "shop");
            assert_eq!(moved["state"], "done", "{state}: {moved}");
            assert_eq!(get(&server, "/v1/z/namespaces/shop").body["engine"], engine, "{state}");
            check_same(&server, "shop", &before, &format!("{engine}, killed when {state}"));
            assert_eq!(epoch(&server, "shop"), epoch_before, "{engine}, killed when {state}");
            if state != "switched" {
                let back = if engine == "postgres" { "sqlite" } else { "postgres" };
                begin_move(&server, "shop", back);
                settled(&server, "shop");
            }
        }
    }
}

/// Killed ten times, each time a little later.
#[test]
fn ker_3_a_move_killed_ten_times_ends_identical() {
    let site = Site::with_postgres("ten_times");
    let mut server = site.start();
    create(&server, "shop");
    fill(&site, &server, "shop");
    let before = seen(&server, "shop");
    begin_move(&server, "shop", "postgres");
    for round in 0..10 {
        let end = Instant::now() + Duration::from_millis(40 * round);
        while Instant::now() < end {
            let row = get(&server, "/v1/z/namespaces/shop").body;
            // Exactly one side serves, or none while it is closed: the row names one engine, and its store is that one's.
            assert!(["open", "moving"].contains(&row["state"].as_str().expect("a state")), "{row}");
        }
        server.kill().expect("a running server");
        server = site.start();
    }
    let moved = settled(&server, "shop");
    assert_eq!((&moved["state"], &moved["to"]), (&json!("done"), &json!("postgres")), "{moved}");
    check_same(&server, "shop", &before, "carried");
}
