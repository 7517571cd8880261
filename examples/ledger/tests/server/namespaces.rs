//! Namespaces of a running server: sealed from each other, changed without a restart, one's trouble its own (KER-1, KER-2).

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use kill::client::{Answer, Client};
use kill::server::Server;
use serde_json::{Value, json};

use crate::launch;

/// Longest wait for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn start(data: &Path) -> Server {
    launch(data).start().expect("a server")
}

pub(crate) fn create(server: &Server, name: &str) -> Value {
    let made = server.client().post("/v1/z/namespaces", &json!({ "name": name }), "").expect("an answer");
    assert_eq!((made.status, &made.body["state"]), (201, &json!("open")), "{made:?}");
    made.body
}

pub(crate) fn patch(server: &Server, name: &str, change: &Value) {
    let path = format!("/v1/z/namespaces/{name}");
    let changed = server.client().ask("PATCH", &path, change, "").expect("an answer");
    assert_eq!(changed.status, 200, "{changed:?}");
}

pub(crate) fn remove(server: &Server, name: &str) -> Answer {
    server.client().delete(&format!("/v1/z/namespaces/{name}")).expect("an answer")
}

/// A client with a new key of a namespace.
pub(crate) fn tenant(server: &Server, name: &str, role: &str) -> (Client, String) {
    let made = server.client().post(&format!("/v1/{name}/keys"), &json!({ "role": role }), "").expect("an answer");
    assert_eq!(made.status, 201, "{made:?}");
    let text = |field: &str| made.body[field].as_str().expect("a text").to_owned();
    (Client::new(server.address, &text("key")), text("id"))
}

/// Asks until an answer is as wished.
pub(crate) fn until(client: &mut Client, path: &str, patience: Duration, wished: impl Fn(&Answer) -> bool) -> Answer {
    let end = Instant::now() + patience;
    loop {
        let answer = client.get(path).expect("an answer");
        if wished(&answer) {
            return answer;
        }
        assert!(Instant::now() < end, "{path} is still {answer:?}");
        thread::yield_now();
    }
}

/// Asks until a path has this status.
pub(crate) fn until_status(client: &mut Client, path: &str, status: u16) -> Answer {
    until(client, path, PATIENCE, |answer| answer.status == status)
}

/// The folder of a namespace's data.
pub(crate) fn place(data: &Path, row: &Value) -> PathBuf {
    data.join("namespaces").join(row["place"].as_str().expect("a place"))
}

#[test]
fn ker_1_a_request_never_sees_another_namespace_by_key_id_or_cursor() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = start(&folder.path().join("data"));
    create(&server, "a");
    create(&server, "b");
    let (mut of_a, first_of_a) = tenant(&server, "a", "admin");
    let (mut of_b, first_of_b) = tenant(&server, "b", "admin");
    let (_, second_of_b) = tenant(&server, "b", "app");
    for path in ["/v1/b/keys", "/v1/main/keys", "/v1/z/keys", "/v1/z/namespaces", "/v1/nowhere/keys"] {
        let refused = of_a.get(path).expect("an answer");
        assert_eq!((refused.status, refused.code()), (401, "SKEY"), "{path}: {refused:?}");
    }
    let ids = |answer: &Answer| -> Vec<String> {
        let items = answer.body["items"].as_array().expect("items");
        items.iter().map(|item| item["id"].as_str().expect("an id").to_owned()).collect()
    };
    assert_eq!(ids(&of_a.get("/v1/a/keys").expect("an answer")), [first_of_a.as_str()]);
    let cursor = format!("/v1/a/keys?after={first_of_b}");
    assert_eq!(ids(&of_a.get(&cursor).expect("an answer")), Vec::<String>::new(), "a cursor of b shows nothing of b");
    let cursor = format!("/v1/b/keys?after={first_of_a}");
    assert_eq!(ids(&of_b.get(&cursor).expect("an answer")), [first_of_b.clone(), second_of_b.clone()]);
    let foreign = of_a.delete(&format!("/v1/a/keys/{second_of_b}")).expect("an answer");
    assert_eq!((foreign.status, foreign.code()), (404, "NKEY"), "an id of b is nothing in a");
    assert_eq!(ids(&of_b.get("/v1/b/keys").expect("an answer")), [first_of_b, second_of_b]);
}

