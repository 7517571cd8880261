//! Gives a claimed task back unrun, when there was no room for its call. The attempt is forgiven: it counts neither as tried
//! nor as failed.

use base::{OpResult, Sql, Tx, Wall, args};
use serde::Deserialize;

use crate::cx::OpCx;
use crate::op::Op;
use crate::wake::Hint;
use base::Id;

/// Gives a task back.
pub static RELEASE: Op<Release, ()> = Op::new("task.release", release).ending();

/// Which task, and until when.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// The task.
    pub id: Id,
    /// Its attempt.
    pub attempt: i64,
    /// Its queue.
    pub queue: i64,
    /// How much later it may start again.
    pub pause_ms: i64,
    /// Its operation and its key, if at most one of them waits.
    pub unique: Option<(String, String)>,
}

pub(super) static GIVE_BACK: Sql = Sql::new(
    "task.release",
    "UPDATE task SET start_time = NULL, owner = NULL, lost_at = NULL, start_at = ?3, pause_ms = ?4, \
     forgiven = forgiven + 1 \
     WHERE id = ?1 AND attempt = ?2 AND owner IS NOT NULL",
);

fn release(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Release) -> OpResult<()> {
    let start_at: Wall = cx.wall.plus_ms(input.pause_ms);
    if let Some((op, key)) = &input.unique {
        super::unique::clear(tx, op, key)?;
    }
    tx.write(&GIVE_BACK, args![input.id, input.attempt, start_at, input.pause_ms])?;
    cx.fx.wake(Hint::Tasks { queue: input.queue, start_at });
    Ok(())
}
