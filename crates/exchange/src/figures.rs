//! What the exchange shows of itself on the overview of a namespace, and what of it is stuck. Nothing is counted beyond 10,000.

use base::{Sql, StoreResult, Tx, Wall, args};
use kernel::Stuck;

/// Processes are looked at every ten seconds.
const PROCESS_GRACE_MS: i64 = 60_000;
/// What the clerk could not bring is put off by a minute; what nobody looks at is not.
const FILE_GRACE_MS: i64 = 180_000;
/// Rows of one kind.
const STUCK_MAX: usize = 100;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&ACTIVE, &UNKNOWN, &QUEUED, &RECEIVED, &LATE_PROCESSES, &LATE_FILES];

static ACTIVE: Sql = Sql::new(
    "exc_process.count_active",
    "SELECT COUNT(*) FROM (SELECT id FROM exc_process WHERE state IN ('STARTED', 'READY_TO_COMMIT', 'CLEANUP') ORDER BY id LIMIT 10000) AS counted",
);
static UNKNOWN: Sql = Sql::new(
    "exc_process.count_unknown",
    "SELECT COUNT(*) FROM (SELECT id FROM exc_process WHERE state = 'UNKNOWN' ORDER BY id LIMIT 10000) AS counted",
);
/// Counted along by each database.
static QUEUED: Sql = Sql::new(
    "exc_database.count_queued",
    "SELECT CAST(COALESCE(SUM(queued), 0) AS BIGINT) FROM (SELECT queued FROM exc_database ORDER BY id LIMIT 10000) AS counted",
);
static RECEIVED: Sql = Sql::new(
    "exc_database.count_received",
    "SELECT CAST(COALESCE(SUM(received), 0) AS BIGINT) FROM (SELECT received FROM exc_database ORDER BY id LIMIT 10000) AS counted",
);
static LATE_PROCESSES: Sql = Sql::new(
    "exc_process.stuck",
    "SELECT id, state, until FROM exc_process WHERE until IS NOT NULL AND until <= ?1 ORDER BY until, id LIMIT ?2",
);
/// As long as somebody tries to pack, nothing is forgotten: the blobs are away.
static LATE_FILES: Sql = Sql::new(
    "exc_message.stuck",
    "SELECT number, place, due FROM exc_message WHERE due IS NOT NULL AND due <= ?1 \
     AND NOT EXISTS (SELECT 1 FROM exc_count c WHERE c.name = 'packs_tried' AND c.value > ?1) ORDER BY due, number LIMIT ?2",
);

pub(crate) fn active(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    count(tx, &ACTIVE)
}

pub(crate) fn unknown(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    count(tx, &UNKNOWN)
}

pub(crate) fn queued(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    count(tx, &QUEUED)
}

pub(crate) fn received(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    count(tx, &RECEIVED)
}

fn count(tx: &mut dyn Tx, sql: &'static Sql) -> StoreResult<i64> {
    Ok(tx.query_one(sql, args![])?.map_or(0, |row| row.int(0)))
}

/// Processes that should have ended, or become unknown, by themselves.
pub(crate) fn late_processes(tx: &mut dyn Tx, _: Wall) -> StoreResult<Vec<Stuck>> {
    late(tx, &LATE_PROCESSES, PROCESS_GRACE_MS, |row| {
        (row.text(0).to_owned(), format!("process is {} for too long, and nobody ended it", row.text(1)))
    })
}

/// Messages whose texts nobody brought to their folders or packs.
pub(crate) fn late_files(tx: &mut dyn Tx, _: Wall) -> StoreResult<Vec<Stuck>> {
    late(tx, &LATE_FILES, FILE_GRACE_MS, |row| {
        (
            row.int(0).to_string(),
            format!("the text of the message was not brought to where it belongs in {}", row.text(1)),
        )
    })
}

fn late(
    tx: &mut dyn Tx,
    sql: &'static Sql,
    grace_ms: i64,
    told: fn(&base::Row) -> (String, String),
) -> StoreResult<Vec<Stuck>> {
    let now = tx.heard();
    let most = i64::try_from(STUCK_MAX).unwrap_or(i64::MAX);
    let rows = tx.query(sql, args![now.plus_ms(-grace_ms), most], STUCK_MAX)?;
    let stuck = |row: &base::Row| {
        let (subject, reason) = told(row);
        Stuck { subject, reason, overdue_ms: now.0 - row.int(2) }
    };
    Ok(rows.iter().map(stuck).collect())
}