#[test]
fn ker_2_a_namespace_is_created_changed_and_removed_without_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let server = start(&data);
    let row = create(&server, "shop");
    assert_eq!(create(&server, "shop")["place"], row["place"], "a repeat finds what is there");
    let (mut tenant_of, _) = tenant(&server, "shop", "admin");
    let new_key = json!({ "role": "app" });
    patch(&server, "shop", &json!({ "state": "read-only" }));
    assert_eq!(tenant_of.get("/v1/shop/keys").expect("an answer").status, 200, "reads go on");
    let refused = tenant_of.post("/v1/shop/keys", &new_key, "").expect("an answer");
    assert_eq!((refused.status, refused.code()), (503, "OREADONLY"), "{refused:?}");
    patch(&server, "shop", &json!({ "state": "closed", "message": "moving", "reopens_at": "2099-01-01T00:00:00Z" }));
    let refused = tenant_of.get("/v1/shop/keys").expect("an answer");
    assert_eq!((refused.code(), &refused.body["message"]), ("OCLOSED", &json!("moving")), "{refused:?}");
    assert_eq!(refused.header("retry-after"), Some("3600"), "{refused:?}");
    assert_eq!(server.client().get("/v1/shop/keys").expect("an answer").status, 200, "administrators pass");
    patch(&server, "shop", &json!({ "state": "open" }));
    assert_eq!(tenant_of.post("/v1/shop/keys", &new_key, "").expect("an answer").status, 201);
    let removing = remove(&server, "shop");
    assert_eq!((removing.status, &removing.body["state"]), (200, &json!("removing")), "{removing:?}");
    until_status(&mut server.client(), "/v1/z/namespaces/shop", 404);
    let kept = data.join("namespaces").join(removing.body["kept_as"].as_str().expect("a name"));
    assert!(kept.join("store.db").is_file() && !place(&data, &row).exists(), "kept aside, not destroyed");
    until_status(&mut server.client(), "/v1/shop/keys", 404);
    assert_ne!(create(&server, "shop")["place"], row["place"], "another life, another place");
    let keys = server.client().get("/v1/shop/keys").expect("an answer");
    assert_eq!(keys.body["items"], json!([]), "nothing of the first life");
    assert_eq!(tenant_of.get("/v1/shop/keys").expect("an answer").status, 401, "nor a key of it");
    for forbidden in ["main", "z"] {
        assert_eq!(remove(&server, forbidden).code(), "ANAMESPACE", "{forbidden}");
    }
}

#[test]
fn ker_26_a_namespace_that_was_made_meanwhile_keeps_blobs_as_long_as_configured() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let server = launch(&data).env("FASTNESS_BLOBS__GRACE", "3 h").start().expect("a server");
    let made = create(&server, "shop");
    for kept in [place(&data, &made), data.join("namespaces/main"), data.join("namespaces/z")] {
        let store = rusqlite::Connection::open(kept.join("store.db")).expect("a store");
        let grace_ms: i64 = store.query_row("SELECT grace_ms FROM blob_rule", [], |row| row.get(0)).expect("a rule");
        assert_eq!(grace_ms, 3 * 3_600_000, "{}", kept.display());
    }
}

#[test]
fn ker_2_one_broken_store_is_its_own_trouble_and_comes_back_by_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let server = start(&data);
    let (broken, gone) = (create(&server, "broken"), create(&server, "gone"));
    create(&server, "good");
    tenant(&server, "broken", "app");
    server.end("TERM").expect("an end");
    let (file, safe) = (place(&data, &broken).join("store.db"), folder.path().join("safe"));
    fs::copy(&file, &safe).expect("a copy");
    fs::write(&file, vec![b'x'; 8_192]).expect("a broken file");
    fs::rename(place(&data, &gone), folder.path().join("away")).expect("a disk that is not mounted");
    let server = start(&data);
    let mut client = server.client();
    for name in ["broken", "gone"] {
        let refused = until(&mut client, &format!("/v1/{name}/keys"), PATIENCE, |answer| answer.code() == "XSTORE");
        assert_eq!((refused.status, refused.header("retry-after")), (503, Some("2")), "{refused:?}");
    }
    assert!(!place(&data, &gone).exists(), "what is missing is not made anew");
    assert_eq!(client.get("/v1/good/keys").expect("an answer").status, 200);
    let ready = client.get("/readyz").expect("an answer");
    assert_eq!((ready.status, &ready.body["degraded"]), (200, &json!(["broken", "gone"])), "{ready:?}");
    let fault = |answer: &Answer| answer.body["fault"].as_str().is_some_and(|fault| !fault.is_empty());
    until(&mut client, "/v1/z/namespaces/broken", PATIENCE, fault);
    let shown = until(&mut client, "/v1/z/namespaces/gone", PATIENCE, fault);
    assert!(shown.body["fault"].as_str().expect("a reason").contains("is missing"), "{shown:?}");
    fs::rename(folder.path().join("away"), place(&data, &gone)).expect("mounted again");
    fs::copy(&safe, &file).expect("repaired");
    until_status(&mut client, "/v1/gone/keys", 200);
    let keys = until_status(&mut client, "/v1/broken/keys", 200);
    assert_eq!(keys.body["items"].as_array().map(Vec::len), Some(1), "what was acknowledged is there");
    until(&mut client, "/readyz", PATIENCE, |answer| answer.body.get("degraded").is_none());
}

#[test]
fn ker_34_there_are_so_many_namespaces_as_configured_and_no_more() {
    let folder = tempfile::tempdir().expect("a folder");
    let launch = launch(&folder.path().join("data")).env("FASTNESS_NAMESPACES__MAX", "3");
    let server = launch.start().expect("a server");
    create(&server, "third");
    let refused = server.client().post("/v1/z/namespaces", &json!({ "name": "fourth" }), "").expect("an answer");
    assert_eq!((refused.status, refused.code()), (422, "ALIMIT"), "{refused:?}");
    assert_eq!(server.client().get("/v1/z/namespaces/fourth").expect("an answer").code(), "NNAMESPACE");
}
