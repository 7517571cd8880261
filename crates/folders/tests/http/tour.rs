//! What people do with directories, files and their past.

use serde_json::{Value, json};
use testbed_web::ADMIN;

use crate::kit::{Server, edit, hash, rewrite};

/// A new directory; where it is.
pub fn directory(server: &Server) -> (String, String) {
    let made = server.edge.told(201, "POST", "/directories", &json!({ "name": "plans" }));
    let id = made["id"].as_str().unwrap().to_owned();
    (id.clone(), format!("/directories/{id}"))
}

pub fn browsed(server: &Server) {
    let edge = &server.edge;
    let (id, path) = directory(server);
    let (status, _) = edge.ask(
        "PATCH",
        &path,
        &json!({ "name": "plans 2", "quota_bytes": 1_000_000, "kept_ms": 86_400_000, "anyone": "read" }),
    );
    assert_eq!(status, 204);
    let shown = edge.get(&path);
    assert_eq!(
        (&shown["name"], &shown["quota_bytes"], &shown["anyone"]),
        (&json!("plans 2"), &json!(1_000_000), &json!("read"))
    );
    let _ = edge.told(204, "PATCH", &path, &json!({ "quota_bytes": null }));
    assert_eq!(edge.get(&path)["quota_bytes"], Value::Null);
    assert!(edge.get("/directories")["items"].as_array().unwrap().iter().any(|one| one["id"] == json!(id)));
    let file = server.put(&id, "laptop", edit("a/b/c.txt"), b"0123456789", 4);
    server.put(&id, "laptop", edit("a/d.txt"), b"d", 4);
    let names = |query: &str| -> Vec<String> {
        let page = edge.get(&format!("{path}/files{query}"));
        page["items"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (names(""), names("?path=a"), names("?path=A/b")),
        (vec!["a".into()], vec!["a/b".into(), "a/d.txt".into()], vec!["a/b/c.txt".into()])
    );
    let page = edge.get(&format!("{path}/files?path=a&limit=1"));
    let next = page["next"].as_str().unwrap();
    assert_eq!(names(&format!("?path=a&limit=1&after={next}")), ["a/d.txt"]);
    let shown = edge.get(&format!("/files/{}", file.id));
    assert_eq!((&shown["size"], &shown["sha256"]), (&json!(10), &json!(hash(b"0123456789"))));
    let whole = edge.send(ADMIN, "GET", &format!("/files/{}/content", file.id), &[], "");
    assert_eq!((whole.status, whole.text.as_str()), (200, "0123456789"), "chunk by chunk");
    assert_eq!(whole.headers["content-length"], "10");
    assert_eq!(whole.headers["content-disposition"], "attachment; filename*=UTF-8''c.txt");
    assert_eq!(edge.get(&format!("{path}/locks"))["items"], json!([]));
}

/// The one box of the console finds directories and files by the beginning of their names (CON-11).
pub fn found(server: &Server) {
    let edge = &server.edge;
    let (id, path) = directory(server);
    let _ = edge.told(204, "PATCH", &path, &json!({ "name": "Building site" }));
    let file = server.put(&id, "laptop", edit("2026/Ground floor.pdf"), b"x", 4);
    let found = |text: &str| -> Vec<Value> {
        let answer = edge.get(&format!("/v1/main/search?q={}", text.replace(' ', "%20")));
        answer["items"].as_array().unwrap().clone()
    };
    for text in ["Ground floor.pdf", "ground", "GROUND FL", &file.id, &file.id[..8]] {
        let found = found(text);
        let of = found.iter().find(|one| one["kind"] == json!("file") && one["id"] == json!(file.id));
        let of = of.unwrap_or_else(|| panic!("{text}: {found:?}"));
        assert_eq!(of["about"], json!("Building site: 2026/Ground floor.pdf"));
        assert_eq!(of["page"], json!(format!("/console/main/folder-files/{}", file.id)));
    }
    assert!(found("building").iter().any(|one| one["kind"] == json!("directory") && one["id"] == json!(id)));
    assert!(found("floor").iter().all(|one| one["kind"] != json!("file")), "only by their beginning");
}

pub fn brought_back(server: &Server) {
    let edge = &server.edge;
    let (id, path) = directory(server);
    let first = server.put(&id, "laptop", edit("c.txt"), b"one", 9);
    server.put(&id, "phone", rewrite(&first), b"two", 9);
    let of = format!("/files/{}", first.id);
    let history = edge.get(&format!("{of}/history"));
    let seen: Vec<_> = history["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["version"].clone(), one["device"].clone()))
        .collect();
    assert_eq!(seen, [(json!(2), json!("phone")), (json!(1), json!("laptop"))]);
    let old = edge.send(ADMIN, "GET", &format!("{of}/content?version=1"), &[], "");
    assert_eq!((old.status, old.text.as_str()), (200, "one"));
    let restored = edge.told(200, "POST", &format!("{of}/restore"), &json!({ "version": 1 }));
    assert_eq!((&restored["version"], &restored["path"]), (&json!(3), &json!("c.txt")));
    let now = edge.send(ADMIN, "GET", &format!("{of}/content"), &[], "");
    assert_eq!(now.text, "one");
    let _ =
        edge.told(202, "POST", &format!("{path}/undo"), &json!({ "device": "phone", "since": "2020-01-01T00:00:00Z" }));
    let _ = edge.told(202, "POST", &format!("{path}/restore"), &json!({ "at": "2020-01-01T00:00:00Z" }));
}

pub fn members(server: &Server) {
    let edge = &server.edge;
    let (id, path) = directory(server);
    let file = server.put(&id, "laptop", edit("c.txt"), b"one", 9);
    let key = edge.key("folder", &json!({}));
    let own = edge.ask_as(&key, "POST", "/directories", &json!({ "name": "mine" })).1["id"].clone();
    let key_id =
        edge.get(&format!("/directories/{}", own.as_str().unwrap()))["created_by"].as_str().unwrap().to_owned();
    let gone = |path: &str| edge.refused_as(&key, "GET", path, &Value::Null);
    assert_eq!(gone(&path), (404, "NDIRECTORY".into()));
    for below in ["", "/history", "/content"] {
        assert_eq!(gone(&format!("/files/{}{below}", file.id)), (404, "NFILE".into()), "{below}");
    }
    let _ = edge.told(204, "POST", &format!("{path}/members"), &json!({ "key": key_id, "role": "read" }));
    assert_eq!(edge.ask_as(&key, "GET", &path, &Value::Null).1["role"], "read");
    let restore = json!({ "version": 1 });
    assert_eq!(edge.refused_as(&key, "POST", &format!("/files/{}/restore", file.id), &restore), (403, "SROLE".into()));
    assert_eq!(edge.refused_as(&key, "DELETE", &path, &Value::Null), (403, "SROLE".into()));
    assert_eq!(edge.refused_as(&key, "PATCH", &path, &json!({ "anyone": "write" })), (403, "SROLE".into()));
    let listed = edge.get(&format!("{path}/members"));
    assert!(listed["items"].as_array().unwrap().contains(&json!({ "who": key_id, "role": "read" })));
    let _ = edge.told(204, "DELETE", &format!("{path}/members/{key_id}"), &Value::Null);
    assert_eq!(gone(&path), (404, "NDIRECTORY".into()));
    let _ = edge.told(204, "DELETE", &path, &Value::Null);
    assert_eq!(edge.refused("GET", &path, &Value::Null), (404, "NDIRECTORY".into()));
}

#[test]
fn fld_24_fld_25_a_directory_and_its_files_are_looked_at_and_downloaded() {
    browsed(&Server::new());
}

#[test]
fn fld_24_versions_are_listed_and_brought_back() {
    brought_back(&Server::new());
}

#[test]
fn fld_25_members_see_what_their_role_says() {
    members(&Server::new());
}

#[test]
fn con_11_directories_and_files_are_found_by_name() {
    found(&Server::new());
}
