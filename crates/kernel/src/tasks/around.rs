//! A task with what stands around it, for a person who wants to know why it does not go on (KER-22): who runs it, which task it
//! is behind, whether its queue is suspended.

use base::{Id, OpResult, Sql, Tx, Wall, args};

use super::queues::{ALL, suspended};
use super::report_done::get;
use super::row::Task;
use crate::op::Query;

/// A task with what stands around it.
pub static AROUND: Query<Id, Around> = Query::new("task.around", around);

/// A task with what stands around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Around {
    /// The task.
    pub task: Task,
    /// Who runs it.
    pub run: Option<RunBy>,
    /// The task of its lane that it is behind.
    pub head: Option<Id>,
    /// Whether its queue starts nothing.
    pub suspended: bool,
}

/// Who runs a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunBy {
    /// The node's name; its id if nothing more is known of it.
    pub node: String,
    /// When the node last said that it is alive.
    pub seen_at: Option<Wall>,
    /// In how long the run is taken for lost.
    pub lost_in_ms: i64,
}

pub(super) static RUN_BY: Sql = Sql::new(
    "task.run_by",
    "SELECT task.owner, task.lost_at, node.name, node.seen_at FROM task LEFT JOIN node ON node.id = task.owner \
     WHERE task.id = ?1 AND task.owner IS NOT NULL",
);
pub(super) static HEAD: Sql = Sql::new("task_lane.head", "SELECT head FROM task_lane WHERE lane = ?1");

fn around(tx: &mut dyn Tx, id: &Id) -> OpResult<Around> {
    let task = get(tx, *id)?;
    let heard = tx.heard();
    let run = tx.query_one(&RUN_BY, args![*id])?.map(|row| RunBy {
        node: row.opt_text(2).unwrap_or(row.text(0)).to_owned(),
        seen_at: row.opt_int(3).map(Wall),
        lost_in_ms: row.int(1) - heard.0,
    });
    let lane = task.lane.as_ref().filter(|_| task.behind);
    let head = lane.map(|lane| tx.query_one(&HEAD, args![lane])).transpose()?.flatten().map(|row| row.id(0));
    let suspended = suspended(tx)?.iter().any(|queue| [ALL, task.queue].contains(queue));
    Ok(Around { task, run, head, suspended })
}
