//! Messages over HTTP: what is taken, what is refused, and that texts are passed on as they came.

use serde_json::{Value, json};

use crate::edge::{ADMIN, Office, ids};

#[test]
fn exc_3_what_is_no_message_is_refused_and_changes_nothing() {
    let office = Office::open();
    office.edge.register("/companies", json!({ "id": "other", "name": "Other" }));
    office.edge.register("/databases", json!({ "id": "theirs", "company": "other" }));
    let (second, _) = office.device();
    let with = |path: &str, value: Value| {
        let mut message = office.message("m", 0);
        *message.pointer_mut(path).unwrap() = value;
        message
    };
    let mut more = office.message("m", 0);
    more["extra"] = json!(1);
    let mut ordered = office.message("m", 0);
    ordered["head"]["order"] = json!("first");
    let mut less = office.message("m", 0);
    less["head"].as_object_mut().unwrap().remove("to");
    for (message, status, code) in [
        (with("/version", json!(2)), 422, "AFORM"),
        (with("/version", json!(null)), 422, "AFORM"),
        (with("/head/company", json!("other")), 422, "AEXCHANGE"),
        (with("/head/subsystem", json!("other")), 422, "AEXCHANGE"),
        (with("/head/from", json!(second)), 422, "AEXCHANGE"),
        (with("/head/to", json!("nowhere")), 404, "NPARTY"),
        (with("/head/to", json!("theirs")), 404, "NPARTY"),
        (with("/head/to", json!(second)), 404, "NPARTY"),
        (with("/id", json!("../../etc/passwd")), 422, "AEXCHANGE"),
        (with("/id", json!("a~b")), 422, "AEXCHANGE"),
        (with("/id", json!("a\u{0}b")), 400, "ABODY"),
        (with("/id", json!("x".repeat(37))), 422, "AEXCHANGE"),
        (with("/head/created_at", json!("yesterday")), 422, "AEXCHANGE"),
        (with("/head/created_at", json!(17)), 400, "ABODY"),
        (ordered, 400, "ABODY"),
        (with("/body", json!([])), 400, "ABODY"),
        (more, 400, "ABODY"),
        (less, 400, "ABODY"),
        (json!([]), 400, "ABODY"),
        (json!("text"), 400, "ABODY"),
        (json!(5), 400, "ABODY"),
    ] {
        let refused = office.edge.refused_as(&office.phone_key, "POST", "/messages", &message);
        assert_eq!(refused, (status, code.to_owned()), "{message}");
    }
    for text in ["", "{", "{\"version\":1", "\u{feff}{}", "nul"] {
        assert_eq!(office.edge.send(&office.phone_key, "POST", "/messages", &[], text).code(), "ABODY", "{text}");
    }
    let twice = office.message("m", 0).to_string().replacen("\"id\"", "\"id\":\"x\",\"id\"", 1);
    assert_eq!(office.edge.send(&office.phone_key, "POST", "/messages", &[], &twice).code(), "ABODY", "a field twice");
    let ledger = office.edge.get("/ledger?db=erp");
    assert_eq!((&ledger["received"], &ledger["balances"]), (&json!(0), &json!(true)));
}

#[test]
fn exc_9_a_resend_is_answered_the_same_and_other_content_is_refused() {
    let office = Office::open();
    let first = office.by_phone("POST", "/messages", office.message("a", 0));
    office.edge.world().pass_ms(5_000);
    assert_eq!(office.by_phone("POST", "/messages", office.message("a", 0)), first);
    let mut other = office.message("a", 0);
    other["body"]["payload"] = json!("other");
    let refused = office.edge.refused_as(&office.phone_key, "POST", "/messages", &other);
    assert_eq!(refused, (409, "ATAKEN".into()));
    assert_eq!(office.edge.get("/ledger?db=erp")["received"], json!(1));
    let keyed = |key: &str| {
        let text = office.message("b", 1).to_string();
        office.edge.send(&office.phone_key, "POST", "/messages", &[("idempotency-key", key)], &text)
    };
    let (first, second, third) = (keyed("k1"), keyed("k1"), keyed("k2"));
    assert_eq!((first.status, &first.text, &first.text), (201, &second.text, &third.text));
}

