//! Signals that were none, newest first.

use base::{OpResult, Sql, Tx, Wall, args};
use kernel::Query;

pub(in super::super) static REJECTED: Query<RejectedOf, Vec<Rejected>> = Query::new("sensor.rejected_lines", rejected);

/// Which page.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct RejectedOf {
    /// Only numbers below this one.
    pub(in super::super) before: i64,
    /// At most so many.
    pub(in super::super) limit: u32,
}

/// What was no signal.
#[derive(Debug, Clone)]
pub(in super::super) struct Rejected {
    pub(in super::super) number: i64,
    pub(in super::super) at: Wall,
    pub(in super::super) source: String,
    pub(in super::super) reason: String,
    pub(in super::super) body: String,
}

pub(super) static BEFORE: Sql = Sql::new(
    "sensor_rejected.lines",
    "SELECT number, at, source, reason, body FROM sensor_rejected WHERE number < ?1 ORDER BY number DESC LIMIT ?2",
);

fn rejected(tx: &mut dyn Tx, wanted: &RejectedOf) -> OpResult<Vec<Rejected>> {
    let rows = tx.query(&BEFORE, args![wanted.before, wanted.limit], wanted.limit as usize)?;
    let line = |row: &base::Row| Rejected {
        number: row.int(0),
        at: Wall(row.int(1)),
        source: row.text(2).to_owned(),
        reason: row.text(3).to_owned(),
        body: row.text(4).to_owned(),
    };
    Ok(rows.iter().map(line).collect())
}
