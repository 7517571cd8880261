//! How much there is; nothing is counted beyond a bound.

use base::{OpResult, Sql, Tx, Wall, args};
use kernel::Query;

use crate::figures;

pub(in super::super) static TOTALS: Query<Wall, Totals> = Query::new("sensor.totals", totals);

/// Where the counting of sensors ends.
pub(in super::super) const SENSORS_MAX: i64 = 100_000;

/// What there is.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct Totals {
    pub(in super::super) sensors: i64,
    pub(in super::super) lost: i64,
    pub(in super::super) unknown: i64,
    pub(in super::super) waiting: i64,
}

pub(super) static SENSORS: Sql =
    Sql::new("sensor.count_all", "SELECT COUNT(*) FROM (SELECT id FROM sensor ORDER BY id LIMIT 100000) AS counted");
pub(super) static UNKNOWN: Sql = Sql::new(
    "sensor_unknown.count_all",
    "SELECT COUNT(*) FROM (SELECT id FROM sensor_unknown ORDER BY id LIMIT 10000) AS counted",
);

fn totals(tx: &mut dyn Tx, now: &Wall) -> OpResult<Totals> {
    let mut count = |sql| tx.query_one(sql, args![]).map(|row| row.map_or(0, |row| row.int(0)));
    let (sensors, unknown) = (count(&SENSORS)?, count(&UNKNOWN)?);
    Ok(Totals { sensors, unknown, lost: figures::lost(tx, *now)?, waiting: figures::waiting(tx, *now)? })
}
