//! Many lost at once, a gateway or a building, may be told to a client as one (SEN-13).

use std::collections::BTreeMap;

use kernel::OpCx;
use serde_json::{Map, Value};

use crate::telling::{Kind, Listener, Telling};

/// Sensors that are named in one notification; the others are counted.
const NAMED_MAX: usize = 500;

/// Takes clients that want so out of the single tellings and adds one for each of them.
pub(super) fn grouped(cx: &OpCx<'_>, mut tellings: Vec<Telling>) -> Vec<Telling> {
    let mut lost: BTreeMap<String, (Listener, Vec<String>)> = BTreeMap::new();
    for telling in &tellings {
        for listener in telling.to.iter().filter(|listener| listener.group_lost > 0) {
            let of = lost.entry(listener.id.clone()).or_insert_with(|| (listener.clone(), vec![]));
            of.1.push(telling.sensor.to_string());
        }
    }
    lost.retain(|_, (listener, sensors)| sensors.len() >= listener.group_lost);
    for telling in &mut tellings {
        telling.to.retain(|listener| !lost.contains_key(&listener.id));
    }
    let Some(first) = tellings.first().map(|telling| telling.sensor) else { return tellings };
    let group = |(listener, sensors): (Listener, Vec<String>)| {
        let data = Map::from_iter([
            ("count".to_owned(), Value::from(sensors.len())),
            ("sensors".to_owned(), sensors.into_iter().take(NAMED_MAX).collect()),
        ]);
        let to = vec![listener];
        Telling { sensor: first, kind: Kind::Group, what: "sensor.lost", at: cx.wall, data, clients: 1, to }
    };
    tellings.extend(lost.into_values().map(group));
    tellings
}
