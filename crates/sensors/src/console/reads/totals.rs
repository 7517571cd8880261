//! How much there is; nothing is counted beyond 10,000.

use base::{OpResult, Sql, Tx, Wall, args};
use kernel::Query;

use crate::figures;

pub(in super::super) static TOTALS: Query<Wall, Totals> = Query::new("sensor.totals", totals);

/// What there is.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct Totals {
    pub(in super::super) sensors: i64,
    pub(in super::super) lost: i64,
    pub(in super::super) unknown: i64,
    pub(in super::super) waiting: i64,
}

pub(super) static UNKNOWN: Sql = Sql::new(
    "sensor_unknown.count_all",
    "SELECT COUNT(*) FROM (SELECT id FROM sensor_unknown ORDER BY id LIMIT 10000) AS counted",
);

fn totals(tx: &mut dyn Tx, now: &Wall) -> OpResult<Totals> {
    let unknown = tx.query_one(&UNKNOWN, args![])?.map_or(0, |row| row.int(0));
    let sensors = figures::sensors(tx, *now)?;
    Ok(Totals { sensors, unknown, lost: figures::lost(tx, *now)?, waiting: figures::waiting(tx, *now)? })
}
