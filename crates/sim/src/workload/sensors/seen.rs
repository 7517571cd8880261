//! What is committed of sensors, in the judge's own words.

use std::collections::BTreeMap;

use base::{Row, Sql, StoreResult, Tx, args};

/// A sensor as it is stored.
#[derive(Debug, Clone)]
pub(super) struct Sensor {
    pub(super) data: Option<bool>,
    pub(super) changes: i64,
    pub(super) lost: bool,
}

/// A row of history: what changed to what, and when.
#[derive(Debug, Clone)]
pub(super) struct Past {
    pub(super) sensor: String,
    pub(super) data: bool,
    pub(super) previous: Option<bool>,
    pub(super) at: i64,
}

/// An event as it is stored.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) client: String,
    pub(super) seq: i64,
    pub(super) sensor: String,
    pub(super) kind: String,
    pub(super) what: String,
    pub(super) body: String,
    pub(super) state: String,
    pub(super) tries: i64,
    pub(super) superseded_by: Option<i64>,
}

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Committed {
    pub(super) sensors: BTreeMap<String, Sensor>,
    pub(super) history: Vec<Past>,
    pub(super) events: Vec<Event>,
}

static SENSORS: Sql =
    Sql::new("sim.sensors", "SELECT id, data, changes, lost_since IS NOT NULL FROM sensor ORDER BY id LIMIT 1000");
static HISTORY: Sql = Sql::new(
    "sim.sensor_history",
    "SELECT sensor_id, data, previous, at FROM sensor_history WHERE changed = 1 ORDER BY sensor_id, at, id LIMIT 9000",
);
static EVENTS: Sql = Sql::new(
    "sim.sensor_events",
    "SELECT client_id, seq, sensor_id, kind, type, body, state, tries, superseded_by FROM sensor_event \
     ORDER BY client_id, seq LIMIT 9000",
);
static COUNTS: Sql = Sql::new(
    "sim.sensor_counts",
    "SELECT (SELECT COUNT(*) FROM sensor_event WHERE state = 'waiting'), \
     (SELECT COUNT(*) FROM task WHERE op = 'sensor.notify'), (SELECT COUNT(*) FROM sensor_event), \
     (SELECT COUNT(*) FROM sensor_history), (SELECT COALESCE(SUM(tries), 0) FROM sensor_event)",
);

/// Events that wait, tasks that tell, and further numbers that differ whenever history or events do.
pub(super) fn counts(tx: &mut dyn Tx) -> StoreResult<[i64; 5]> {
    let row = tx.query_one(&COUNTS, args![])?;
    Ok(row.map_or([0; 5], |row| [0, 1, 2, 3, 4].map(|column| row.int(column))))
}

/// The sensors.
pub(super) fn sensors(tx: &mut dyn Tx) -> StoreResult<BTreeMap<String, Sensor>> {
    let sensor = |row: &Row| {
        let data = row.opt_int(1).map(|data| data == 1);
        (row.text(0).to_owned(), Sensor { data, changes: row.int(2), lost: row.int(3) == 1 })
    };
    Ok(tx.query(&SENSORS, args![], 1_000)?.iter().map(sensor).collect())
}

/// Everything.
pub(super) fn committed(tx: &mut dyn Tx) -> StoreResult<Committed> {
    let past = |row: &Row| Past {
        sensor: row.text(0).to_owned(),
        data: row.int(1) == 1,
        previous: row.opt_int(2).map(|data| data == 1),
        at: row.int(3),
    };
    let event = |row: &Row| Event {
        client: row.text(0).to_owned(),
        seq: row.int(1),
        sensor: row.text(2).to_owned(),
        kind: row.text(3).to_owned(),
        what: row.text(4).to_owned(),
        body: row.text(5).to_owned(),
        state: row.text(6).to_owned(),
        tries: row.int(7),
        superseded_by: row.opt_int(8),
    };
    Ok(Committed {
        sensors: sensors(tx)?,
        history: tx.query(&HISTORY, args![], 9_000)?.iter().map(past).collect(),
        events: tx.query(&EVENTS, args![], 9_000)?.iter().map(event).collect(),
    })
}
