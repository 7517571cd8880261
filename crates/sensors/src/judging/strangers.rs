//! Sensors that nobody registered, and signals that are none (SEN-2, SEN-3): remembered so that a person can see them, bounded, and in
//! nobody's way.

use base::{OpResult, Sql, Tx, args};
use kernel::OpCx;

use crate::limits::REMEMBERED_MAX;
use crate::signal::Signal;

pub(crate) static SAW_UNKNOWN: Sql = Sql::new(
    "sensor_unknown.saw",
    "UPDATE sensor_unknown SET last_at = ?2, count = count + 1, data = ?3 WHERE id = ?1",
);
pub(crate) static NEW_UNKNOWN: Sql = Sql::new(
    "sensor_unknown.put",
    "INSERT INTO sensor_unknown (id, first_at, last_at, count, data) VALUES (?1, ?2, ?2, 1, ?3) \
     ON CONFLICT (id) DO UPDATE SET last_at = ?2, count = sensor_unknown.count + 1, data = ?3",
);
pub(crate) static COUNT: Sql = Sql::new("sensor_count.get", "SELECT value FROM sensor_count WHERE name = ?1");
pub(crate) static PUT_COUNT: Sql = Sql::new(
    "sensor_count.put",
    "INSERT INTO sensor_count (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
);
pub(crate) static PUT_REJECTED: Sql = Sql::new(
    "sensor_rejected.put",
    "INSERT INTO sensor_rejected (slot, number, at, source, reason, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
     ON CONFLICT (slot) DO UPDATE SET number = ?2, at = ?3, source = ?4, reason = ?5, body = ?6",
);

/// Under which name unknown sensors are counted; whoever takes one out counts down.
pub(crate) const UNKNOWN: &str = "unknown";
/// Under which name rejected signals are numbered.
pub(crate) const REJECTED: &str = "rejected";

/// Remembers a signal of a sensor that nobody registered.
pub(crate) fn saw_unknown(tx: &mut dyn Tx, cx: &OpCx<'_>, signal: &Signal) -> OpResult<()> {
    let row = args![signal.sensor.as_str(), cx.wall, i64::from(signal.closed)];
    if tx.execute(&SAW_UNKNOWN, row)? == 0 {
        let known = counted(tx, UNKNOWN)?;
        if known < REMEMBERED_MAX {
            tx.write(&NEW_UNKNOWN, row)?;
            tx.write(&PUT_COUNT, args![UNKNOWN, known + 1])?;
        }
    }
    Ok(())
}

/// So many are unknown no more.
pub(crate) fn fewer_unknown(tx: &mut dyn Tx, count: i64) -> OpResult<()> {
    let known = counted(tx, UNKNOWN)? - count;
    Ok(tx.write(&PUT_COUNT, args![UNKNOWN, known.max(0)])?)
}

/// Remembers what is no signal, in place of the oldest one if there are many.
pub(crate) fn reject(tx: &mut dyn Tx, cx: &OpCx<'_>, source: &str, reason: &str, body: &str) -> OpResult<()> {
    let number = counted(tx, REJECTED)? + 1;
    tx.write(&PUT_COUNT, args![REJECTED, number])?;
    Ok(tx.write(&PUT_REJECTED, args![number % REMEMBERED_MAX, number, cx.wall, source, reason, body])?)
}

fn counted(tx: &mut dyn Tx, name: &str) -> OpResult<i64> {
    Ok(tx.query_one(&COUNT, args![name])?.map_or(0, |row| row.int(0)))
}
