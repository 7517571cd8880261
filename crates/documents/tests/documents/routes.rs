//! The routes that documents are looked through by (CON-5), by role, and attachments among what they show.

use serde_json::{Value, json};

use crate::edge::{ADMIN, Edge};

fn edge() -> Edge {
    let edge = Edge::new();
    edge.desk.put("a", "Card", None, json!({ "name": "Ada" }));
    edge
}

#[test]
fn con_5_con_1_who_may_look_through_documents_and_who_may_not() {
    let edge = edge();
    let keys = ["operator", "reader", "app", "device"].map(|role| (role, edge.key("main", role)));
    for path in ["", "/Contact", "/Contact/a", "/Contact/a/changes"] {
        let path = format!("/v1/main/docs{path}");
        assert_eq!(edge.ask("GET", &path, ADMIN, &Value::Null).0, 200, "{path}");
        for (role, key) in &keys {
            let expected = if *role == "device" { 403 } else { 200 };
            assert_eq!(edge.ask("GET", &path, key, &Value::Null).0, expected, "{role} {path}");
        }
        assert_eq!(edge.ask("GET", &path, "fst_of-nobody", &Value::Null).0, 401, "{path}");
    }
}

#[test]
fn con_5_doc_12_a_document_shows_what_is_attached_to_it() {
    let edge = edge();
    let at = "/v1/main/docs/Contact/a/attachments/face";
    let (status, answer) = edge.send("PUT", at, ADMIN, &[("content-type", "image/png")], b"pixels".to_vec());
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
    let (status, doc) = edge.ask("GET", "/v1/main/docs/Contact/a", ADMIN, &Value::Null);
    let attached = &doc["attachments"][0];
    assert_eq!((status, &attached["key"], &attached["mime"]), (200, &json!("face"), &json!("image/png")));
    assert_eq!(
        (&attached["size"], &doc["attachments_bytes"], &attached["op"]),
        (&json!(6), &json!(6), &json!("doc.attach"))
    );
    assert!(attached["who"].as_str().is_some_and(|who| !who.is_empty()));
    assert_eq!(doc["items"].as_array().unwrap().len(), 1, "it is no item beside");
    assert_eq!(edge.ask("DELETE", at, ADMIN, &Value::Null).0, 204);
    let (_, doc) = edge.ask("GET", "/v1/main/docs/Contact/a", ADMIN, &Value::Null);
    assert_eq!((&doc["attachments"], &doc["tombstones"][0]["k"]), (&json!([]), &json!("face")));
}
