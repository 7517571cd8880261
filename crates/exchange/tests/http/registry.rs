//! Who takes part, over HTTP.

use serde_json::{Value, json};

use crate::edge::{Edge, Office};

fn ids(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["id"].as_str().unwrap()).collect()
}

#[test]
fn exc_1_who_takes_part_is_listed_page_by_page() {
    check_lists(&Edge::new());
}

/// On every engine.
pub fn check_lists(edge: &Edge) {
    for id in ["c", "a", "B"] {
        edge.register("/companies", json!({ "id": id, "name": "x" }));
        for subsystem in ["s2", "s1"] {
            edge.register("/subsystems", json!({ "id": subsystem, "company": id, "name": "y" }));
        }
        edge.register("/databases", json!({ "id": format!("db.{id}"), "company": id }));
        edge.register("/devices", json!({ "company": id, "subsystem": "s1", "name": "phone" }));
    }
    assert_eq!(ids(&edge.all("/companies", 2)), ["B", "a", "c"]);
    assert_eq!(edge.all("/subsystems", 1).len(), 6);
    assert_eq!(ids(&edge.all("/subsystems?company=a", 1)), ["s1", "s2"]);
    assert_eq!(ids(&edge.all("/databases", 2)), ["db.B", "db.a", "db.c"]);
    assert_eq!(ids(&edge.all("/databases?company=a", 2)), ["db.a"]);
    let devices = edge.all("/devices", 1);
    assert_eq!((devices.len(), &devices[0]["state"], &devices[0]["has_code"]), (3, &json!("new"), &json!(true)));
    assert_eq!(edge.all("/devices?company=c&subsystem=s1", 1).len(), 1);
    assert!(edge.all("/devices?company=c&subsystem=s2", 1).is_empty());
    assert_eq!(edge.get(&format!("/devices/{}", devices[0]["id"].as_str().unwrap())), devices[0]);
    for path in ["/companies?limit=0", "/devices?limit=1001", "/databases?limit=-1", "/subsystems?colour=red"] {
        assert!((400..=422).contains(&edge.refused("GET", path, &Value::Null).0), "{path}");
    }
    assert!(!edge.get("/devices").to_string().contains("code\":\""), "no code is ever listed");
}

#[test]
fn exc_1_what_cannot_be_registered_is_refused() {
    let edge = Office::open().edge;
    let check = |path: &str, body: Value, code: &str| {
        assert_eq!(edge.refused("POST", path, &body).1, code, "{path} {body}");
    };
    for id in ["", "a b", "a/b", "../x", "a~b", "a.b", "é", &"x".repeat(41)] {
        check("/companies", json!({ "id": id, "name": "n" }), "AEXCHANGE");
        check("/subsystems", json!({ "id": id, "company": "acme", "name": "n" }), "AEXCHANGE");
    }
    for id in ["", ".hidden", "..", "a/b", "a~b", "-x", &"x".repeat(65)] {
        check("/databases", json!({ "id": id, "company": "acme" }), "AEXCHANGE");
    }
    for body in [json!({}), json!([]), json!({ "id": 5, "name": "n" }), json!({ "id": "x", "name": "n", "more": 1 })] {
        check("/companies", body, "ABODY");
    }
    check("/companies", json!({ "id": "x", "name": "" }), "AEXCHANGE");
    check("/companies", json!({ "id": "x", "name": "a\nb" }), "AEXCHANGE");
    check("/companies", json!({ "id": "acme", "name": "again" }), "ATAKEN");
    check("/subsystems", json!({ "id": "sales", "company": "acme", "name": "again" }), "ATAKEN");
    check("/subsystems", json!({ "id": "sales", "company": "nobody", "name": "n" }), "NPARTY");
    check("/databases", json!({ "id": "ERP", "company": "acme" }), "ATAKEN");
    check("/databases", json!({ "id": "other", "company": "nobody" }), "NPARTY");
    check("/devices", json!({ "company": "acme", "subsystem": "nothing", "name": "n" }), "NPARTY");
    check("/devices", json!({ "company": "acme", "subsystem": "sales", "name": "" }), "AEXCHANGE");
    for path in ["/devices/nobody/block", "/devices/nobody/unblock", "/devices/nobody/code", "/devices/..%2Fx/block"] {
        check(path, Value::Null, "NPARTY");
    }
    assert_eq!(edge.refused("GET", "/devices/nobody", &Value::Null), (404, "NPARTY".into()));
    assert_eq!((edge.all("/companies", 9).len(), edge.all("/databases", 9).len()), (1, 1), "nothing changed");
}

#[test]
fn exc_1_operators_register_and_readers_read() {
    let office = Office::open();
    let edge = &office.edge;
    let (operator, reader) = (edge.key("operator", &json!({})), edge.key("reader", &json!({})));
    let new = json!({ "id": "two", "name": "Two" });
    assert_eq!(edge.refused_as(&reader, "POST", "/companies", &new), (403, "SROLE".into()));
    assert_eq!(edge.ask_as(&operator, "POST", "/companies", new).0, 201);
    assert_eq!(edge.ask_as(&reader, "GET", "/companies", Value::Null).0, 200);
    for key in [&office.phone_key, &office.db_key, &edge.key("app", &json!({}))] {
        for path in ["/companies", "/subsystems", "/databases", "/devices"] {
            assert_eq!(edge.refused_as(key, "GET", path, &Value::Null), (403, "SROLE".into()), "{path}");
            assert_eq!(edge.refused_as(key, "POST", path, &json!({})), (403, "SROLE".into()), "{path}");
        }
    }
    let bound = edge.key("operator", &json!({ "company": "acme" }));
    assert_eq!(edge.refused_as(&bound, "GET", "/devices", &Value::Null), (403, "SROLE".into()), "a scope binds");
    let elsewhere = edge.key("reader", &json!({ "service": "documents" }));
    assert_eq!(edge.refused_as(&elsewhere, "GET", "/devices", &Value::Null), (403, "SROLE".into()));
    assert_eq!(edge.refused_as("", "GET", "/devices", &Value::Null), (401, "SKEY".into()));
}

#[test]
fn exc_17_a_repeated_registration_shows_the_same_secret_and_none_is_kept() {
    use base::Sql;
    static KEPT: Sql =
        Sql::new("test.kept", "SELECT COUNT(*) FROM request WHERE answer LIKE '%fst_%' OR answer LIKE '%activation%'");
    let edge = Office::open().edge;
    for (path, body) in [
        ("/databases", json!({ "id": "two", "company": "acme" })),
        ("/devices", json!({ "company": "acme", "subsystem": "sales", "name": "n" })),
    ] {
        let again = || edge.send(crate::edge::ADMIN, "POST", path, &[("idempotency-key", "k")], &body.to_string());
        let (first, second) = (again(), again());
        assert_eq!((first.status, &first.text), (201, &second.text), "{path}");
        assert_eq!(second.headers["idempotency-replayed"], "true");
    }
    let device = edge.all("/devices", 9)[1]["id"].as_str().unwrap().to_owned();
    let again = || {
        let path = format!("/devices/{device}/code");
        edge.send(crate::edge::ADMIN, "POST", &path, &[("idempotency-key", "k")], "").text
    };
    assert_eq!(again(), again());
    assert_eq!(edge.count(&KEPT), 0);
    let other = json!({ "id": "three", "company": "acme" }).to_string();
    assert_eq!(
        edge.send(crate::edge::ADMIN, "POST", "/databases", &[("idempotency-key", "k")], &other).code(),
        "AKEYREUSED"
    );
}
