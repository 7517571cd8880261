//! Each acknowledged signal is one change, each change one event, each event told under one id or superseded by a newer one; and Redis
//! knows who spoke.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::channel;

use base::Redis;
use host::RedisServer;
use kill::sensors::receiver::Heard;
use serde_json::Value;

use crate::load::{Done, Said};
use crate::site::{Site, wait_until};

pub fn check(site: &Site, done: &Done) {
    let said: Said = done.said.iter().chain(&done.published).map(|(sensor, many)| (sensor.clone(), *many)).collect();
    wait_until("the last change of each sensor is told", || site.receiver.newest() == said);
    for (sensor, many) in &said {
        let state = site.caller().get(&format!("/v1/main/sensors/{sensor}"));
        assert_eq!((state["changes"].as_u64(), state["data"].as_u64()), (Some(*many), Some(many % 2)), "{state}");
    }
    check_told(&ended_events(site, &done.client), &site.receiver.heard(), &said);
    check_signs_of_life(site, &said);
}

/// All events of a client, once none of them waits.
fn ended_events(site: &Site, client: &str) -> Vec<Value> {
    let mut events = vec![];
    wait_until("every event has ended", || {
        events = all_events(site, client);
        events.iter().all(|event| event["state"] == "sent" || event["state"] == "superseded")
    });
    events
}

fn all_events(site: &Site, client: &str) -> Vec<Value> {
    let (mut caller, mut events): (_, Vec<Value>) = (site.caller(), vec![]);
    loop {
        let after = events.last().map_or(0, |event| event["seq"].as_u64().unwrap());
        let page = caller.get(&format!("/v1/main/sensor-clients/{client}/events?after={after}"));
        let items = page["items"].as_array().unwrap();
        if items.is_empty() {
            return events;
        }
        events.extend(items.iter().cloned());
    }
}

fn check_told(events: &[Value], heard: &[Heard], said: &Said) {
    let mut of_sensors: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for event in events {
        let data = &event["body"]["data"];
        let sensor = data["sensor_id"].as_str().unwrap().to_owned();
        let is_new = of_sensors.entry(sensor).or_default().insert(data["sensor_seq"].as_u64().unwrap());
        assert!(is_new, "one change, two events: {event}");
    }
    let counts: Said = of_sensors.iter().map(|(sensor, changes)| (sensor.clone(), changes.len() as u64)).collect();
    assert_eq!(counts, *said, "events of each sensor, and changes that were acknowledged");
    let told: BTreeSet<&str> = heard.iter().map(|call| call.id.as_str()).collect();
    let ids: BTreeSet<&str> = events.iter().map(|event| event["webhook_id"].as_str().unwrap()).collect();
    assert!(told.is_subset(&ids), "calls that are no events: {:?}", told.difference(&ids));
    let sent = events.iter().filter(|event| event["state"] == "sent");
    let untold: Vec<&Value> = sent.filter(|event| !told.contains(event["webhook_id"].as_str().unwrap())).collect();
    assert_eq!(untold, Vec::<&Value>::new(), "sent, and nobody heard it");
    check_ids(heard);
}

/// One change has one id, however often it came, and none comes for the first time after a newer one.
fn check_ids(heard: &[Heard]) {
    let mut ids: BTreeMap<(String, u64), &str> = BTreeMap::new();
    let mut newest: BTreeMap<String, u64> = BTreeMap::new();
    for call in heard {
        let (sensor, change) = call.change();
        let known = ids.insert((sensor.clone(), change), &call.id);
        assert!(known.is_none_or(|id| id == call.id), "one change, two ids: {call:?}");
        let held = newest.entry(sensor).or_insert(change);
        assert!(change >= *held, "{call:?} came after change {held}");
        *held = change;
    }
}

/// Redis was killed, and knows all who spoke since.
fn check_signs_of_life(site: &Site, said: &Said) {
    let redis = RedisServer::new(&site.parts.redis.url()).unwrap();
    let ask = |words: &[&str]| {
        let (tell, told) = channel();
        let words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        redis.ask(vec![words], Box::new(move |answer| tell.send(format!("{:?}", answer.unwrap())).unwrap()));
        told.recv().unwrap()
    };
    for sensor in said.keys() {
        let script = "for _, k in ipairs(redis.call('KEYS', 'fastness:*')) do \
                      if redis.call('TYPE', k).ok == 'zset' and redis.call('ZSCORE', k, ARGV[1]) then return 1 end end return 0";
        wait_until("Redis knows who spoke", || ask(&["EVAL", script, "0", sensor]).contains('1'));
    }
}
