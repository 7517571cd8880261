//! What there was to tell of one sensor lately, newest first.

use base::{OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;

/// What there was to tell of a sensor lately, to these clients.
pub(in super::super) static EVENTS_OF_SENSOR: Query<(String, Vec<String>), Vec<EventLine>> =
    Query::new("sensor.event_lines_of_sensor", of_sensor);

/// The last events of a client that are looked through for those of one sensor.
const LOOKED_AT: i64 = 200;
/// Clients of a sensor whose events are looked at.
const CLIENTS_MAX: usize = 20;
/// Events of a sensor that are shown.
const OF_SENSOR_MAX: usize = 20;

/// Something there was to tell.
#[derive(Debug, Clone)]
pub(in super::super) struct EventLine {
    pub(in super::super) client: String,
    pub(in super::super) seq: i64,
    /// The `webhook-id`.
    pub(in super::super) id: String,
    /// Empty where it tells of several.
    pub(in super::super) sensor: String,
    pub(in super::super) what: String,
    pub(in super::super) at: Wall,
    pub(in super::super) state: String,
    pub(in super::super) ended_at: Option<Wall>,
    pub(in super::super) superseded_by: Option<i64>,
}

pub(super) static OF_SENSOR: Sql = Sql::new(
    "sensor_event.lines_of_sensor",
    "SELECT client_id, seq, id, sensor_id, type, at, state, ended_at, superseded_by FROM (SELECT client_id, seq, id, \
     sensor_id, type, at, state, ended_at, superseded_by FROM sensor_event WHERE client_id = ?1 ORDER BY seq DESC \
     LIMIT ?3) AS latest WHERE sensor_id = ?2 ORDER BY seq DESC LIMIT ?4",
);

fn of_sensor(tx: &mut dyn Tx, (sensor, clients): &(String, Vec<String>)) -> OpResult<Vec<EventLine>> {
    let most = i64::try_from(OF_SENSOR_MAX).unwrap_or(i64::MAX);
    let mut rows = vec![];
    for client in clients.iter().take(CLIENTS_MAX) {
        rows.extend(tx.query(&OF_SENSOR, args![client, sensor, LOOKED_AT, most], OF_SENSOR_MAX)?);
    }
    rows.sort_by_key(|row| std::cmp::Reverse((row.int(5), row.int(1))));
    rows.truncate(OF_SENSOR_MAX);
    Ok(rows.iter().map(line).collect())
}

fn line(row: &Row) -> EventLine {
    EventLine {
        client: row.text(0).to_owned(),
        seq: row.int(1),
        id: row.text(2).to_owned(),
        sensor: row.text(3).to_owned(),
        what: row.text(4).to_owned(),
        at: Wall(row.int(5)),
        state: row.text(6).to_owned(),
        ended_at: row.opt_int(7).map(Wall),
        superseded_by: row.opt_int(8),
    }
}
