//! Lanes (KER-15): one task in flight, oldest first. The head of a lane may be claimed; the others are behind it.

use base::mutants::{self, Mutant};
use base::{Id, OpResult, Sql, Tx, Wall, args};

use crate::cx::OpCx;
use crate::wake::Hint;

pub(super) static ENTER: Sql = Sql::new(
    "task_lane.enter",
    "INSERT INTO task_lane (lane, head, last) VALUES (?1, ?2, 1) ON CONFLICT (lane) DO UPDATE SET last = task_lane.last + 1 \
     RETURNING head, last",
);
pub(super) static NEXT: Sql = Sql::new(
    "task_lane.next",
    "UPDATE task SET behind = 0 WHERE id = (SELECT id FROM task WHERE lane = ?1 AND behind = 1 \
     ORDER BY place LIMIT 1) \
     RETURNING id, queue, start_at",
);
pub(super) static MOVE: Sql = Sql::new("task_lane.move", "UPDATE task_lane SET head = ?2 WHERE lane = ?1");
pub(super) static CLOSE: Sql = Sql::new("task_lane.close", "DELETE FROM task_lane WHERE lane = ?1");

/// Where a task stands in its lane.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stands {
    /// Whether another one is before it.
    pub(super) behind: bool,
    /// Its place; none without a lane.
    pub(super) place: Option<i64>,
}

/// Enters a lane, if there is one.
pub(super) fn enter(tx: &mut dyn Tx, lane: Option<&String>, id: Id) -> OpResult<Stands> {
    let Some(lane) = lane else { return Ok(Stands::default()) };
    let row = tx.query_one(&ENTER, args![lane, id])?;
    let stands = |row: base::Row| Stands { behind: row.id(0) != id, place: Some(row.int(1)) };
    Ok(row.map(stands).unwrap_or_default())
}

/// The head of a lane leaves it: the oldest behind it is the new head.
pub(super) fn leave(tx: &mut dyn Tx, cx: &mut OpCx<'_>, lane: &str) -> OpResult<()> {
    if mutants::on(Mutant::LaneNotLeft) {
        return Ok(());
    }
    match tx.query_one(&NEXT, args![lane])? {
        Some(next) => {
            tx.write(&MOVE, args![lane, next.id(0)])?;
            cx.fx.wake(Hint::Tasks { queue: next.int(1), start_at: Wall(next.int(2)) });
        }
        None => tx.write(&CLOSE, args![lane])?,
    }
    Ok(())
}
