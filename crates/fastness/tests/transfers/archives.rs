//! Archives: consistent while writers write, checked before anything is there, refused with a reason.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use kill::server::Server;
use serde_json::{Value, json};

use crate::kit::{Site, create, get, post, run, settled};
use crate::tenant::{check_same, epoch, fill, seen};

#[test]
fn ker_3_an_archive_becomes_a_namespace_with_all_that_the_five_services_had() {
    let site = Site::new();
    let server = site.start();
    create(&server, "shop");
    fill(&site, &server, "shop");
    let before = seen(&server, "shop");
    let file = site.path("shop.archive");
    let exported = run(&server, &["namespace", "export", "shop", "--to", file.to_str().expect("a path")]);
    assert!(exported.code == 0 && exported.out.contains("read back and compared"), "{exported:?}");
    let imported = run(&server, &["namespace", "import", "copy", "--from", file.to_str().expect("a path"), "--json"]);
    assert_eq!(imported.code, 0, "{imported:?}");
    settled(&server, "copy");
    check_same(&server, "copy", &before, "carried");
    assert_ne!(epoch(&server, "copy"), epoch(&server, "shop"), "a copy has an epoch of its own");
    let path = before["log"][0]["name"].as_str().expect("a name");
    let of = |name: &str| get(&server, &format!("/v1/{name}/exchange/files/{path}"));
    assert_eq!((of("copy").status, of("copy").body), (200, of("shop").body), "the text of a message lies in a file");
    assert!(
        fs::read_dir(site.launch.data().join("arriving")).expect("a folder").next().is_none(),
        "nothing stays behind"
    );
    assert!(fs::read_dir(site.launch.data().join("exporting")).expect("a folder").next().is_none());
    let server = {
        drop(server);
        site.start()
    };
    check_same(&server, "copy", &before, "after a kill and a start, too");
}

