//! Gives a claimed task back, when there was no room for its call. The attempt is forgiven: it counts neither as tried nor as
//! failed, and what its plan wrote about a call under way is taken back in the same commit.

use base::{Keys, OpResult, Sql, Tx, Wall, args};

use super::fail::HELD;
use super::kind::Kind;
use super::row::Task;
use super::unique;
use crate::cx::OpCx;
use crate::op::Op;
use crate::wake::Hint;

/// Gives a task back.
pub static RELEASE: Op<Release, ()> = Op::new("task.release", release).keyed(keys).ending();

/// Which task, and until when.
#[derive(Clone)]
pub struct Release {
    /// The task as it was claimed.
    pub task: Task,
    /// What it does.
    pub kind: Kind,
    /// How much later it may start again.
    pub pause_ms: i64,
}

pub(super) static GIVE_BACK: Sql = Sql::new(
    "task.release",
    "UPDATE task SET start_time = NULL, owner = NULL, lost_at = NULL, start_at = ?3, pause_ms = ?4, \
     forgiven = forgiven + 1 \
     WHERE id = ?1 AND attempt = ?2 AND owner IS NOT NULL",
);

fn keys(input: &Release) -> Keys {
    input.kind.keys(&input.task)
}

fn release(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Release) -> OpResult<()> {
    let (task, start_at): (&Task, Wall) = (&input.task, cx.wall.plus_ms(input.pause_ms));
    // Taken for lost meanwhile, or given back already and nobody knew: whatever waits now is not ours to remove.
    if tx.query_one(&HELD, args![task.id, task.attempt])?.is_none() {
        return Ok(());
    }
    unique::make_way(tx, task)?;
    tx.write(&GIVE_BACK, args![task.id, task.attempt, start_at, input.pause_ms])?;
    input.kind.take_back(tx, cx, task)?;
    cx.fx.wake(Hint::Tasks { queue: task.queue, start_at });
    Ok(())
}
