//! Queues that are suspended and resumed (KER-22). A suspended one starts nothing more on any node; what runs goes on.

use std::collections::BTreeMap;

use base::{OpResult, Sql, StoreResult, Tx, Wall, args};
use serde::{Deserialize, Serialize};

use super::row::parked_at;
use crate::cx::OpCx;
use crate::op::{Op, Query};
use crate::wake::Hint;

/// Stands for all queues: the whole manager.
pub const ALL: i64 = -1;

/// Suspends a queue, or all.
pub static SUSPEND: Op<i64, Switched> = Op::new("queue.suspend", suspend).ending();
/// Resumes a queue, or all.
pub static RESUME: Op<i64, Switched> = Op::new("queue.resume", resume).ending();
/// What is in the queues.
pub static STATE: Query<Look, BTreeMap<i64, QueueState>> = Query::new("queue.state", state);

/// The queues that are suspended by their number; [`ALL`] if the whole manager is.
pub static SUSPENSIONS: Query<(), Vec<i64>> = Query::new("queue.suspensions", |tx, ()| Ok(suspended(tx)?));

/// It was done.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Switched {}

/// What to look for.
#[derive(Debug, Clone)]
pub struct Look {
    /// How many queues there are.
    pub queues: i64,
    /// Now.
    pub now: Wall,
}

/// What is in a queue. Counts end at [`COUNT_MAX`]: nobody needs to know more exactly how far behind a queue is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueState {
    /// Whether it was suspended, by itself or with all.
    pub suspended: bool,
    /// Tasks that could start now.
    pub due: i64,
    /// Tasks that start later.
    pub later: i64,
    /// Tasks that wait for a person.
    pub parked: i64,
    /// Tasks that run on any node.
    pub running: i64,
    /// When the first of those that wait may start.
    pub next_at: Option<Wall>,
}

/// Where counting ends.
pub const COUNT_MAX: i64 = 10_000;

pub(super) static INSERT: Sql = Sql::new(
    "task_queue.suspend",
    "INSERT INTO task_queue (queue, suspended_at) VALUES (?1, ?2) ON CONFLICT (queue) DO NOTHING",
);
pub(super) static REMOVE: Sql = Sql::new("task_queue.resume", "DELETE FROM task_queue WHERE queue = ?1");
pub(super) static SUSPENDED: Sql = Sql::new("task_queue.all", "SELECT queue FROM task_queue ORDER BY queue LIMIT 1000");
pub(super) static WAITING: Sql = Sql::new(
    "task_queue.waiting",
    "SELECT COUNT(*), MIN(start_at) FROM (SELECT start_at FROM task WHERE owner IS NULL AND behind = 0 AND queue = ?1 \
     AND start_at > ?2 AND start_at <= ?3 ORDER BY start_at LIMIT ?4) AS waiting",
);
pub(super) static RUNNING: Sql = Sql::new(
    "task_queue.running",
    "SELECT queue, COUNT(*) FROM task WHERE owner IS NOT NULL GROUP BY queue ORDER BY queue LIMIT 1000",
);
pub(super) static NEXT: Sql = Sql::new(
    "task_queue.next",
    "SELECT start_at FROM task WHERE owner IS NULL AND behind = 0 AND queue = ?1 \
     AND NOT EXISTS (SELECT 1 FROM task_queue WHERE queue IN (-1, ?1)) ORDER BY start_at, id LIMIT 1",
);

/// When the first waiting task of a queue may start; none of a suspended one.
pub static NEXT_DUE: Query<i64, Option<Wall>> = Query::new("task.next_due", next_due);

fn next_due(tx: &mut dyn Tx, queue: &i64) -> OpResult<Option<Wall>> {
    let first = tx.query_one(&NEXT, args![*queue])?;
    Ok(first.map(|row| Wall(row.int(0))).filter(|at| *at < parked_at()))
}

fn suspend(tx: &mut dyn Tx, cx: &mut OpCx<'_>, queue: &i64) -> OpResult<Switched> {
    tx.write(&INSERT, args![*queue, cx.wall])?;
    cx.fx.journal("queue.suspended", name(*queue), "");
    Ok(Switched {})
}

fn resume(tx: &mut dyn Tx, cx: &mut OpCx<'_>, queue: &i64) -> OpResult<Switched> {
    tx.write(&REMOVE, args![*queue])?;
    cx.fx.wake(Hint::Tasks { queue: *queue, start_at: cx.wall });
    cx.fx.journal("queue.resumed", name(*queue), "");
    Ok(Switched {})
}

fn name(queue: i64) -> String {
    if queue == ALL { "all".into() } else { queue.to_string() }
}

fn state(tx: &mut dyn Tx, look: &Look) -> OpResult<BTreeMap<i64, QueueState>> {
    let suspended = suspended(tx)?;
    let running = tx.query(&RUNNING, args![], 1_000)?;
    let running: BTreeMap<i64, i64> = running.iter().map(|row| (row.int(0), row.int(1))).collect();
    let of = |queue: i64| {
        let due = count(tx, queue, Wall(i64::MIN), look.now)?;
        let later = count(tx, queue, look.now, parked_at().plus_ms(-1))?;
        let parked = count(tx, queue, parked_at().plus_ms(-1), Wall(i64::MAX))?;
        let state = QueueState {
            suspended: suspended.contains(&queue) || suspended.contains(&ALL),
            due: due.0,
            later: later.0,
            parked: parked.0,
            running: running.get(&queue).copied().unwrap_or(0),
            next_at: due.1.or(later.1),
        };
        Ok((queue, state))
    };
    (0..look.queues).map(of).collect()
}

pub(super) fn suspended(tx: &mut dyn Tx) -> StoreResult<Vec<i64>> {
    Ok(tx.query(&SUSPENDED, args![], 1_000)?.iter().map(|row| row.int(0)).collect())
}

fn count(tx: &mut dyn Tx, queue: i64, after: Wall, to: Wall) -> OpResult<(i64, Option<Wall>)> {
    let row = tx.query_one(&WAITING, args![queue, after, to, COUNT_MAX])?;
    Ok(row.map_or((0, None), |row| (row.int(0), row.opt_int(1).map(Wall))))
}
