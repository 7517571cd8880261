//! Moves between the engines, with all five services, while writers write.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::archives::{count, write_pairs};
use crate::kit::{Site, begin_move, create, get, post, run, settled, until};
use crate::tenant::{check_same, epoch, fill, seen};

#[test]
fn ker_3_a_namespace_moves_to_postgresql_and_back_with_all_that_the_five_services_have() {
    let site = Site::with_postgres("there_and_back");
    let server = site.start();
    create(&server, "shop");
    fill(&site, &server, "shop");
    let (before, place) = (seen(&server, "shop"), site.place(&server, "shop"));
    let epoch_before = epoch(&server, "shop");
    let moved = run(&server, &["namespace", "move", "shop", "--to", "postgres"]);
    assert!(moved.code == 0 && moved.out.contains("the same on both sides"), "{moved:?}");
    let there = settled(&server, "shop");
    assert_eq!((&there["state"], &there["to"]), (&json!("done"), &json!("postgres")), "{there}");
    assert_eq!(get(&server, "/v1/z/namespaces/shop").body["engine"], "postgres");
    check_same(&server, "shop", &before, "carried");
    assert_eq!(epoch(&server, "shop"), epoch_before, "a move is no restore");
    let old = fs::read_dir(&place).expect("a folder").flatten().map(|entry| entry.path());
    let old = old.into_iter().find(|path| path.to_string_lossy().contains("moved-")).expect("the old copy");
    assert_eq!(digest_of(&old), there["digest"].as_str().expect("a digest"), "what was left is what arrived");
    assert!(!place.join("store.db").exists());
    let again = json!({ "op": "report", "target": "http://127.0.0.1:9/r", "start_at": "2090-01-01T00:00:00Z", "info": "é\u{1f511}" });
    let again = server.client().post("/v1/shop/tasks", &again, "the-key-of-a-task").expect("an answer");
    assert!(again.is_replayed(), "an answer that was kept is given again: {again:?}");
    let moved = run(&server, &["namespace", "move", "shop", "--to", "sqlite", "--json"]);
    assert_eq!(moved.code, 0, "{moved:?}");
    settled(&server, "shop");
    check_same(&server, "shop", &before, "carried");
    assert_eq!(epoch(&server, "shop"), epoch_before);
    // Tasks run here, too: what is due is tried.
    let task = json!({ "op": "now", "target": "http://127.0.0.1:9/r" });
    assert_eq!(post(&server, "/v1/shop/tasks", &task).status, 201);
    until(&server, "/v1/shop/tasks?op=now", |answer| answer.body["items"][0]["attempt"].as_i64() > Some(0));
    let server = {
        drop(server);
        site.start()
    };
    check_same(&server, "shop", &before, "after a kill and a start, too");
}

/// The digest of a store's tables, by another way than the one that carried them.
fn digest_of(store: &std::path::Path) -> String {
    let mut tables = store_sqlite::archive::summarise(store).expect("a store");
    tables.sort_by(|one, other| one.name.cmp(&other.name));
    let mut hash = Sha256::new();
    tables.iter().for_each(|table| hash.update(format!("{} {} {}\n", table.name, table.rows, table.digest)));
    base::archive::hex(&hash.finalize())
}

#[test]
fn ker_3_what_was_acknowledged_while_it_moved_is_there() {
    let site = Site::with_postgres("writers");
    let server = site.start();
    create(&server, "shop");
    post(&server, "/v1/shop/doc-classes", &json!({ "class": "Pair", "items": { "Count": { "singleton": true } } }));
    let stop = AtomicBool::new(false);
    let written: Vec<i64> = thread::scope(|scope| {
        let writer = |writer: i64| {
            let (server, stop) = (&server, &stop);
            scope.spawn(move || write_pairs(server, "shop", writer, stop))
        };
        let writers = [writer(0), writer(1), writer(2)];
        for engine in ["postgres", "sqlite", "postgres"] {
            let written = count(&server, "shop", "left0");
            begin_move(&server, "shop", engine);
            settled(&server, "shop");
            until_more(&server, written);
        }
        stop.store(true, Ordering::Relaxed);
        writers.map(|writer| writer.join().expect("a writer")).to_vec()
    });
    for (writer, written) in written.into_iter().enumerate() {
        let [left, right] = ["left", "right"].map(|side| count(&server, "shop", &format!("{side}{writer}")));
        assert!(left == right && left >= written && left <= written + 1, "{writer}: {left} {right} of {written}");
    }
}

fn until_more(server: &kill::server::Server, written: i64) {
    let end = std::time::Instant::now() + crate::kit::PATIENCE;
    while count(server, "shop", "left0") <= written {
        assert!(std::time::Instant::now() < end, "nobody writes any more");
    }
}

