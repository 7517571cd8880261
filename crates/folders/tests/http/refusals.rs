//! What is refused.

use serde_json::{Value, json};

use crate::kit::{Server, edit};
use crate::tour::directory;

#[test]
fn fld_25_what_cannot_be_is_refused_with_a_code() {
    let server = Server::new();
    let (edge, (id, path)) = (&server.edge, directory(&server));
    let file = server.put(&id, "laptop", edit("c.txt"), b"one", 9);
    let of = format!("/files/{}", file.id);
    let unknown = "2b9f1c1e-6d0e-4a53-9d2e-0c7d8a3f5b11";
    for (method, path, body, told) in [
        ("GET", format!("/directories/{unknown}"), Value::Null, (404, "NDIRECTORY")),
        ("GET", "/directories/..%2f..%2fetc".into(), Value::Null, (404, "NDIRECTORY")),
        ("GET", "/directories?limit=0".into(), Value::Null, (422, "ALIMIT")),
        ("POST", "/directories".into(), json!({ "name": "n".repeat(256) }), (422, "ALIMIT")),
        ("GET", format!("{path}/files?path=../x"), Value::Null, (404, "NFILE")),
        ("GET", format!("{path}/files?path=c.txt"), Value::Null, (404, "NFILE")),
        ("GET", format!("{path}/files?limit=1001"), Value::Null, (422, "ALIMIT")),
        ("PATCH", path.clone(), json!({ "anyone": "admin" }), (422, "AFOLDER")),
        ("PATCH", path.clone(), json!({ "names": "exact" }), (422, "AFOLDER")),
        ("PATCH", path.clone(), json!({ "quota_bytes": -1 }), (422, "ALIMIT")),
        ("PATCH", path.clone(), json!({ "other": 1 }), (400, "ABODY")),
        ("POST", format!("{path}/members"), json!({ "role": "read" }), (400, "ABODY")),
        ("POST", format!("{path}/members"), json!({ "key": "a", "device": "b", "role": "read" }), (400, "ABODY")),
        ("POST", format!("{path}/members"), json!({ "key": "", "role": "read" }), (422, "ALIMIT")),
        ("POST", format!("{path}/undo"), json!({ "device": "x", "since": "yesterday" }), (400, "ABODY")),
        ("POST", format!("{path}/restore"), json!({ "at": "2026-11-15T12:00:00Z", "path": "../x" }), (422, "AFOLDER")),
        ("GET", format!("/files/{unknown}"), Value::Null, (404, "NFILE")),
        ("GET", format!("{of}/content?version=7"), Value::Null, (404, "NFILE")),
        ("POST", format!("{of}/restore"), json!({ "version": 7 }), (404, "NFILE")),
    ] {
        assert_eq!(edge.refused(method, &path, &body), (told.0, told.1.to_owned()), "{method} {path} {body}");
    }
}

#[test]
fn fld_25_keys_of_other_scopes_and_roles_see_nothing() {
    let server = Server::new();
    let (edge, (id, path)) = (&server.edge, directory(&server));
    let file = server.put(&id, "laptop", edit("c.txt"), b"one", 9);
    let elsewhere = edge.key("operator", &json!({ "folder": "another" }));
    assert_eq!(edge.refused_as(&elsewhere, "GET", &path, &Value::Null), (404, "NDIRECTORY".into()));
    assert_eq!(edge.refused_as(&elsewhere, "GET", &format!("/files/{}", file.id), &Value::Null), (404, "NFILE".into()));
    assert_eq!(edge.ask_as(&elsewhere, "GET", "/directories", &Value::Null).1["items"], json!([]));
    let other_service = edge.key("operator", &json!({ "service": "sensors" }));
    assert_eq!(edge.refused_as(&other_service, "GET", "/directories", &Value::Null), (403, "SROLE".into()));
    let reader = edge.key("reader", &json!({}));
    assert_eq!(edge.ask_as(&reader, "GET", &path, &Value::Null).0, 200);
    assert_eq!(edge.refused_as(&reader, "DELETE", &path, &Value::Null), (403, "SROLE".into()));
    assert_eq!(edge.refused_as(&edge.key("device", &json!({})), "GET", &path, &Value::Null), (403, "SROLE".into()));
}