#[test]
fn exc_6_a_large_message_is_taken_and_a_larger_one_is_refused() {
    let office = Office::open();
    let mut message = office.message("large", 0);
    message["body"]["payload"] = json!("x".repeat(19 << 20));
    let text = message.to_string();
    assert_eq!(office.edge.send(&office.phone_key, "POST", "/messages", &[], &text).status, 201);
    let (status, started) = office.by_database("POST", "/processes", json!({ "db": "erp", "max_mb": 0.001 }));
    assert_eq!((status, ids(&started).len()), (200, 1), "one is given though it is larger than the limit");
    assert_eq!(started["messages"][0], message);
    message["body"]["payload"] = json!("x".repeat(50_000_000));
    let refused = office.edge.send(&office.phone_key, "POST", "/messages", &[], &message.to_string());
    assert_eq!((refused.status, refused.code().as_str()), (413, "ATOOBIG"));
}

#[test]
fn exc_3_a_payload_is_passed_on_as_it_came() {
    let office = Office::open();
    let odd = r#"{ "b":1.50, "a" : 12345678901234567890123, "e":1e400, "s":"\u0041\/", "a":null }"#;
    let plain = office.message("odd", 0).to_string();
    let text = plain.replace(r#"{"n":"odd"}"#, odd);
    assert_ne!(text, plain);
    assert_eq!(office.edge.send(&office.phone_key, "POST", "/messages", &[], &format!("  {text}\n")).status, 201);
    let started = office.edge.send(&office.db_key, "POST", "/processes", &[], r#"{"db":"erp"}"#);
    assert!(started.text.contains(&text), "{}", started.text);
    let process = serde_json::from_str::<Process>(&started.text).unwrap().process;
    let reply = office.reply("r").to_string().replace(r#"{"n":"r"}"#, odd);
    let said = format!(r#"{{"results":[{{"id":"odd","status":"PROCESSED"}}],"replies":[ {reply} ]}}"#);
    let path = format!("/processes/{process}/prepare");
    assert_eq!(office.edge.send(&office.db_key, "POST", &path, &[], &said).text, r#"{"status":"OK"}"#);
    office.step(&process, "commit", json!({}));
    let fetched = office.edge.send(&office.phone_key, "GET", "/messages", &[], "");
    assert_eq!(fetched.text, format!("{{\"messages\":[{reply}]}}"));
}

/// Only what a number of its payload does not get in the way of.
#[derive(serde::Deserialize)]
struct Process {
    process: String,
}

#[test]
fn exc_9_fetches_are_limited_and_ordered_by_time() {
    let office = Office::open();
    for (id, second) in [("r3", 3), ("r1", 1), ("r2", 2)] {
        let mut reply = office.reply(id);
        reply["head"]["created_at"] = json!(format!("2026-11-01T12:00:{second:02}Z"));
        assert_eq!(office.by_database("POST", "/messages", reply).0, 201);
    }
    let fetched = |query: &str| ids(&office.edge.get_as(&office.phone_key, &format!("/messages{query}")));
    assert_eq!(fetched(""), ["r1", "r2", "r3"]);
    assert_eq!(fetched("?max_files=2"), ["r1", "r2"]);
    assert_eq!(fetched("?max_mb=0.0000001"), ["r1"], "one at least");
    assert_eq!(fetched("?max_mb=0.0005&max_files=1000000").len(), 2, "fractions of a megabyte");
    assert_eq!(fetched("?wait_s=60").len(), 3, "at once, because there is something");
    for (query, code) in [
        ("?max_files=0", "ALIMIT"),
        ("?max_files=-1", "ABODY"),
        ("?max_files=many", "ABODY"),
        ("?max_mb=0", "ALIMIT"),
        ("?max_mb=NaN", "ALIMIT"),
        ("?max_mb=-3", "ALIMIT"),
        ("?wait_s=61", "ALIMIT"),
        ("?wait_s=1.5", "ABODY"),
        ("?colour=red", "ABODY"),
    ] {
        let refused = office.edge.refused_as(&office.phone_key, "GET", &format!("/messages{query}"), &Value::Null);
        assert_eq!(refused.1, code, "{query}");
    }
}

#[test]
fn exc_1_a_key_speaks_for_itself_only() {
    let office = Office::open();
    let (other, other_key) = office.device();
    office.sent(&["a"]);
    office.by_database("POST", "/messages", office.reply("r1"));
    let by_other = |method: &str, path: &str| office.edge.refused_as(&other_key, method, path, &Value::Null);
    assert!(ids(&office.edge.get_as(&other_key, "/messages")).is_empty());
    assert_eq!(by_other("POST", "/messages/r1/ack"), (404, "NMESSAGE".into()));
    assert_eq!(by_other("GET", "/messages/a/status"), (404, "NMESSAGE".into()));
    let phone = &office.phone;
    assert_eq!(by_other("GET", &format!("/messages?device={phone}")), (403, "SROLE".into()));
    assert_eq!(by_other("POST", &format!("/messages/r1/ack?device={phone}")), (403, "SROLE".into()));
    assert_eq!(by_other("GET", &format!("/messages/a/status?from={phone}")), (403, "SROLE".into()));
    assert_eq!(by_other("GET", &format!("/messages?device={other}")).0, 200, "its own name does no harm");
    let refused = office.edge.refused_as(&other_key, "POST", "/messages", &office.message("b", 0));
    assert_eq!(refused, (422, "AEXCHANGE".into()), "a message of another device");
    let refused = office.edge.refused_as(&office.db_key, "POST", "/messages", &office.message("b", 0));
    assert_eq!(refused, (422, "AEXCHANGE".into()));
    let unscoped = office.edge.key("device", &json!({}));
    assert_eq!(office.edge.refused_as(&unscoped, "GET", "/messages", &Value::Null), (403, "SROLE".into()));
    assert_eq!(office.edge.refused_as(&office.db_key, "GET", "/messages", &Value::Null), (403, "SROLE".into()));
    let reader = office.edge.key("reader", &json!({}));
    assert_eq!(office.edge.refused_as(&reader, "GET", "/messages", &Value::Null), (403, "SROLE".into()));
    assert_eq!(office.fetched(), ["r1"], "nothing was taken from it");
}

#[test]
fn exc_1_operators_speak_for_whom_they_name() {
    let office = Office::open();
    let (edge, phone) = (&office.edge, &office.phone);
    assert_eq!(edge.ask("POST", "/messages", office.message("a", 0)).0, 201);
    assert_eq!(edge.ask("POST", "/messages", office.reply("r1")).0, 201);
    for (method, path) in [("GET", "/messages"), ("POST", "/messages/r1/ack"), ("GET", "/messages/a/status")] {
        assert_eq!(edge.refused(method, path, &Value::Null), (400, "ABODY".into()), "{path}");
    }
    assert_eq!(ids(&edge.get(&format!("/messages?device={phone}"))), ["r1"]);
    assert_eq!(edge.get(&format!("/messages/a/status?from={phone}"))["state"], json!("queued"));
    assert_eq!(edge.get("/messages/r1/status?from=erp")["state"], json!("queued"));
    assert_eq!(edge.ask("POST", &format!("/messages/r1/ack?device={phone}&from=erp"), Value::Null).0, 204);
    assert_eq!(edge.get("/messages/r1/status?from=erp")["state"], json!("processed"));
    assert_eq!(edge.refused("GET", "/messages?device=nobody", &Value::Null), (404, "NPARTY".into()));
    let refused = edge.send(ADMIN, "POST", &format!("/messages/r1/ack?device={phone}"), &[], "{}");
    assert_eq!(refused.code(), "ABODY", "it takes no body");
}

#[test]
fn exc_9_two_databases_may_use_the_same_id() {
    let office = Office::open();
    let made = office.edge.register("/databases", json!({ "id": "erp2", "company": "acme" }));
    let mut reply = office.reply("r1");
    assert_eq!(office.by_database("POST", "/messages", reply.clone()).0, 201);
    reply["head"]["from"] = json!("erp2");
    assert_eq!(office.edge.ask_as(made["key"].as_str().unwrap(), "POST", "/messages", reply).0, 201);
    let ack = |path: &str| office.edge.refused_as(&office.phone_key, "POST", path, &Value::Null);
    assert_eq!(ack("/messages/r1/ack").1, "AEXCHANGE");
    assert_eq!(ack("/messages/r1/ack?from=erp").0, 204);
    assert_eq!(office.fetched().len(), 1);
    assert_eq!(ack("/messages/r1/ack?from=erp2").0, 204);
    assert!(office.fetched().is_empty());
}