#[test]
fn ker_3_moves_that_cannot_be_are_refused_and_nothing_changes() {
    let site = Site::with_postgres("refused");
    let server = site.start();
    create(&server, "shop");
    let ask = |name: &str, engine: &str| {
        let answer = post(&server, &format!("/v1/z/namespaces/{name}/move"), &json!({ "engine": engine }));
        (answer.code().to_owned(), answer.body["message"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(ask("nowhere", "postgres").0, "NNAMESPACE");
    assert_eq!(ask("z", "postgres").0, "ANAMESPACE");
    assert!(ask("shop", "sqlite").1.contains("is on sqlite already"));
    assert_eq!(ask("shop", "oracle").0, "ABODY");
    assert_eq!(post(&server, "/v1/shop/namespaces/shop/move", &json!({ "engine": "postgres" })).status, 404);
    let own = json!({ "engine": "sqlite", "url": "host=x" });
    assert_eq!(post(&server, "/v1/z/namespaces/shop/move", &own).code(), "ANAMESPACE");
    assert_eq!(get(&server, "/v1/z/namespaces/shop/transfer").code(), "NTRANSFER", "nothing was begun");
    assert_eq!(server.client().delete("/v1/z/namespaces/shop/transfer").expect("an answer").code(), "NTRANSFER");
}

/// A PostgreSQL that is away: the namespace serves all the while, a second move is the same one, and it can be taken back.
#[test]
fn ker_3_a_move_to_where_nobody_answers_harms_nobody_and_is_taken_back() {
    let site = Site::with_postgres("away");
    let server = site.start();
    create(&server, "shop");
    let away = json!({ "engine": "postgres", "url": "host=127.0.0.1 port=9 user=u password=hunter2 dbname=d" });
    let begun = post(&server, "/v1/z/namespaces/shop/move", &away).body;
    let path = "/v1/z/namespaces/shop/transfer";
    until(&server, path, |answer| answer.body["attempts"].as_i64() >= Some(2));
    assert_eq!(post(&server, "/v1/z/namespaces/shop/move", &away).body["id"], begun["id"], "two at once are one");
    let other = post(&server, "/v1/z/namespaces/shop/move", &json!({ "engine": "postgres" }));
    assert_eq!(other.code(), "ANAMESPACE", "another one waits for its end: {other:?}");
    let removed = server.client().delete("/v1/z/namespaces/shop").expect("an answer");
    assert_eq!(removed.code(), "ANAMESPACE", "what is on its way is not removed: {removed:?}");
    assert_eq!(get(&server, "/v1/shop/keys").status, 200, "it serves");
    let shown = get(&server, path).body.to_string();
    assert!(shown.contains("note") && !shown.contains("hunter2") && !server.log().contains("hunter2"), "{shown}");
    assert_eq!(server.client().delete(path).expect("an answer").status, 202);
    let ended = until(&server, path, |answer| answer.body["ended"] == true).body;
    assert_eq!(ended["state"], "cancelled", "what was never reached need not be cleaned up: {ended}");
    assert_eq!(get(&server, "/v1/shop/keys").status, 200);
    assert_eq!(get(&server, "/v1/z/namespaces/shop").body["engine"], "sqlite");
}

#[test]
fn ker_3_a_move_that_is_taken_back_leaves_the_old_side_as_it_was() {
    let site = Site::with_postgres("cancelled");
    let server = site.launch.clone().env("FASTNESS_TEST_CRASH_AT", "closing").start().expect("a server");
    create(&server, "shop");
    fill(&site, &server, "shop");
    let before = seen(&server, "shop");
    begin_move(&server, "shop", "postgres");
    crate::kit::dead(server);
    let server = site.launch.clone().env("FASTNESS_TEST_HOLD", "closing").start().expect("a server");
    let cancelled = server.client().delete("/v1/z/namespaces/shop/transfer").expect("an answer");
    assert_eq!(cancelled.status, 202, "{cancelled:?}");
    let ended = until(&server, "/v1/z/namespaces/shop/transfer", |answer| answer.body["ended"] == true).body;
    assert_eq!(ended["state"], "cancelled", "{ended}");
    until(&server, "/v1/z/namespaces/shop", |answer| answer.body["health"] == "Good" && answer.body["state"] == "open");
    assert_eq!(get(&server, "/v1/z/namespaces/shop").body["engine"], "sqlite");
    check_same(&server, "shop", &before, "carried");
    drop(server);
    let server = site.start();
    begin_move(&server, "shop", "postgres");
    settled(&server, "shop");
    check_same(&server, "shop", &before, "and it can be moved all the same");
}

#[test]
fn ker_3_an_archive_of_either_engine_becomes_a_namespace_on_either() {
    let site = Site::with_postgres("archives");
    let server = site.start();
    create(&server, "shop");
    fill(&site, &server, "shop");
    let before = seen(&server, "shop");
    for from in ["sqlite", "postgres"] {
        if from == "postgres" {
            begin_move(&server, "shop", from);
            settled(&server, "shop");
        }
        let file = site.path(from);
        let file = file.to_str().expect("a path");
        let exported = run(&server, &["namespace", "export", "shop", "--to", file]);
        assert_eq!(exported.code, 0, "{exported:?}");
        for to in ["sqlite", "postgres"] {
            let name = format!("{}2{}", &from[..3], &to[..3]);
            let imported = run(&server, &["namespace", "import", &name, "--from", file, "--engine", to]);
            assert_eq!(imported.code, 0, "{imported:?}");
            settled(&server, &name);
            assert_eq!(get(&server, &format!("/v1/z/namespaces/{name}")).body["engine"], to);
            check_same(&server, &name, &before, &format!("from {from} to {to}"));
            assert_ne!(epoch(&server, &name), epoch(&server, "shop"));
        }
    }
}
