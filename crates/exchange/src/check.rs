//! What must hold after every commit.

use base::{Sql, StoreResult, Tx, args};
use kernel::{Invariant, Violation};

/// All of them.
pub(crate) static INVARIANTS: [Invariant; 7] = [
    Invariant { name: "the ledger of a database is the count of its messages", check: ledger },
    Invariant { name: "who holds a message has it in its list", check: held },
    Invariant { name: "a process that is being cleaned up waits for a file", check: waiting },
    Invariant { name: "what can be given has its text", check: texts },
    Invariant { name: "what is packed is at rest, is not in the store, and its pack is referred to", check: packed },
    Invariant { name: "a reply that is not out is held, or is to vanish", check: drafts },
    Invariant { name: "what may be committed has a result", check: results },
];

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&LEDGER, &HELD, &WAITING, &TEXTS, &PACKED, &DRAFTS, &RESULTS];

static LEDGER: Sql = Sql::new(
    "exc_database.check",
    "SELECT d.id, d.received - d.queued - d.in_process - d.log - d.error - d.unknown - d.removed, \
     d.queued - (SELECT COUNT(*) FROM exc_message m WHERE m.db = d.id AND m.draft = 0 AND m.place = 'messages' AND m.process IS NULL), \
     d.in_process - (SELECT COUNT(*) FROM exc_message m JOIN exc_process p ON p.id = m.process \
     WHERE m.db = d.id AND m.draft = 0 AND p.state <> 'UNKNOWN'), \
     d.log - (SELECT COUNT(*) FROM exc_message m WHERE m.db = d.id AND m.draft = 0 AND m.place = 'log' AND m.process IS NULL), \
     d.error - (SELECT COUNT(*) FROM exc_message m WHERE m.db = d.id AND m.draft = 0 AND m.place = 'error' \
     AND NOT EXISTS (SELECT 1 FROM exc_process p WHERE p.id = m.process AND p.state <> 'UNKNOWN')), \
     d.unknown - (SELECT COUNT(*) FROM exc_message m WHERE m.db = d.id AND m.draft = 0 AND m.place = 'unknown') \
     FROM exc_database d ORDER BY d.id LIMIT 1000",
);
static HELD: Sql = Sql::new(
    "exc_message.check_held",
    "SELECT m.number, m.process FROM exc_message m WHERE m.process IS NOT NULL AND NOT EXISTS (SELECT 1 FROM exc_process p \
     WHERE p.id = m.process AND p.state <> 'ENDED' AND (m.draft = 1 OR EXISTS (SELECT 1 FROM exc_given g \
     WHERE g.process = p.id AND g.number = m.number))) ORDER BY m.number LIMIT 10",
);

static WAITING: Sql = Sql::new(
    "exc_process.check_waiting",
    "SELECT p.id FROM exc_process p WHERE p.state IN ('CLEANUP', 'FAILED') AND NOT EXISTS (SELECT 1 FROM exc_message m \
     WHERE m.process = p.id AND m.due IS NOT NULL) ORDER BY p.id LIMIT 10",
);
static TEXTS: Sql = Sql::new(
    "exc_message.check_texts",
    "SELECT m.number, m.place FROM exc_message m WHERE (m.place IN ('messages', 'prepared', 'unknown') \
     OR m.place IN ('log', 'error') AND m.on_disk IS NULL) \
     AND NOT EXISTS (SELECT 1 FROM exc_body b WHERE b.number = m.number) \
     AND NOT EXISTS (SELECT 1 FROM exc_packed p WHERE p.number = m.number) ORDER BY m.number LIMIT 10",
);
static PACKED: Sql = Sql::new(
    "exc_packed.check",
    "SELECT p.number FROM exc_packed p WHERE NOT EXISTS (SELECT 1 FROM exc_message m WHERE m.number = p.number \
     AND m.place IN ('log', 'unknown', 'error') AND m.process IS NULL) \
     OR EXISTS (SELECT 1 FROM exc_body b WHERE b.number = p.number) \
     OR NOT EXISTS (SELECT 1 FROM blob_ref r WHERE r.sha = p.sha AND r.owner_kind = 'exchange.pack' AND r.owner_id = p.sha) \
     ORDER BY p.number LIMIT 10",
);

static DRAFTS: Sql = Sql::new(
    "exc_message.check_drafts",
    "SELECT number FROM exc_message WHERE draft = 1 AND process IS NULL AND place <> 'gone' ORDER BY number LIMIT 10",
);
static RESULTS: Sql = Sql::new(
    "exc_message.check_results",
    "SELECT m.number, p.id FROM exc_process p JOIN exc_message m ON m.process = p.id \
     WHERE p.state IN ('READY_TO_COMMIT', 'CLEANUP', 'FAILED', 'UNKNOWN') AND m.draft = 0 AND m.result IS NULL \
     ORDER BY m.number LIMIT 10",
);

fn drafts(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&DRAFTS, args![], 10)?;
    Ok(rows.iter().map(|row| Violation(format!("reply {} is held by nobody", row.int(0)))).collect())
}

fn results(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&RESULTS, args![], 10)?;
    Ok(rows.iter().map(|row| Violation(format!("message {} of {} has no result", row.int(0), row.text(1)))).collect())
}

fn waiting(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&WAITING, args![], 10)?;
    Ok(rows.iter().map(|row| Violation(format!("process {} waits for nothing", row.text(0)))).collect())
}

fn texts(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&TEXTS, args![], 10)?;
    Ok(rows.iter().map(|row| Violation(format!("message {} in {} has no text", row.int(0), row.text(1)))).collect())
}

fn packed(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&PACKED, args![], 10)?;
    Ok(rows.iter().map(|row| Violation(format!("message {} is packed as it must not be", row.int(0)))).collect())
}

fn ledger(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&LEDGER, args![], 1_000)?;
    let wrong = rows.iter().filter(|row| (1..7).any(|column| row.int(column) != 0));
    let tell = |row: &base::Row| {
        let differences: Vec<i64> = (1..7).map(|column| row.int(column)).collect();
        Violation(format!(
            "database {}: sum, queued, in process, log, error, unknown are off by {differences:?}",
            row.text(0)
        ))
    };
    Ok(wrong.map(tell).collect())
}

fn held(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&HELD, args![], 10)?;
    Ok(rows.iter().map(|row| Violation(format!("message {} is held by {}", row.int(0), row.text(1)))).collect())
}
