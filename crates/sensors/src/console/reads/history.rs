//! What a sensor said within a span, newest first.

use base::{OpResult, Sql, Tx, Wall, args};
use kernel::Query;

pub(in super::super) static HISTORY: Query<HistoryOf, Vec<HistoryLine>> = Query::new("sensor.history_lines", history);

/// Of which sensor, and when.
#[derive(Debug, Clone)]
pub(in super::super) struct HistoryOf {
    pub(in super::super) sensor: String,
    /// Not before.
    pub(in super::super) from: Wall,
    /// At most so many.
    pub(in super::super) limit: u32,
}

/// Something that it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct HistoryLine {
    pub(in super::super) id: String,
    pub(in super::super) closed: bool,
    pub(in super::super) previous: Option<bool>,
    pub(in super::super) changed: bool,
    pub(in super::super) at: Wall,
    pub(in super::super) taken_at: Wall,
}

pub(super) static WITHIN: Sql = Sql::new(
    "sensor_history.lines",
    "SELECT id, data, previous, changed, at, taken_at FROM sensor_history WHERE sensor_id = ?1 AND at >= ?2 \
     ORDER BY at DESC, id DESC LIMIT ?3",
);

fn history(tx: &mut dyn Tx, wanted: &HistoryOf) -> OpResult<Vec<HistoryLine>> {
    let rows = tx.query(&WITHIN, args![&wanted.sensor, wanted.from, wanted.limit], wanted.limit as usize)?;
    let line = |row: &base::Row| HistoryLine {
        id: row.text(0).to_owned(),
        closed: row.int(1) == 1,
        previous: row.opt_int(2).map(|data| data == 1),
        changed: row.int(3) == 1,
        at: Wall(row.int(4)),
        taken_at: Wall(row.int(5)),
    };
    Ok(rows.iter().map(line).collect())
}
