//! Processes that stand still, looked for by whoever watches.

use base::Sql;
use exchange::Watch;
use serde_json::{Value, json};

use crate::edge::{Edge, Office};

/// No more can be counted: whatever puts messages back into the queue fails.
static BREAK_QUEUE: Sql =
    Sql::new("test.break", "UPDATE exc_database SET queued = 9223372036854775807 WHERE id = 'erp'");

/// Another database, with a process that has a message.
fn second_process(office: &Office) -> String {
    let key = office.edge.register("/databases", json!({ "id": "crm", "company": "acme" }))["key"].clone();
    let mut message = office.message("b", 1);
    message["head"]["to"] = json!("crm");
    assert_eq!(office.by_phone("POST", "/messages", message).0, 201);
    let body = json!({ "db": "crm" });
    let (status, started) = office.edge.ask_as(key.as_str().unwrap(), "POST", "/processes", body);
    assert_eq!((status, &started["status"]), (200, &json!("OK")), "{started}");
    started["process"].as_str().unwrap().to_owned()
}

fn state(edge: &Edge, process: &str) -> Value {
    edge.get(&format!("/processes/{process}"))["state"].clone()
}

#[test]
fn exc_18_a_process_that_cannot_be_ended_keeps_no_other() {
    let office = Office::open();
    office.sent(&["a"]);
    let first = office.started();
    office.edge.world().pass_ms(1_000);
    let second = second_process(&office);
    office.edge.write(&BREAK_QUEUE, vec![]);
    let _watch = Watch::start(&office.edge.kernel);
    office.edge.world().pass_ms(620_000);
    assert_eq!((state(&office.edge, &first), state(&office.edge, &second)), (json!("STARTED"), json!("ENDED")));
}
