//! Signals over HTTP: each is the opposite of the one before it and repeated until it is acknowledged, so each is one change.

use std::collections::BTreeMap;

use base::Wall;
use serde_json::{Value, json};

use super::{Load, Work};
use crate::postgres;
use crate::site::Site;

/// How many signals of each sensor were acknowledged.
pub type Said = BTreeMap<String, u64>;

/// Sensors that speak over HTTP, and those that speak through RabbitMQ.
pub const BY_HTTP: [&str; 3] = ["door1", "door2", "door3"];
pub const BY_BROKER: [&str; 3] = ["gate1", "gate2", "gate3"];
/// One that says the same over and over: no change, but history.
pub const TALKER: &str = "talker";
/// As many rows as move to ClickHouse at once.
pub const FLOOD: i64 = 10_000;

/// The moment of a sensor's signal: each has its own, all have passed.
pub fn moment(number: u64) -> Wall {
    Wall(1_794_700_000_000 + i64::try_from(number).unwrap())
}

pub fn signal(sensor: &str, number: u64) -> Value {
    json!({ "sensor_id": sensor, "data": number % 2, "id": format!("{sensor}-{number}"), "at": moment(number).rfc3339() })
}

/// All sensors, and a client that is told of them; its id.
pub fn register(site: &Site) -> String {
    let mut caller = site.caller();
    let client = json!({ "name": "house", "url": site.receiver.url() });
    let client = caller.post("/v1/main/sensor-clients", &client, "the-client")["id"].as_str().unwrap().to_owned();
    for sensor in BY_HTTP.into_iter().chain(BY_BROKER) {
        caller.ask("PUT", &format!("/v1/main/sensors/{sensor}"), &json!({ "address": "a house" }), "");
        caller.ask("PUT", &format!("/v1/main/sensor-clients/{client}/sensors/{sensor}"), &Value::Null, "");
    }
    caller.ask("PUT", &format!("/v1/main/sensors/{TALKER}"), &json!({ "address": "a house" }), "");
    client
}

pub fn speak(site: &Site, load: &Load) -> Said {
    let (mut caller, mut number) = (site.caller(), 0);
    while load.goes_on() {
        number += 1;
        let signals: Vec<Value> = BY_HTTP.iter().map(|sensor| signal(sensor, number)).collect();
        let answer = caller.post("/v1/main/signals", &Value::Array(signals), "");
        assert_eq!(answer["accepted"].as_u64(), Some(BY_HTTP.len() as u64), "{answer}");
        load.count(Work::Signals);
    }
    BY_HTTP.iter().map(|sensor| ((*sensor).to_owned(), number)).collect()
}

/// So many signals that say nothing new.
pub fn flood(site: &Site) {
    let signals = (0..FLOOD).map(|_| json!({ "sensor_id": TALKER, "data": 1 })).collect();
    let answer = site.caller().post("/v1/main/signals", &Value::Array(signals), "");
    assert_eq!(answer["accepted"].as_i64(), Some(FLOOD), "{answer}");
}

/// Whether a batch of history could not be written.
pub fn history_was_refused(site: &Site) -> bool {
    let sql = format!("SELECT COUNT(*) FROM {}main.sensor_outbox WHERE failures > 0", site.parts.schema_prefix());
    postgres::number(&sql) > 0
}
