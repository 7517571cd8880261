//! The exchange: a phone sends messages and fetches replies, a database takes messages by the handshake and replies to each.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Load, Work};
use crate::caller::Caller;
use crate::site::{Site, wait_until};

const X: &str = "/v1/main/exchange";

/// Who takes part.
pub struct Desk {
    phone: String,
    phone_key: String,
    database_key: String,
}

/// What came of it.
pub struct Exchanged {
    /// Messages that were acknowledged; each had its reply.
    pub sent: u64,
    /// How often the database did what a message says.
    pub effects: BTreeMap<String, u32>,
}

pub fn register(site: &Site) -> Desk {
    let mut caller = site.caller();
    let mut made = |path: &str, body: Value| caller.post(&format!("{X}/{path}"), &body, path);
    made("companies", json!({ "id": "acme", "name": "Acme" }));
    made("subsystems", json!({ "id": "sales", "company": "acme", "name": "s" }));
    let database = made("databases", json!({ "id": "erp", "company": "acme" }));
    let device = made("devices", json!({ "company": "acme", "subsystem": "sales", "name": "Anna" }));
    let active = made("activate", json!({ "code": device["activation_code"] }));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    Desk { phone: text(&active["device"]), phone_key: text(&active["key"]), database_key: text(&database["key"]) }
}

pub fn id(number: u64) -> String {
    format!("m-{number}")
}

fn message(desk: &Desk, number: u64) -> Value {
    let head = json!({ "company": "acme", "subsystem": "sales", "from": desk.phone, "to": "erp", "created_at": "2026-11-16T12:00:00Z" });
    let body = json!({ "type": "order", "version": 1, "payload": { "lines": number } });
    json!({ "version": 1, "id": id(number), "head": head, "body": body })
}

/// The phone: sends one, waits for the reply to it, says that it has it.
pub fn send(site: &Site, desk: &Desk, load: &Load) -> u64 {
    let (mut phone, mut number) = (site.caller_with(&desk.phone_key), 0);
    while load.goes_on() {
        number += 1;
        phone.post(&format!("{X}/messages"), &message(desk, number), "");
        let reply = await_reply(&mut phone);
        assert_eq!(reply["head"]["reply_to"], id(number), "the one that is due, and no other again: {reply}");
        phone.post(&format!("{X}/messages/{}/ack", reply["id"].as_str().unwrap()), &Value::Null, "");
        load.count(Work::Messages);
    }
    load.close(Work::Messages);
    number
}

fn await_reply(phone: &mut Caller) -> Value {
    let mut reply = None;
    wait_until("a reply comes", || {
        reply =
            phone.get(&format!("{X}/messages?wait_s=1"))["messages"].as_array().and_then(|all| all.first().cloned());
        reply.is_some()
    });
    reply.unwrap()
}

/// The database, until nobody sends and nothing waits.
pub fn process(site: &Site, desk: &Desk, load: &Load) -> BTreeMap<String, u32> {
    let mut database = site.caller_with(&desk.database_key);
    let (mut effects, mut run) = (BTreeMap::new(), 0);
    loop {
        let is_closed = load.is_closed(Work::Messages);
        load.goes_on();
        run += 1;
        let started = database.post(&format!("{X}/processes"), &json!({ "db": "erp" }), &format!("run-{run}"));
        match started["status"].as_str().unwrap() {
            "OK" => carry_out(&mut database, &started, &mut effects),
            "IDLE" if is_closed => return effects,
            "IDLE" => {}
            other => panic!("nobody else works for this database, and start was answered {other}"),
        }
    }
}

/// All of a process: prepare, the database's own commit, commit.
fn carry_out(database: &mut Caller, started: &Value, effects: &mut BTreeMap<String, u32>) {
    let process = format!("{X}/processes/{}", started["process"].as_str().unwrap());
    let messages = started["messages"].as_array().unwrap();
    let result = |message: &Value| json!({ "id": message["id"], "status": "PROCESSED" });
    let results: Vec<Value> = messages.iter().map(result).collect();
    let replies: Vec<Value> = messages.iter().map(reply).collect();
    let prepared = database.post(&format!("{process}/prepare"), &json!({ "results": results, "replies": replies }), "");
    assert_eq!(prepared["status"], "OK", "{prepared}");
    for message in messages {
        *effects.entry(message["id"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let committed = database.post(&format!("{process}/commit"), &json!({}), "");
    assert_eq!(committed["status"], "OK", "{committed}");
}

fn reply(message: &Value) -> Value {
    let head = &message["head"];
    let id = format!("r-{}", message["id"].as_str().unwrap());
    json!({
        "version": 1, "id": id,
        "head": { "company": head["company"], "subsystem": head["subsystem"], "from": head["to"], "to": head["from"],
                  "created_at": head["created_at"], "reply_to": message["id"] },
        "body": { "type": "done", "version": 1, "payload": null },
    })
}
