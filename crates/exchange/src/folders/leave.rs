//! Leaves the folders (EXC-8): where bodies are not in folders from now on, nobody brings files to their places any more, and nobody
//! waits for it.

use std::collections::BTreeSet;

use base::{OpResult, Sql, Tx, args};
use kernel::OpCx;

use super::clerk::FORGET;
use crate::process;

/// Messages of one portion.
const PORTION: usize = 500;

pub(super) static WAITING: Sql = Sql::new(
    "exc_message.waiting_for_files",
    "SELECT number, process FROM exc_message WHERE due IS NOT NULL ORDER BY due, number LIMIT ?1",
);
pub(super) static LET_BE: Sql = Sql::new("exc_message.let_be", "UPDATE exc_message SET due = NULL WHERE number = ?1");

/// Lets go a portion of what waits for files; whether there may be more.
pub(crate) fn leave(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<bool> {
    let rows = tx.query(&WAITING, args![i64::try_from(PORTION).unwrap_or(i64::MAX)], PORTION)?;
    let mut processes = BTreeSet::new();
    for row in &rows {
        tx.write(&FORGET, args![row.int(0)])?;
        tx.write(&LET_BE, args![row.int(0)])?;
        processes.extend(row.opt_text(1).map(str::to_owned));
    }
    processes.into_iter().try_for_each(|id| process::moved(tx, cx, &id))?;
    Ok(rows.len() == PORTION)
}
