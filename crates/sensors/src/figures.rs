//! What sensors show on the overview of a namespace; nothing is counted beyond 10,000.

use base::{Sql, StoreResult, Tx, Wall, args};

pub(crate) static SENSORS: Sql =
    Sql::new("sensor.count", "SELECT COUNT(*) FROM (SELECT id FROM sensor ORDER BY id LIMIT 10000) AS counted");
pub(crate) static LOST: Sql = Sql::new(
    "sensor.count_lost",
    "SELECT COUNT(*) FROM (SELECT id FROM sensor WHERE lost_since IS NOT NULL ORDER BY lost_since, id LIMIT 10000) AS counted",
);
pub(crate) static WAITING: Sql = Sql::new(
    "sensor_notice.count",
    "SELECT COUNT(*) FROM (SELECT seq FROM sensor_notice ORDER BY next_at, sensor_id LIMIT 10000) AS counted",
);

pub(crate) fn sensors(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    count(tx, &SENSORS)
}

pub(crate) fn lost(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    count(tx, &LOST)
}

pub(crate) fn waiting(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    count(tx, &WAITING)
}

fn count(tx: &mut dyn Tx, sql: &'static Sql) -> StoreResult<i64> {
    Ok(tx.query_one(sql, args![])?.map_or(0, |row| row.int(0)))
}
