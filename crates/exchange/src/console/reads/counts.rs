//! How much there is; nothing is counted beyond a bound.

use base::{OpResult, Row, Sql, Tx, args};
use kernel::Query;

use crate::folders::FOLDERS;

/// What there is in all.
pub(in super::super) static TOTALS: Query<(), Totals> = Query::new("exchange.page_totals", totals);
/// Messages in each folder of a database, in the order of [`FOLDERS`].
pub(in super::super) static FOLDER_COUNTS: Query<String, [i64; 5]> = Query::new("exchange.page_folders", folders);
/// What each of these processes was given.
pub(in super::super) static GIVEN_COUNTS: Query<Vec<String>, Vec<GivenCount>> =
    Query::new("exchange.page_given", given);

/// Where counting ends.
pub(in super::super) const COUNTED_MAX: i64 = 10_000;

/// What there is. The ledgers are those of the first databases only where there are very many.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct Totals {
    pub(in super::super) databases: i64,
    pub(in super::super) devices: i64,
    pub(in super::super) queued: i64,
    pub(in super::super) in_process: i64,
    pub(in super::super) error: i64,
    pub(in super::super) active: i64,
    /// Processes whose files cannot be moved.
    pub(in super::super) failed: i64,
    /// Processes of unknown outcome.
    pub(in super::super) unknown: i64,
}

/// The messages of a process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct GivenCount {
    pub(in super::super) given: i64,
    pub(in super::super) replies: i64,
    pub(in super::super) errors: i64,
}

pub(super) static DEVICES: Sql = Sql::new(
    "exc_device.count_some",
    "SELECT COUNT(*) FROM (SELECT id FROM exc_device ORDER BY id LIMIT 10000) AS counted",
);
pub(super) static LEDGERS: Sql = Sql::new(
    "exc_database.sum_some",
    "SELECT COUNT(*), CAST(COALESCE(SUM(queued), 0) AS BIGINT), CAST(COALESCE(SUM(in_process), 0) AS BIGINT), \
     CAST(COALESCE(SUM(error), 0) AS BIGINT) FROM (SELECT queued, in_process, error FROM exc_database ORDER BY id LIMIT 10000) AS counted",
);
pub(super) static PROCESSES: Sql = Sql::new(
    "exc_process.count_some",
    "SELECT COUNT(*) FROM (SELECT id FROM exc_process WHERE state = ?1 ORDER BY id LIMIT 10000) AS counted",
);
pub(super) static IN_FOLDER: Sql = Sql::new(
    "exc_message.count_some",
    "SELECT COUNT(*) FROM (SELECT number FROM exc_message WHERE db = ?1 AND place = ?2 ORDER BY at, ord, number LIMIT 10000) AS counted",
);
pub(super) static GIVEN: Sql = Sql::new(
    "exc_given.count",
    "SELECT COUNT(CASE WHEN reply = 0 THEN 1 END), COUNT(CASE WHEN reply = 1 THEN 1 END), \
     COUNT(CASE WHEN result = 'PROCESSED_INCORRECT' THEN 1 END) FROM exc_given WHERE process = ?1",
);

fn totals(tx: &mut dyn Tx, (): &()) -> OpResult<Totals> {
    let first = |row: Option<Row>| row.map_or(0, |row| row.int(0));
    let mut sum = Totals { devices: first(tx.query_one(&DEVICES, args![])?), ..Totals::default() };
    if let Some(row) = tx.query_one(&LEDGERS, args![])? {
        (sum.databases, sum.queued, sum.in_process, sum.error) = (row.int(0), row.int(1), row.int(2), row.int(3));
    }
    for state in ["STARTED", "READY_TO_COMMIT", "CLEANUP"] {
        sum.active += first(tx.query_one(&PROCESSES, args![state])?);
    }
    sum.failed = first(tx.query_one(&PROCESSES, args!["FAILED"])?);
    sum.unknown = first(tx.query_one(&PROCESSES, args!["UNKNOWN"])?);
    Ok(sum)
}

fn folders(tx: &mut dyn Tx, db: &String) -> OpResult<[i64; 5]> {
    let mut counts = [0; 5];
    for ((place, _), count) in FOLDERS.iter().zip(&mut counts) {
        *count = tx.query_one(&IN_FOLDER, args![db, *place])?.map_or(0, |row| row.int(0));
    }
    Ok(counts)
}

fn given(tx: &mut dyn Tx, processes: &Vec<String>) -> OpResult<Vec<GivenCount>> {
    let mut counts = Vec::with_capacity(processes.len());
    for process in processes {
        let row = tx.query_one(&GIVEN, args![process])?;
        let read = |row: Row| GivenCount { given: row.int(0), replies: row.int(1), errors: row.int(2) };
        counts.push(row.map(read).unwrap_or_default());
    }
    Ok(counts)
}
