//! Forgets events that are older than what is kept, a portion at a time.
//!
//! Always from the oldest on, so that what is left has no hole; and never the newest one, so that the next number is known.

use base::{Heard, OpResult, Sql, Tx, args};

use super::{epoch, page};
use crate::cx::OpCx;
use crate::service::{Plan, TaskDef, TaskRow};

/// Events that one step looks at.
const PORTION: i64 = 1_000;

/// Forgets, every hour.
pub const FORGET: TaskDef = TaskDef::new("feed.forget", forget).queue(2).standing("H17").ending();

pub(super) static FIRST_YOUNG: Sql = Sql::new(
    "event.first_young",
    "SELECT number FROM event WHERE number <= ?1 AND heard_at >= ?2 ORDER BY number LIMIT 1",
);
pub(super) static DELETE: Sql = Sql::new("event.forget", "DELETE FROM event WHERE number <= ?1");

fn forget(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    let (head, tail) = (page::head(tx)?, page::tail(tx)?);
    let young = cx.heard.plus_ms(-epoch::kept_ms(tx)?);
    let end = (tail + PORTION).min(head - 1);
    let cut = cut(tx, end, young)?;
    if cut <= tail {
        return Ok(Plan::Done);
    }
    tx.write(&DELETE, args![cut])?;
    Ok(if cut == tail + PORTION { Plan::Checkpoint("{}".into()) } else { Plan::Done })
}

/// The newest number up to `end` before which everything is old.
fn cut(tx: &mut dyn Tx, end: i64, young: Heard) -> OpResult<i64> {
    let first_young = tx.query_one(&FIRST_YOUNG, args![end, young])?;
    Ok(first_young.map_or(end, |row| row.int(0) - 1))
}
