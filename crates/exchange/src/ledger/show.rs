//! The ledger as it is shown: what was counted along, and what is there when everything is counted anew.

use std::collections::BTreeMap;

use base::{OpError, OpResult, Sql, Tx, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

use crate::codes::NPARTY;

/// The ledger of a database, compared with what is there. It counts along an index, beside the writer, never before it.
pub static LEDGER: Query<String, LedgerView> = Query::new("exchange.ledger", ledger);

/// The ledger of a database: received = queued + in process + log + error + unknown + removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ExchangeLedger)]
pub struct LedgerView {
    /// Of which database.
    pub db: String,
    /// Messages that came, to it and from it.
    pub received: i64,
    /// Those that wait.
    pub queued: i64,
    /// Those that a process has, files that are being moved included.
    pub in_process: i64,
    /// Those that are done.
    pub log: i64,
    /// Those that are wrong.
    pub error: i64,
    /// Those of which nobody knows whether they were processed.
    pub unknown: i64,
    /// Those that were done or wrong, and are not kept any more.
    pub removed: i64,
    /// All but the first together.
    pub sum: i64,
    /// Whether that is what was received, and each is what was counted anew.
    pub balances: bool,
    /// What is there, counted anew.
    pub counted: Counted,
}

/// Messages of a database, counted anew.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ExchangeLedgerCounted)]
pub struct Counted {
    /// Those that wait.
    pub queued: i64,
    /// Those that a process has.
    pub in_process: i64,
    /// Those that are done.
    pub log: i64,
    /// Those that are wrong.
    pub error: i64,
    /// Those of which nobody knows.
    pub unknown: i64,
}

pub(crate) static COLUMNS: Sql = Sql::new(
    "exc_database.ledger",
    "SELECT received, queued, in_process, log, error, unknown, removed FROM exc_database WHERE id = ?1",
);
/// Drafts and held ones included: what an index alone can tell.
pub(crate) static PLACES: Sql = Sql::new(
    "exc_message.places",
    "SELECT place, COUNT(*) FROM exc_message WHERE db = ?1 GROUP BY place ORDER BY place LIMIT 10",
);
pub(crate) static HELD: Sql = Sql::new(
    "exc_message.held_in",
    "SELECT m.place, m.draft, p.state, COUNT(*) FROM exc_process p JOIN exc_message m ON m.process = p.id \
     WHERE p.db = ?1 AND p.state IN ('STARTED', 'READY_TO_COMMIT', 'CLEANUP', 'FAILED', 'UNKNOWN') \
     GROUP BY m.place, m.draft, p.state ORDER BY m.place, m.draft, p.state LIMIT 100",
);

fn ledger(tx: &mut dyn Tx, db: &String) -> OpResult<LedgerView> {
    let absent = || OpError::new(NPARTY, format!("no database `{}`", kernel::watch::shown(db, 80)));
    let row = tx.query_one(&COLUMNS, args![db])?.ok_or_else(absent)?;
    let [received, queued, in_process, log, error, unknown, removed] = [0, 1, 2, 3, 4, 5, 6].map(|at| row.int(at));
    let sum = queued + in_process + log + error + unknown + removed;
    let counted = counted(tx, db)?;
    let balances = sum == received && counted == Counted { queued, in_process, log, error, unknown };
    Ok(LedgerView {
        db: db.clone(),
        received,
        queued,
        in_process,
        log,
        error,
        unknown,
        removed,
        sum,
        balances,
        counted,
    })
}

fn counted(tx: &mut dyn Tx, db: &str) -> OpResult<Counted> {
    let rows = tx.query(&PLACES, args![db], 10)?;
    let places: BTreeMap<&str, i64> = rows.iter().map(|row| (row.text(0), row.int(1))).collect();
    let held: Vec<Held> = tx.query(&HELD, args![db], 100)?.iter().map(Held::of).collect();
    Ok(add_up(&places, &held))
}

/// So many of a process in one state lie in one place.
struct Held {
    place: String,
    is_draft: bool,
    is_unknown: bool,
    many: i64,
}

impl Held {
    fn of(row: &base::Row) -> Self {
        let (is_draft, is_unknown) = (row.int(1) == 1, row.text(2) == "UNKNOWN");
        Self { place: row.text(0).to_owned(), is_draft, is_unknown, many: row.int(3) }
    }
}

/// What is held counts as in process, unless its process is unknown: then it counts where it lies. Drafts do not count yet.
fn add_up(places: &BTreeMap<&str, i64>, held: &[Held]) -> Counted {
    let sum = |what: &dyn Fn(&Held) -> bool| held.iter().filter(|held| what(held)).map(|held| held.many).sum::<i64>();
    let lies = |place: &str| places.get(place).copied().unwrap_or(0);
    let free =
        |place: &str| lies(place) - sum(&|held: &Held| held.place == place && (held.is_draft || !held.is_unknown));
    Counted {
        queued: free("messages"),
        in_process: sum(&|held: &Held| !held.is_draft && !held.is_unknown),
        log: free("log"),
        error: free("error"),
        unknown: free("unknown"),
    }
}
