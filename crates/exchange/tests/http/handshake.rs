//! The handshake over HTTP: in order, out of order, twice, and for another's process.

use serde_json::{Value, json};

use crate::edge::{Office, ids, results};

#[test]
fn exc_10_14_a_batch_goes_through_over_http() {
    let office = Office::open();
    assert_eq!(office.start(), json!({ "status": "IDLE" }));
    office.sent(&["a", "b", "c"]);
    let started = office.start();
    assert_eq!((&started["status"], ids(&started)), (&json!("OK"), vec!["a".to_owned(), "b".into(), "c".into()]));
    assert_eq!(started["messages"][0], office.message("a", 0), "as it came");
    let process = started["process"].as_str().unwrap();
    assert_eq!(office.start(), json!({ "status": "BUSY" }));
    assert_eq!(office.state("a"), json!("in_process"));
    let said = json!({
        "results": [
            { "id": "a", "status": "PROCESSED" },
            { "id": "b", "status": "PROCESSED_INCORRECT", "error_code": 335_544_347, "error_text": "no such article" },
            { "id": "c", "status": "PROCESSED_DEADLOCK" },
        ],
        "replies": [office.reply("r1")],
    });
    assert_eq!(office.step(process, "prepare", said.clone()), json!("OK"));
    assert_eq!(office.step(process, "prepare", said), json!("OK"), "the same again");
    assert!(office.fetched().is_empty(), "not before the commit");
    assert_eq!(office.step(process, "commit", json!({})), json!("OK"));
    assert_eq!(office.step(process, "commit", json!({})), json!("OK"), "the answer was lost");
    assert_eq!(["a", "b", "c"].map(|id| office.state(id)), ["processed", "error", "deadlock_waiting"].map(Value::from));
    let (_, status) = office.by_phone("GET", "/messages/b/status", Value::Null);
    assert_eq!((&status["error_code"], &status["error_text"]), (&json!(335_544_347), &json!("no such article")));
    assert_eq!(office.fetched(), ["r1"]);
    assert_eq!(office.by_phone("POST", "/messages/r1/ack", Value::Null).0, 204);
    assert_eq!(office.by_phone("POST", "/messages/r1/ack", Value::Null).0, 204, "again");
    assert!(office.fetched().is_empty());
    assert_eq!(ids(&office.start()), ["c"]);
    office.check();
}

#[test]
fn exc_11_a_process_is_shown_with_its_messages_also_when_it_ended() {
    let office = Office::open();
    office.sent(&["a"]);
    let process = office.started();
    let path = format!("/processes/{process}");
    let shown = office.edge.get(&path);
    assert_eq!(
        (&shown["state"], &shown["outcome"], &shown["ready_at"]),
        (&json!("STARTED"), &Value::Null, &Value::Null)
    );
    assert_eq!((&shown["given"][0]["id"], &shown["replies"]), (&json!("a"), &json!([])));
    let said = json!({ "results": results("PROCESSED", &["a"]), "replies": [office.reply("r1")] });
    office.step(&process, "prepare", said);
    office.step(&process, "commit", json!({}));
    let shown = office.edge.get(&path);
    assert_eq!((&shown["state"], &shown["outcome"]), (&json!("ENDED"), &json!("committed")));
    assert_eq!((&shown["given"][0]["result"], &shown["given"][0]["place"]), (&json!("PROCESSED"), &json!("log")));
    assert!(shown["replies"][0]["name"].as_str().unwrap().contains("~r1~erp~"), "{shown}");
    assert_eq!(office.edge.all("/processes?db=erp", 1).len(), 1);
    assert_eq!(office.edge.all("/processes?state=ENDED", 1).len(), 1);
    assert!(office.edge.all("/processes?db=erp&state=STARTED", 1).is_empty());
}

#[test]
fn exc_16_a_process_is_given_up_over_http_only_before_it_is_prepared() {
    let office = Office::open();
    let give_up = json!({ "message": "its messages did not arrive", "only_started": true });
    let prepared = office.prepared();
    assert_eq!(office.step(&prepared, "interrupt", give_up.clone()), json!("CANCELLED"));
    assert_eq!(office.edge.get(&format!("/processes/{prepared}"))["state"], json!("READY_TO_COMMIT"));
    assert_eq!(office.step(&prepared, "interrupt", json!({ "message": "the power failed" })), json!("OK"));
    let started = office.started();
    assert_eq!(office.step(&started, "interrupt", give_up), json!("OK"));
    assert_eq!(office.edge.get(&format!("/processes/{started}"))["outcome"], json!("interrupted"));
    office.check();
}
