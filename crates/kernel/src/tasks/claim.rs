//! Claims tasks (KER-18): one conditional step, which raises the attempt before the work runs (KER-44). A node whose lease is over
//! claims nothing, and a suspended queue gives nothing.

use base::mutants::{self, Mutant};
use base::{OpResult, Sql, Tx, args};
use serde::{Deserialize, Serialize};

use super::row::{Task, columns};
use crate::cx::OpCx;
use crate::op::Op;

/// Claims some tasks of a queue that are due, oldest first.
pub static CLAIM: Op<Claim, Claimed> = Op::new("task.claim", claim).claiming().ending();

/// Which tasks, and for whom.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Of this queue.
    pub queue: i64,
    /// At most so many.
    pub count: u32,
    /// The node that will run them.
    pub owner: String,
    /// After how long they are taken for lost.
    pub lost_ms: i64,
}

/// Claimed tasks, oldest first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Claimed {
    /// The tasks.
    pub tasks: Vec<Task>,
}

// The rows are chosen in a step of its own: PostgreSQL may run a subquery of IN again for each row that it looks at, and with
// SKIP LOCKED every run finds other rows, so that more are claimed than there are workers.
pub(super) static TAKE: Sql = Sql::new(
    "task.claim",
    concat!(
        "WITH due AS MATERIALIZED (SELECT id FROM task WHERE owner IS NULL AND behind = 0 AND queue = ?1 AND start_at <= ?2 \
         AND NOT EXISTS (SELECT 1 FROM task_queue WHERE queue IN (-1, ?1)) \
         AND EXISTS (SELECT 1 FROM node WHERE node.id = ?4 AND until > ?6) \
         ORDER BY start_at, id LIMIT ?3 /*pg FOR UPDATE SKIP LOCKED */) \
         UPDATE task SET start_time = ?2, owner = ?4, lost_at = ?5, attempt = attempt + 1, exc = NULL \
         WHERE id IN (SELECT id FROM due) AND owner IS NULL AND behind = 0 AND start_at <= ?2 RETURNING ",
        columns!()
    ),
);

fn claim(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Claim) -> OpResult<Claimed> {
    let lost_at = cx.heard.plus_ms(input.lost_ms);
    let args = args![input.queue, cx.wall, input.count, &input.owner, lost_at, cx.heard];
    let mut tasks: Vec<Task> = tx.query(&TAKE, args, input.count as usize)?.iter().map(Task::read).collect();
    if mutants::on(Mutant::RowGoneAtClaim) {
        tasks.iter().try_for_each(|task| tx.write(&super::end::END_UNFENCED, args![task.id]))?;
    }
    tasks.sort_unstable_by_key(|task| (task.start_at, task.id));
    Ok(Claimed { tasks })
}
