//! Lanes (KER-15): one task in flight, oldest first. The head of a lane may be claimed; the others are behind it.

use base::{Id, OpResult, Sql, Tx, args};

pub(super) static ENTER: Sql = Sql::new(
    "task_lane.enter",
    "INSERT INTO task_lane (lane, head) VALUES (?1, ?2) ON CONFLICT (lane) DO UPDATE SET lane = ?1 RETURNING head",
);
pub(super) static NEXT: Sql = Sql::new(
    "task_lane.next",
    "UPDATE task SET behind = 0 WHERE id = (SELECT id FROM task WHERE lane = ?1 AND behind = 1 ORDER BY id LIMIT 1) \
     RETURNING id, queue, start_at",
);
pub(super) static MOVE: Sql = Sql::new("task_lane.move", "UPDATE task_lane SET head = ?2 WHERE lane = ?1");
pub(super) static CLOSE: Sql = Sql::new("task_lane.close", "DELETE FROM task_lane WHERE lane = ?1");

use crate::cx::OpCx;
use crate::wake::Hint;

/// Enters a lane. Says whether the task is behind another one.
pub(super) fn enter(tx: &mut dyn Tx, lane: &str, id: Id) -> OpResult<bool> {
    let head = tx.query_one(&ENTER, args![lane, id])?;
    Ok(head.is_some_and(|head| head.id(0) != id))
}

/// The head of a lane leaves it: the oldest behind it is the new head.
pub(super) fn leave(tx: &mut dyn Tx, cx: &mut OpCx<'_>, lane: &str) -> OpResult<()> {
    match tx.query_one(&NEXT, args![lane])? {
        Some(next) => {
            tx.write(&MOVE, args![lane, next.id(0)])?;
            cx.fx.wake(Hint::Tasks { queue: next.int(1), start_at: base::Wall(next.int(2)) });
        }
        None => tx.write(&CLOSE, args![lane])?,
    }
    Ok(())
}
