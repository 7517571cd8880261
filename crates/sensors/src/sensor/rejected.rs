//! Lists signals that were rejected (SEN-2), newest first.

use base::{OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

/// A page of rejected signals.
pub static REJECTED_SIGNALS: Query<RejectedOf, Vec<RejectedView>> = Query::new("sensor.rejected", rejected);

/// Which page.
#[derive(Debug, Clone, Default)]
pub struct RejectedOf {
    /// Only those with a smaller number.
    pub before: Option<i64>,
    /// At most so many.
    pub limit: u32,
}

/// What came and was no signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RejectedView {
    /// Its number among all that were rejected.
    pub number: i64,
    /// When it came.
    #[schema(format = DateTime)]
    pub at: String,
    /// By which way.
    #[schema(example = "http")]
    pub source: String,
    /// What is wrong with it.
    pub reason: String,
    /// Its beginning, as it came.
    pub body: String,
}

macro_rules! columns {
    () => {
        "SELECT number, at, source, reason, body FROM sensor_rejected "
    };
}
pub(super) static LAST: Sql = Sql::new("sensor_rejected.last", concat!(columns!(), "ORDER BY number DESC LIMIT ?1"));
pub(super) static EARLIER: Sql =
    Sql::new("sensor_rejected.earlier", concat!(columns!(), "WHERE number < ?2 ORDER BY number DESC LIMIT ?1"));

fn rejected(tx: &mut dyn Tx, wanted: &RejectedOf) -> OpResult<Vec<RejectedView>> {
    let limit = wanted.limit as usize;
    let rows = match wanted.before {
        None => tx.query(&LAST, args![wanted.limit], limit)?,
        Some(before) => tx.query(&EARLIER, args![wanted.limit, before], limit)?,
    };
    Ok(rows.iter().map(read).collect())
}

fn read(row: &Row) -> RejectedView {
    let text = |column| row.text(column).to_owned();
    RejectedView { number: row.int(0), at: Wall(row.int(1)).rfc3339(), source: text(2), reason: text(3), body: text(4) }
}