/// Two documents that are changed in one commit are equal in every archive, however many writers there are.
#[test]
fn ker_3_an_export_is_of_one_moment_while_writers_write() {
    let site = Site::new();
    let server = site.start();
    create(&server, "shop");
    post(&server, "/v1/shop/doc-classes", &json!({ "class": "Pair", "items": { "Count": { "singleton": true } } }));
    let (stop, file) = (AtomicBool::new(false), site.path("shop.archive"));
    thread::scope(|scope| {
        for writer in 0..3 {
            scope.spawn({
                let (server, stop) = (&server, &stop);
                move || write_pairs(server, "shop", writer, stop)
            });
        }
        for round in 0..4 {
            let name = format!("copy{round}");
            let exported = run(&server, &["namespace", "export", "shop", "--to", file.to_str().expect("a path")]);
            assert_eq!(exported.code, 0, "{exported:?}");
            let imported = run(&server, &["namespace", "import", &name, "--from", file.to_str().expect("a path")]);
            assert_eq!(imported.code, 0, "{imported:?}");
            settled(&server, &name);
            for writer in 0..3 {
                let [left, right] = ["left", "right"].map(|side| count(&server, &name, &format!("{side}{writer}")));
                assert_eq!(left, right, "round {round}, writer {writer}");
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(count(&server, "shop", "left0") > 3, "writers were at work");
}

/// Counts two documents up in one commit each, until told to stop; gives how many were acknowledged.
pub fn write_pairs(server: &Server, name: &str, writer: i64, stop: &AtomicBool) -> i64 {
    let (mut number, mut client, mut is_known) = (0, server.client(), true);
    while !stop.load(Ordering::Relaxed) || !is_known {
        let change = |side: &str| {
            let items = json!([{ "c": "Count", "j": { "n": number + 1 } }]);
            json!({ "c": "Pair", "id": format!("{side}{writer}"), "items": items })
        };
        let body = json!({ "param": { "changes": [change("left"), change("right")] } });
        match client.post(&format!("/v1/{name}/op/doc.commit"), &body, "") {
            Ok(answer) if answer.status == 200 => (number, is_known) = (number + 1, true),
            // Not now: it is being moved.
            Ok(answer) if answer.status == 503 => {}
            // Too slow, or cut off: whether it was done is known once the same was done again.
            Ok(answer) => {
                assert_eq!(answer.body["code"], "TTIME", "{answer:?}");
                is_known = false;
            }
            Err(_) => (client, is_known) = (server.client(), false),
        }
    }
    number
}

pub fn count(server: &Server, name: &str, id: &str) -> i64 {
    let synced = post(server, &format!("/v1/{name}/op/doc.sync"), &json!({ "syncs": [{ "c": "Pair", "id": id }] }));
    synced.body["syncs"][0]["items"][0]["j"]["n"].as_i64().unwrap_or(0)
}

fn namespaces(server: &Server) -> Value {
    let mut listed = get(server, "/v1/z/namespaces").body;
    listed["items"].take()
}

#[test]
fn ker_3_what_is_no_good_archive_is_refused_and_nothing_changes() {
    let site = Site::new();
    let server = site.start();
    create(&server, "shop");
    let file = site.path("shop.archive");
    assert_eq!(run(&server, &["namespace", "export", "shop", "--to", file.to_str().expect("a path")]).code, 0);
    let good = fs::read(&file).expect("a file");
    let before = namespaces(&server);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let flipped = {
        let mut bytes = good.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        bytes
    };
    let later = text(&good).replacen("\"service\":\"feed\",\"version\":1", "\"service\":\"feed\",\"version\":9", 1);
    for (bytes, reason) in [
        (b"hello\n".to_vec(), "no archive"),
        (vec![], "no archive"),
        (good[..good.len() - 1].to_vec(), "cut off"),
        (good[..good.len() / 2].to_vec(), "cut off"),
        (flipped, "damaged"),
        (text(&good).replacen("archive 1", "archive 2", 1).into_bytes(), "newer program"),
        (later.into_bytes(), "not known to this program"),
    ] {
        let refused = upload(&server, "copy", &bytes);
        assert_eq!((refused.0, refused.1["code"].as_str()), (422, Some("AARCHIVE")), "{reason}: {refused:?}");
        assert!(refused.1["message"].as_str().is_some_and(|said| said.contains(reason)), "{reason}: {refused:?}");
    }
    let bad = site.path("bad.archive");
    fs::write(&bad, &good[..100]).expect("a file");
    assert_eq!(run(&server, &["namespace", "import", "copy", "--from", bad.to_str().expect("a path")]).code, 1);
    for name in ["shop", "main", "z"] {
        assert_eq!(upload(&server, name, &good).1["code"], "ANAMESPACE", "{name} is taken");
    }
    assert_eq!(upload(&server, "Bad", &good).1["code"], "ABODY");
    assert_eq!(namespaces(&server), before);
    assert_eq!(get(&server, "/v1/z/namespaces/nowhere/export").code(), "NNAMESPACE");
    assert_eq!(get(&server, "/v1/z/namespaces/z/export").code(), "ANAMESPACE");
    assert_eq!(get(&server, "/v1/shop/namespaces/shop/export").status, 404, "only at the administrators'");
    assert_eq!(get(&server, "/v1/z/namespaces/shop/transfer").code(), "NTRANSFER");
    let left = fs::read_dir(site.launch.data().join("arriving")).expect("a folder").count();
    assert_eq!(left, 0, "what was refused is not kept");
}

/// Sends bytes as they are.
fn upload(server: &Server, name: &str, bytes: &[u8]) -> (u16, Value) {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(server.address).expect("a connection");
    let head = format!(
        "POST /v1/z/namespaces/{name}/import HTTP/1.1\r\nhost: t\r\nauthorization: Bearer {}\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n",
        kill::server::KEY,
        bytes.len()
    );
    stream.write_all(head.as_bytes()).expect("a head");
    // It may be refused before all of it is sent.
    let _ = stream.write_all(bytes);
    let mut answer = vec![];
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let body = answer.split("\r\n\r\n").nth(1).and_then(|body| serde_json::from_str(body).ok());
    (status, body.unwrap_or(Value::Null))
}

/// Killed while the archive becomes a store, the next start goes on; nothing of it is served before.
#[test]
fn ker_3_an_import_that_is_killed_goes_on_at_the_next_start() {
    let site = Site::new();
    let server = site.start();
    create(&server, "shop");
    fill(&site, &server, "shop");
    let (before, file) = (seen(&server, "shop"), site.path("shop.archive"));
    assert_eq!(run(&server, &["namespace", "export", "shop", "--to", file.to_str().expect("a path")]).code, 0);
    drop(server);
    let server = site.launch.clone().env("FASTNESS_TEST_CRASH_AT", "arriving").start().expect("a server");
    let words = ["namespace", "import", "copy", "--no-wait", "--from", file.to_str().expect("a path")];
    assert_eq!(run(&server, &words).code, 0);
    crate::kit::dead(server);
    let server = site.start();
    let transfer = settled(&server, "copy");
    assert_eq!((&transfer["state"], &transfer["attempts"]), (&json!("done"), &json!(2)));
    check_same(&server, "copy", &before, "carried");
}
