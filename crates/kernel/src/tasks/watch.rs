//! What must hold of tasks in every committed state, and which of them are stuck (KER-40).

use base::{Row, Sql, StoreResult, Tx, Wall, args};

use super::counts::queues;
use super::queues::{ALL, SUSPENDED};
use crate::service::{Invariant, Stuck, StuckDef, Violation};

/// A task is not stuck before it is overdue by so long: wake-ups may be lost, then the scan finds it.
const GRACE_MS: i64 = 90_000;
/// A node's end is seen by others within some seconds.
const LOST_GRACE_MS: i64 = 15_000;

pub(super) static HEADLESS: Sql = Sql::new(
    "task_lane.headless",
    "SELECT lane, id FROM task WHERE behind = 1 AND NOT EXISTS (SELECT 1 FROM task_lane JOIN task AS head ON head.id = \
     task_lane.head WHERE task_lane.lane = task.lane AND head.lane = task.lane AND head.behind = 0) ORDER BY lane, id LIMIT ?1",
);
pub(super) static ORPHAN: Sql = Sql::new(
    "task_lane.orphan",
    "SELECT lane, head FROM task_lane WHERE NOT EXISTS (SELECT 1 FROM task WHERE task.id = task_lane.head AND task.lane = \
     task_lane.lane AND task.behind = 0) ORDER BY lane LIMIT ?1",
);
pub(super) static TWO_IN_FLIGHT: Sql = Sql::new(
    "task_lane.two_in_flight",
    "SELECT lane, COUNT(*) FROM task WHERE lane IS NOT NULL AND owner IS NOT NULL GROUP BY lane HAVING COUNT(*) > 1 \
     ORDER BY lane LIMIT ?1",
);
pub(super) static OVERDUE: Sql = Sql::new(
    "task.stuck_waiting",
    "SELECT id, op, start_at FROM task \
     WHERE owner IS NULL AND behind = 0 AND queue = ?2 AND start_at < ?1 ORDER BY start_at, id LIMIT 100",
);
pub(super) static LOST: Sql = Sql::new(
    "task.stuck_running",
    "SELECT id, op, lost_at, owner FROM task WHERE owner IS NOT NULL AND lost_at < ?1 ORDER BY lost_at, id LIMIT 100",
);

/// What must hold.
pub(super) static INVARIANTS: [Invariant; 3] = [
    Invariant { name: "a task that is behind has a head of its lane before it", check: |tx| lanes(tx, &HEADLESS) },
    Invariant { name: "the head of a lane is a task of it", check: |tx| lanes(tx, &ORPHAN) },
    Invariant { name: "one task of a lane is in flight at a time", check: |tx| lanes(tx, &TWO_IN_FLIGHT) },
];

fn lanes(tx: &mut dyn Tx, sql: &'static Sql) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(sql, args![100], 100)?;
    Ok(rows.iter().map(|row| Violation(format!("lane {}: {:?}", row.text(0), row.0.get(1)))).collect())
}

/// What tasks are called that wait because an operator suspended their queue.
pub const STUCK_SUSPENDED: &str = "suspended task";
/// What tasks are called that should run or have run.
pub const STUCK_TASKS: [&str; 2] = ["task", "running task"];
/// As many are shown.
const SHOWN_MAX: usize = 100;

/// What is stuck.
pub(super) static STUCK: [StuckDef; 3] = [
    StuckDef { what: STUCK_TASKS[0], find: |tx, now| waiting(tx, now, false) },
    StuckDef { what: STUCK_SUSPENDED, find: |tx, now| waiting(tx, now, true) },
    StuckDef { what: STUCK_TASKS[1], find: running },
];

/// Queue by queue, because that is how the index of waiting tasks is ordered.
fn waiting(tx: &mut dyn Tx, now: Wall, of_suspended: bool) -> StoreResult<Vec<Stuck>> {
    let suspended: Vec<i64> = tx.query(&SUSPENDED, args![], 1_000)?.iter().map(|row| row.int(0)).collect();
    let is_suspended = |queue: i64| suspended.contains(&queue) || suspended.contains(&ALL);
    let why = if of_suspended { "its queue is suspended" } else { "no worker took it" };
    let mut found = vec![];
    for queue in queues(tx)?.into_iter().filter(|queue| is_suspended(*queue) == of_suspended) {
        let rows = tx.query(&OVERDUE, args![now.plus_ms(-GRACE_MS), queue], SHOWN_MAX)?;
        found.extend(rows.iter().map(|row| {
            let reason = format!("{} in queue {queue}: {why}", row.text(1));
            Stuck { subject: row.text(0).to_owned(), reason, overdue_ms: now.0 - row.int(2) }
        }));
    }
    found.sort_by_key(|stuck| std::cmp::Reverse(stuck.overdue_ms));
    found.truncate(SHOWN_MAX);
    Ok(found)
}

fn running(tx: &mut dyn Tx, _: Wall) -> StoreResult<Vec<Stuck>> {
    let now = tx.heard();
    let rows = tx.query(&LOST, args![now.plus_ms(-LOST_GRACE_MS)], 100)?;
    let stuck = |row: &Row| {
        let reason = format!("{} on node {}: it should have been taken for lost", row.text(1), row.text(3));
        Stuck { subject: row.text(0).to_owned(), reason, overdue_ms: now.0 - row.int(2) }
    };
    Ok(rows.iter().map(stuck).collect())
}
