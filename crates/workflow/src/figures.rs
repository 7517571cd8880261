//! What the workflow shows of itself on the overview of a namespace, and what of it is stuck. Nothing is counted beyond 10,000.

use base::{Sql, StoreResult, Tx, Wall, args};
use kernel::Stuck;

/// Decisions are looked at several times a second.
const DECISION_GRACE_MS: i64 = 60_000;
/// Graphs and processes every few seconds, beginning a minute after the start.
const PROCESS_GRACE_MS: i64 = 300_000;
/// Rows of one kind.
const STUCK_MAX: usize = 100;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] =
    &[&OF_STATE, &PROCESSES, &WAITING, &LATE_DECISIONS, &LATE_GRAPHS, &LATE_PROCESSES];

static OF_STATE: Sql = Sql::new(
    "wfl_process.count_of_state",
    "SELECT COUNT(*) FROM (SELECT id FROM wfl_process WHERE state = ?1 AND state <> 'FINISHED' ORDER BY id LIMIT 10000) AS counted",
);
static PROCESSES: Sql = Sql::new(
    "wfl_process.count",
    "SELECT COUNT(*) FROM (SELECT id FROM wfl_process ORDER BY id LIMIT 10000) AS counted",
);
static WAITING: Sql = Sql::new(
    "wfl_queue.count",
    "SELECT COUNT(*) FROM (SELECT process FROM wfl_queue ORDER BY queue, at, process, number LIMIT 10000) AS counted",
);
static LATE_DECISIONS: Sql = Sql::new(
    "wfl_decision.stuck",
    "SELECT process, number, recovery FROM wfl_decision WHERE recovery IS NOT NULL AND recovery <= ?1 \
     ORDER BY recovery, process, number LIMIT ?2",
);
static LATE_GRAPHS: Sql = Sql::new(
    "wfl_graph.stuck",
    "SELECT process, 0, recovery FROM wfl_graph WHERE recovery IS NOT NULL AND recovery <= ?1 ORDER BY recovery, process LIMIT ?2",
);
static LATE_PROCESSES: Sql = Sql::new(
    "wfl_process.stuck",
    "SELECT id, 0, recovery FROM wfl_process WHERE recovery IS NOT NULL AND recovery <= ?1 ORDER BY recovery, id LIMIT ?2",
);

/// All that are kept.
pub(crate) fn processes(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    Ok(tx.query_one(&PROCESSES, args![])?.map_or(0, |row| row.int(0)))
}

/// Processes of a state that is not FINISHED.
pub(crate) fn of_state(tx: &mut dyn Tx, state: &str) -> StoreResult<i64> {
    Ok(tx.query_one(&OF_STATE, args![state])?.map_or(0, |row| row.int(0)))
}

pub(crate) fn active(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    of_state(tx, "ACTIVE")
}

pub(crate) fn broken(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    of_state(tx, "BROKEN")
}

pub(crate) fn waiting(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    Ok(tx.query_one(&WAITING, args![])?.map_or(0, |row| row.int(0)))
}

/// Tasks whose worker is silent, or whose time is over, and nobody did anything about it.
pub(crate) fn late_tasks(tx: &mut dyn Tx, _: Wall) -> StoreResult<Vec<Stuck>> {
    let told = |row: &base::Row| format!("{}.{}", row.text(0), row.int(1));
    late(
        tx,
        &LATE_DECISIONS,
        DECISION_GRACE_MS,
        told,
        "its worker is silent or its time is over, and nobody looked after it",
    )
}

/// Processes that should have been looked at because nothing changed in them.
pub(crate) fn late_graphs(tx: &mut dyn Tx, _: Wall) -> StoreResult<Vec<Stuck>> {
    let told = |row: &base::Row| row.text(0).to_owned();
    late(tx, &LATE_GRAPHS, PROCESS_GRACE_MS, told, "nothing changes in it, and nobody looked why")
}

/// Processes that should have been looked at because they were just started, or take long.
pub(crate) fn late_processes(tx: &mut dyn Tx, _: Wall) -> StoreResult<Vec<Stuck>> {
    let told = |row: &base::Row| row.text(0).to_owned();
    late(tx, &LATE_PROCESSES, PROCESS_GRACE_MS, told, "it was to be looked at, and nobody did")
}

fn late(
    tx: &mut dyn Tx,
    sql: &'static Sql,
    grace_ms: i64,
    subject: fn(&base::Row) -> String,
    reason: &str,
) -> StoreResult<Vec<Stuck>> {
    let now = tx.heard();
    let most = i64::try_from(STUCK_MAX).unwrap_or(i64::MAX);
    let rows = tx.query(sql, args![now.plus_ms(-grace_ms), most], STUCK_MAX)?;
    let stuck =
        |row: &base::Row| Stuck { subject: subject(row), reason: reason.into(), overdue_ms: now.0 - row.int(2) };
    Ok(rows.iter().map(stuck).collect())
}
