//! That signs of life are kept in Redis is durable: rows may be behind because of it.

use base::{OpResult, Sql, Tx, args};
use kernel::Op;

use super::COARSE_PART;
use crate::ear::{self, Listened};
use crate::limits::DURABLE_PART;

/// How much longer than it was said rows may have been left behind.
const SLACK_MS: i64 = 600_000;

/// Says that Redis is used now.
pub(crate) static USE: Op<(), ()> = Op::new("sensor.life_used", |tx, _, ()| {
    let now = ear::now(tx)?;
    Ok(tx.write(&PUT_USED, args![now])?)
});

pub(crate) static GET_USED: Sql = Sql::new("sensor_life.get", "SELECT used FROM sensor_life WHERE one = 1");
pub(crate) static PUT_USED: Sql = Sql::new(
    "sensor_life.put",
    "INSERT INTO sensor_life (one, used) VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET used = excluded.used",
);

/// When it was last said.
pub(crate) fn used(tx: &mut dyn Tx) -> OpResult<Option<Listened>> {
    Ok(tx.query_one(&GET_USED, args![])?.map(|row| Listened(row.int(0))))
}

/// Whether the row of a sensor of this silence may be a quarter of it behind.
pub(crate) fn is_coarse(used: Option<Listened>, now: Listened, silence_ms: i64) -> bool {
    let ms = silence_ms + silence_ms / DURABLE_PART + silence_ms / COARSE_PART + SLACK_MS;
    used.is_some_and(|used| used.plus_ms(ms) > now)
}
