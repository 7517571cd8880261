//! How tasks stand, in a few numbers, at a bounded cost however many there are: every number is read from an index, and counts
//! end at [`COUNT_MAX`].

use base::{Id, OpResult, Sql, StoreResult, Tx, Wall, args};

use super::queues::{COUNT_MAX, SUSPENDED, WAITING};
use super::row::parked_at;
use crate::op::Query;

/// Queues that are looked at; more than anybody has.
const QUEUES_MAX: usize = 100;

/// How tasks stand at a moment.
pub static COUNTS: Query<Wall, TaskCounts> = Query::new("task.counts", |tx, now| counts(tx, *now));

/// How tasks stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskCounts {
    /// They could start now.
    pub due: i64,
    /// They start later.
    pub later: i64,
    /// They run, on any node.
    pub running: i64,
    /// They wait for a person.
    pub parked: i64,
    /// They wait for an older one of their lane.
    pub behind: i64,
    /// The one that could start for longest.
    pub oldest: Option<OldestDue>,
    /// When the next one starts of those that start later.
    pub next_at: Option<Wall>,
}

/// The task that could start for longest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldestDue {
    /// Its id.
    pub id: Id,
    /// Its operation.
    pub op: String,
    /// Since when it could start.
    pub since: Wall,
}

pub(super) static NEXT_QUEUE: Sql = Sql::new(
    "task.next_queue",
    "SELECT queue FROM task WHERE owner IS NULL AND behind = 0 AND queue > ?1 ORDER BY queue LIMIT 1",
);
pub(super) static OLDEST_DUE: Sql = Sql::new(
    "task.oldest_due",
    "SELECT id, op, start_at FROM task WHERE owner IS NULL AND behind = 0 AND queue = ?1 AND start_at <= ?2 \
     ORDER BY start_at, id LIMIT 1",
);
pub(super) static RUNNING: Sql = Sql::new(
    "task.count_running",
    "SELECT COUNT(*) FROM (SELECT owner FROM task WHERE owner IS NOT NULL ORDER BY owner, lost_at LIMIT ?1) AS running",
);
pub(super) static BEHIND: Sql = Sql::new(
    "task.count_behind",
    "SELECT COUNT(*) FROM (SELECT lane FROM task WHERE behind = 1 ORDER BY lane, place LIMIT ?1) AS behind",
);

/// How tasks stand now.
pub(crate) fn counts(tx: &mut dyn Tx, now: Wall) -> OpResult<TaskCounts> {
    let mut counts = TaskCounts { running: count(tx, &RUNNING)?, behind: count(tx, &BEHIND)?, ..TaskCounts::default() };
    for queue in queues(tx)? {
        let (due, _) = waiting(tx, queue, Wall(i64::MIN), now)?;
        let (later, next_at) = waiting(tx, queue, now, parked_at().plus_ms(-1))?;
        let (parked, _) = waiting(tx, queue, parked_at().plus_ms(-1), Wall(i64::MAX))?;
        counts.due = (counts.due + due).min(COUNT_MAX);
        counts.later = (counts.later + later).min(COUNT_MAX);
        counts.parked = (counts.parked + parked).min(COUNT_MAX);
        counts.next_at = counts.next_at.into_iter().chain(next_at).min();
        counts.oldest = older(counts.oldest, oldest(tx, queue, now)?);
    }
    Ok(counts)
}

/// The queues in which tasks wait, also such as no node has workers for: one step of an index for each.
pub(super) fn queues(tx: &mut dyn Tx) -> StoreResult<Vec<i64>> {
    let mut queues = vec![];
    while let Some(row) = tx.query_one(&NEXT_QUEUE, args![queues.last().copied().unwrap_or(i64::MIN)])? {
        queues.push(row.int(0));
        if queues.len() == QUEUES_MAX {
            break;
        }
    }
    Ok(queues)
}

/// How many queues an operator suspended.
pub(super) fn suspended(tx: &mut dyn Tx, _: Wall) -> StoreResult<i64> {
    Ok(i64::try_from(tx.query(&SUSPENDED, args![], 1_000)?.len()).unwrap_or(i64::MAX))
}

fn count(tx: &mut dyn Tx, sql: &'static Sql) -> StoreResult<i64> {
    Ok(tx.query_one(sql, args![COUNT_MAX])?.map_or(0, |row| row.int(0)))
}

fn waiting(tx: &mut dyn Tx, queue: i64, after: Wall, to: Wall) -> StoreResult<(i64, Option<Wall>)> {
    let row = tx.query_one(&WAITING, args![queue, after, to, COUNT_MAX])?;
    Ok(row.map_or((0, None), |row| (row.int(0), row.opt_int(1).map(Wall))))
}

fn oldest(tx: &mut dyn Tx, queue: i64, now: Wall) -> StoreResult<Option<OldestDue>> {
    let row = tx.query_one(&OLDEST_DUE, args![queue, now])?;
    Ok(row.map(|row| OldestDue { id: row.id(0), op: row.text(1).to_owned(), since: Wall(row.int(2)) }))
}

fn older(one: Option<OldestDue>, other: Option<OldestDue>) -> Option<OldestDue> {
    one.into_iter().chain(other).min_by_key(|task| (task.since, task.id))
}
