//! Tasks that a wrong calendar put too far ahead.
//!
//! A start is a calendar moment, so that people can choose and read it. But most are only a pause: at once, in a minute, at the
//! next full hour. A calendar that ran ahead for a while and was put right leaves such tasks waiting for as long as it ran
//! ahead. Each remembers its pause; one that lies further ahead than that is pulled back.
//!
//! But for a slack: calendars of two nodes are never quite the same, and whoever looks for such tasks read its own before others wrote theirs.

use base::{Id, OpResult, Sql, Tx, Wall, args};
use serde::{Deserialize, Serialize};

use super::row::parked_at;
use crate::cx::OpCx;
use crate::op::{Op, Query};
use crate::wake::Hint;

/// Tasks that one operation pulls back.
pub const PULL_MAX: u32 = 200;

/// A calendar is not called wrong for less.
pub(super) const CALENDAR_SLACK_MS: i64 = 2_000;

/// Tasks that lie further ahead than their pause.
pub static DISPLACED: Query<Wall, Vec<Id>> = Query::new("task.displaced", displaced);
/// Pulls some back.
pub static PULL_BACK: Op<Vec<Id>, Pulled> = Op::new("task.pull_back", pull_back).ending();

/// How many were pulled back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pulled {
    /// So many.
    pub count: u64,
}

pub(super) static FIND: Sql = Sql::new(
    "task.find_displaced",
    "SELECT id FROM task WHERE owner IS NULL AND start_at > ?1 AND start_at < ?2 AND start_at > ?1 + pause_ms + ?4 \
     ORDER BY id LIMIT ?3",
);
pub(super) static PULL: Sql = Sql::new(
    "task.pull_back",
    "UPDATE task SET start_at = ?2 + pause_ms WHERE id = ?1 AND owner IS NULL AND start_at < ?3 AND start_at > ?2 + pause_ms + ?4 \
     RETURNING queue, start_at",
);

fn displaced(tx: &mut dyn Tx, now: &Wall) -> OpResult<Vec<Id>> {
    let rows = tx.query(&FIND, args![*now, parked_at(), PULL_MAX, CALENDAR_SLACK_MS], PULL_MAX as usize)?;
    Ok(rows.iter().map(|row| row.id(0)).collect())
}

fn pull_back(tx: &mut dyn Tx, cx: &mut OpCx<'_>, ids: &Vec<Id>) -> OpResult<Pulled> {
    let mut count = 0;
    for id in ids {
        if let Some(row) = tx.query_one(&PULL, args![*id, cx.wall, parked_at(), CALENDAR_SLACK_MS])? {
            cx.fx.wake(Hint::Tasks { queue: row.int(0), start_at: Wall(row.int(1)) });
            count += 1;
        }
    }
    Ok(Pulled { count })
}
