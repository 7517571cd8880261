//! Links a sensor to a client, and unlinks it. Both may be repeated. What was still to be told over a link that is gone ends by itself.

use base::{ContentionKey, Keys, OpError, OpResult, Sql, Tx, args, codes};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use crate::client::check_exists;
use crate::codes::NSENSOR;
use crate::id::SensorId;
use crate::limits::CLIENTS_PER_SENSOR_MAX;
use crate::telling::unlink_notices;

/// Links; a link that is there already stays.
pub static LINK: Op<Link, ()> = Op::new("sensor.link", |tx, cx, input| link(tx, cx, input).map(drop)).keyed(keys);
/// Unlinks; a link that is not there is no error.
pub static UNLINK: Op<Link, ()> = Op::new("sensor.unlink", unlink).keyed(keys);

/// Which link.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Link {
    /// The client.
    pub client: String,
    /// The sensor.
    pub sensor: SensorId,
}

/// What linking did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Linked {
    /// It is new.
    New,
    /// It was there already.
    Before,
}

pub(super) static SENSOR: Sql = Sql::new("sensor.exists", "SELECT id FROM sensor WHERE id = ?1");
pub(super) static EXISTS: Sql =
    Sql::new("sensor_link.exists", "SELECT linked_at FROM sensor_link WHERE sensor_id = ?1 AND client_id = ?2");
pub(super) static COUNT: Sql = Sql::new("sensor_link.count", "SELECT COUNT(*) FROM sensor_link WHERE sensor_id = ?1");
pub(super) static INSERT: Sql = Sql::new(
    "sensor_link.insert",
    "INSERT INTO sensor_link (sensor_id, client_id, linked_at) VALUES (?1, ?2, ?3) \
     ON CONFLICT (sensor_id, client_id) DO NOTHING",
);
pub(super) static DELETE: Sql =
    Sql::new("sensor_link.delete", "DELETE FROM sensor_link WHERE sensor_id = ?1 AND client_id = ?2");

fn keys(input: &Link) -> Keys {
    Keys::of(vec![ContentionKey::of("sensor", input.sensor.as_str())])
}

/// Links a sensor to a client, within an operation.
///
/// # Errors
/// `NSENSOR`, `NCLIENT`: one of them is not there; `ALIMIT`: the sensor has as many clients as it may.
pub(crate) fn link(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Link) -> OpResult<Linked> {
    let (sensor, client) = (input.sensor.as_str(), input.client.as_str());
    check_exists(tx, client)?;
    if tx.query_one(&SENSOR, args![sensor])?.is_none() {
        return Err(OpError::new(NSENSOR, format!("no sensor {sensor} is registered")));
    }
    if tx.query_one(&EXISTS, args![sensor, client])?.is_some() {
        return Ok(Linked::Before);
    }
    let count = tx.query_one(&COUNT, args![sensor])?.map_or(0, |row| row.int(0));
    if count >= i64::try_from(CLIENTS_PER_SENSOR_MAX).unwrap_or(i64::MAX) {
        let text = format!("sensor {sensor} has {count} clients, at most {CLIENTS_PER_SENSOR_MAX}");
        return Err(OpError::new(codes::ALIMIT, text));
    }
    tx.write(&INSERT, args![sensor, client, cx.wall])?;
    Ok(Linked::New)
}

fn unlink(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Link) -> OpResult<()> {
    check_exists(tx, &input.client)?;
    unlink_notices(tx, cx, input.sensor.as_str(), &input.client)?;
    Ok(tx.write(&DELETE, args![input.sensor.as_str(), &input.client])?)
}
