//! History in the store itself.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args, codes};
use kernel::Query;

use super::question::{Question, SENSORS_MAX, Tries, Which};
use super::row::{HistoryRow, TryRow};
use crate::id::SensorId;

/// Tries of one page of events.
const TRIES_MAX: usize = 50_000;

/// The store's part of an answer.
pub(super) static HISTORY: Query<Question, Vec<HistoryRow>> = Query::new("sensor.history", history);
/// The store's part of the tries.
pub(super) static TRIES: Query<Tries, Vec<TryRow>> = Query::new("sensor.tries", tries);

macro_rules! columns {
    () => {
        "SELECT id, sensor_id, address, data, previous, changed, at, taken_at FROM sensor_history "
    };
}

pub(crate) static HISTORY_OF_ALL: Sql = Sql::new(
    "sensor_history.of_all",
    concat!(
        columns!(),
        "WHERE at >= ?1 AND (at, id) < (?2, ?3) AND substr(address, 1, ?4) = ?5 ORDER BY at DESC, id DESC LIMIT ?6"
    ),
);
pub(crate) static HISTORY_OF_SENSOR: Sql = Sql::new(
    "sensor_history.of_sensor",
    concat!(
        columns!(),
        "WHERE sensor_id = ?7 AND at >= ?1 AND (at, id) < (?2, ?3) AND substr(address, 1, ?4) = ?5 \
         ORDER BY at DESC, id DESC LIMIT ?6"
    ),
);
pub(crate) static HISTORY_OF_CLIENT: Sql = Sql::new(
    "sensor_history.of_client",
    concat!(
        columns!(),
        "WHERE sensor_id IN (SELECT sensor_id FROM sensor_link WHERE client_id = ?7) AND at >= ?1 AND (at, id) < (?2, ?3) \
         AND substr(address, 1, ?4) = ?5 ORDER BY at DESC, id DESC LIMIT ?6"
    ),
);
pub(crate) static SENSORS_OF: Sql = Sql::new(
    "sensor_link.sensors_of",
    "SELECT sensor_id FROM sensor_link WHERE client_id = ?1 ORDER BY sensor_id LIMIT ?2",
);
pub(crate) static TRIES_OF: Sql = Sql::new(
    "sensor_attempt.of_events",
    "SELECT client_id, seq, number, at, status, latency_ms, error FROM sensor_attempt \
     WHERE client_id = ?1 AND seq >= ?2 AND seq <= ?3 ORDER BY seq, number",
);

fn history(tx: &mut dyn Tx, question: &Question) -> OpResult<Vec<HistoryRow>> {
    let (at, id) = question.below();
    let length = i64::try_from(question.address.chars().count()).unwrap_or(i64::MAX);
    let (from, address, limit) = (question.first_ms(), question.address.as_str(), question.limit);
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let rows = match &question.which {
        Which::All => tx.query(&HISTORY_OF_ALL, args![from, at, id, length, address, limit], most)?,
        Which::Sensor(sensor) => {
            tx.query(&HISTORY_OF_SENSOR, args![from, at, id, length, address, limit, sensor.as_str()], most)?
        }
        Which::Client(client) => {
            tx.query(&HISTORY_OF_CLIENT, args![from, at, id, length, address, limit, client], most)?
        }
    };
    Ok(rows.iter().map(row_of).collect())
}

/// The sensors that are meant; `None`: all.
pub(super) static SENSORS: Query<Which, Option<Vec<SensorId>>> = Query::new("sensor.history_sensors", sensors);

fn sensors(tx: &mut dyn Tx, which: &Which) -> OpResult<Option<Vec<SensorId>>> {
    match which {
        Which::All => Ok(None),
        Which::Sensor(sensor) => Ok(Some(vec![*sensor])),
        Which::Client(client) => sensors_of(tx, client).map(Some),
    }
}

fn sensors_of(tx: &mut dyn Tx, client: &str) -> OpResult<Vec<SensorId>> {
    let limit = i64::try_from(SENSORS_MAX + 1).unwrap_or(i64::MAX);
    let rows = tx.query(&SENSORS_OF, args![client, limit], SENSORS_MAX + 1)?;
    if rows.len() > SENSORS_MAX {
        let message = format!("client {client} has more than {SENSORS_MAX} sensors: ask by sensor or by address");
        return Err(OpError::new(codes::ALIMIT, message));
    }
    rows.iter().map(|row| SensorId::given(row.text(0))).collect()
}

/// A row of `columns!`.
pub(crate) fn row_of(row: &Row) -> HistoryRow {
    HistoryRow {
        id: row.id(0),
        sensor_id: row.text(1).to_owned(),
        address: row.text(2).to_owned(),
        data: row.int(3),
        previous: row.opt_int(4),
        changed: row.int(5) == 1,
        at: Wall(row.int(6)),
        taken_at: Wall(row.int(7)),
    }
}

fn tries(tx: &mut dyn Tx, tries: &Tries) -> OpResult<Vec<TryRow>> {
    let rows = tx.query(&TRIES_OF, args![&tries.client_id, tries.first_seq, tries.last_seq], TRIES_MAX)?;
    Ok(rows.iter().map(try_of).collect())
}

/// A row of the columns of `TRIES_OF`.
pub(crate) fn try_of(row: &Row) -> TryRow {
    TryRow {
        client_id: row.text(0).to_owned(),
        seq: row.int(1),
        number: row.int(2),
        at: Wall(row.int(3)),
        status: row.opt_int(4),
        latency_ms: row.opt_int(5),
        error: row.opt_text(6).map(str::to_owned),
    }
}
