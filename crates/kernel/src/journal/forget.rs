//! Forgets old lines.
//!
//! Lines are looked at in the order of their ids, oldest first, and only as far as all are old: no index is needed for it. After
//! a jump of the calendar some lines stay longer than they must, none goes earlier than it may.

use base::{OpResult, Sql, Tx, args};

use super::SETTING;
use crate::cx::OpCx;
use crate::service::{Plan, TaskRow};
use crate::watch::retention::{PORTION, go_on, old_before};

pub(crate) static OLDEST: Sql = Sql::new("journal.oldest", "SELECT id, heard FROM journal ORDER BY id LIMIT ?1");
pub(crate) static DELETE: Sql = Sql::new("journal.forget", "DELETE FROM journal WHERE id <= ?1 AND heard < ?2");

/// A portion; again at once while all of it was old.
pub(crate) fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    let before = old_before(tx, cx, SETTING)?;
    let rows = tx.query(&OLDEST, args![PORTION], PORTION as usize)?;
    let old: Vec<_> = rows.iter().take_while(|row| row.int(1) < before.0).collect();
    if let Some(last) = old.last() {
        tx.write(&DELETE, args![last.text(0), before])?;
    }
    Ok(go_on(old.len() as u64))
}
