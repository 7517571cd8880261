//! What folders show of themselves on the overview of a namespace, and what of them is stuck. Nothing is counted beyond 10,000.

use base::{Sql, StoreResult, Tx, Wall, args};
use kernel::Stuck;

/// Somebody looks every second.
const GRACE_MS: i64 = 60_000;
/// Rows of one kind.
const STUCK_MAX: usize = 100;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&DIRECTORIES, &WRITING, &LATE_SEATS, &LATE_UPLOADS];

static DIRECTORIES: Sql = Sql::new(
    "fld_directory.count",
    "SELECT COUNT(*) FROM (SELECT id FROM fld_directory WHERE gone = 0 ORDER BY id LIMIT 10000) AS counted",
);
static WRITING: Sql =
    Sql::new("fld_upload.count", "SELECT COUNT(*) FROM (SELECT id FROM fld_upload ORDER BY id LIMIT 10000) AS counted");
static LATE_SEATS: Sql =
    Sql::new("fld_seat.stuck", "SELECT place, until FROM fld_seat WHERE until <= ?1 ORDER BY until, place LIMIT 100");
static LATE_UPLOADS: Sql =
    Sql::new("fld_upload.stuck", "SELECT id, until FROM fld_upload WHERE until <= ?1 ORDER BY until, id LIMIT 100");

pub(crate) fn directories(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    Ok(tx.query_one(&DIRECTORIES, args![])?.map_or(0, |row| row.int(0)))
}

pub(crate) fn writing(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    Ok(tx.query_one(&WRITING, args![])?.map_or(0, |row| row.int(0)))
}

/// Seats whose time is over, and nobody left them.
pub(crate) fn late_seats(tx: &mut dyn Tx, _: Wall) -> StoreResult<Vec<Stuck>> {
    late(tx, &LATE_SEATS, "its time is over, and nobody left it")
}

/// Uploads whose time is over, and nobody rolled them back.
pub(crate) fn late_uploads(tx: &mut dyn Tx, _: Wall) -> StoreResult<Vec<Stuck>> {
    late(tx, &LATE_UPLOADS, "its client is silent, and nobody rolled it back")
}

fn late(tx: &mut dyn Tx, sql: &'static Sql, reason: &str) -> StoreResult<Vec<Stuck>> {
    let now = tx.heard();
    let rows = tx.query(sql, args![now.plus_ms(-GRACE_MS)], STUCK_MAX)?;
    let stuck = |row: &base::Row| Stuck {
        subject: row.text(0).to_owned(),
        reason: reason.to_owned(),
        overdue_ms: now.0 - row.int(1),
    };
    Ok(rows.iter().map(stuck).collect())
}
