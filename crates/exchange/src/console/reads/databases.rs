//! Databases with their ledgers, their counters and the process that is active.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;

use crate::codes::NPARTY;
use crate::process::ProcessState;

/// Databases after this one, so many.
pub(in super::super) static DATABASES: Query<(String, u32), Vec<DatabaseLine>> =
    Query::new("exchange.page_databases", page);
/// One database.
pub(in super::super) static DATABASE: Query<String, DatabaseLine> = Query::new("exchange.page_database", one);

/// A database.
#[derive(Debug, Clone)]
pub(in super::super) struct DatabaseLine {
    pub(in super::super) id: String,
    pub(in super::super) company: String,
    pub(in super::super) key: String,
    pub(in super::super) created_at: Wall,
    pub(in super::super) contact_at: Option<Wall>,
    pub(in super::super) received: i64,
    pub(in super::super) queued: i64,
    pub(in super::super) in_process: i64,
    pub(in super::super) log: i64,
    pub(in super::super) error: i64,
    pub(in super::super) unknown: i64,
    pub(in super::super) removed: i64,
    pub(in super::super) sent: i64,
    pub(in super::super) processed: i64,
    pub(in super::super) errors: i64,
    pub(in super::super) deadlocks: i64,
    pub(in super::super) bytes: i64,
    pub(in super::super) active: Option<Active>,
}

/// The process that a database is in.
#[derive(Debug, Clone)]
pub(in super::super) struct Active {
    pub(in super::super) id: String,
    pub(in super::super) state: ProcessState,
    /// When it came into this state.
    pub(in super::super) since: Wall,
}

macro_rules! databases {
    ($of:literal) => {
        concat!(
            "SELECT d.id, d.company, d.key_id, d.created_at, d.contact_at, d.received, d.queued, d.in_process, d.log, d.error, ",
            "d.unknown, d.removed, d.sent, d.processed, d.errors, d.deadlocks, d.bytes, p.id, p.state, ",
            "COALESCE(p.ready_at, p.started_at) FROM exc_database d LEFT JOIN exc_process p ON p.db = d.id ",
            "AND p.state IN ('STARTED', 'READY_TO_COMMIT', 'CLEANUP') WHERE ",
            $of
        )
    };
}
pub(super) static PAGE: Sql = Sql::new("exc_database.lines", databases!("d.id > ?1 ORDER BY d.id LIMIT ?2"));
pub(super) static ONE: Sql = Sql::new("exc_database.line", databases!("d.id = ?1"));

impl DatabaseLine {
    /// All that was received, added up by where it is.
    pub(in super::super) fn sum(&self) -> i64 {
        self.queued + self.in_process + self.log + self.error + self.unknown + self.removed
    }
}

fn page(tx: &mut dyn Tx, (after, limit): &(String, u32)) -> OpResult<Vec<DatabaseLine>> {
    Ok(tx.query(&PAGE, args![after, i64::from(*limit)], *limit as usize)?.iter().map(line).collect())
}

fn one(tx: &mut dyn Tx, id: &String) -> OpResult<DatabaseLine> {
    let absent = || OpError::new(NPARTY, format!("no database `{}`", kernel::watch::shown(id, 80)));
    tx.query_one(&ONE, args![id])?.as_ref().map(line).ok_or_else(absent)
}

fn line(row: &Row) -> DatabaseLine {
    let [id, company, key] = [0, 1, 2].map(|column| row.text(column).to_owned());
    let [received, queued, in_process, log, error, unknown, removed] = [5, 6, 7, 8, 9, 10, 11].map(|at| row.int(at));
    let [sent, processed, errors, deadlocks, bytes] = [12, 13, 14, 15, 16].map(|at| row.int(at));
    DatabaseLine {
        id,
        company,
        key,
        created_at: Wall(row.int(3)),
        contact_at: row.opt_int(4).map(Wall),
        received,
        queued,
        in_process,
        log,
        error,
        unknown,
        removed,
        sent,
        processed,
        errors,
        deadlocks,
        bytes,
        active: active(row),
    }
}

fn active(row: &Row) -> Option<Active> {
    let (id, state, since) = (row.opt_text(17)?, row.opt_text(18)?, row.opt_int(19)?);
    Some(Active { id: id.to_owned(), state: ProcessState::of_word(state), since: Wall(since) })
}
