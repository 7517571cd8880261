//! Many lost at once, a gateway or a building, may be told to a client as one (SEN-13).

use std::collections::BTreeMap;

use base::{OpResult, Tx};
use kernel::OpCx;
use serde_json::{Map, Value};

use crate::notify::{Told, has_notice};
use crate::telling::{Kind, Listener, Telling};

/// Takes clients that want so out of the single tellings and adds one for each of them. A sensor of which the client is still to be told
/// something stays single: so that the newer supersedes the older, or waits for it.
pub(super) fn grouped(tx: &mut dyn Tx, cx: &OpCx<'_>, mut tellings: Vec<Telling>) -> OpResult<Vec<Telling>> {
    let mut lost: BTreeMap<String, (Listener, Vec<String>)> = BTreeMap::new();
    for telling in &tellings {
        for listener in telling.to.iter().filter(|listener| listener.group_lost > 0) {
            if has_notice(tx, &Told::new(telling, &listener.id, 0))? {
                continue;
            }
            let of = lost.entry(listener.id.clone()).or_insert_with(|| (listener.clone(), vec![]));
            of.1.push(telling.sensor.to_string());
        }
    }
    lost.retain(|_, (listener, sensors)| sensors.len() >= listener.group_lost);
    for telling in &mut tellings {
        let sensor = telling.sensor.to_string();
        telling.to.retain(|listener| !lost.get(&listener.id).is_some_and(|(_, sensors)| sensors.contains(&sensor)));
    }
    let Some(first) = tellings.first().map(|telling| telling.sensor) else { return Ok(tellings) };
    let group = |(listener, sensors): (Listener, Vec<String>)| {
        let data = Map::from_iter([
            ("count".to_owned(), Value::from(sensors.len())),
            ("sensors".to_owned(), sensors.into_iter().collect()),
        ]);
        let to = vec![listener];
        Telling { sensor: first, kind: Kind::Group, what: "sensor.lost", at: cx.wall, data, clients: 1, to }
    };
    tellings.extend(lost.into_values().map(group));
    Ok(tellings)
}
