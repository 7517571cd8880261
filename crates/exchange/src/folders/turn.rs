//! Whose turn it is: one clerk, or one packer, is at work in a namespace at a time, so that none undoes or repeats what another one does.
//!
//! A clerk that finds another one at work leaves word and goes; that one looks again before it goes. A turn that was taken and not ended
//! says that nobody knows what came of its work: whoever has the next one compares files with rows first. One that was not heard of for
//! long has no task any more, and its turn is over.

use base::{Heard, OpResult, Sql, Tx, args};
use kernel::OpCx;

pub(super) static GET: Sql =
    Sql::new("exc_clerk.get", "SELECT task, until, again, number FROM exc_clerk WHERE one = 1");
pub(super) static TAKE: Sql = Sql::new(
    "exc_clerk.take",
    "INSERT INTO exc_clerk (one, task, until, number, again) VALUES (1, ?1, ?2, ?3, 0) \
     ON CONFLICT (one) DO UPDATE SET task = ?1, until = ?2, number = ?3, again = 0",
);
pub(super) static NEXT: Sql = Sql::new(
    "exc_count.next_turn",
    "INSERT INTO exc_count (name, value) VALUES ('turn', 1) ON CONFLICT (name) DO UPDATE SET value = exc_count.value + 1 \
     RETURNING value",
);
pub(super) static AGAIN: Sql = Sql::new("exc_clerk.again", "UPDATE exc_clerk SET again = 1 WHERE one = 1");
pub(super) static END: Sql = Sql::new("exc_clerk.end", "DELETE FROM exc_clerk WHERE one = 1 AND task = ?1");

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Ours.
    Ours,
    /// Ours, and nobody knows what came of the one before.
    Uncertain,
    /// Another one's, who was left word.
    Others,
}

/// Takes the turn for so long, unless another one has it.
pub(crate) fn take(tx: &mut dyn Tx, cx: &OpCx<'_>, task: &str, ms: i64) -> OpResult<Turn> {
    let row = tx.query_one(&GET, args![])?;
    if row.as_ref().is_some_and(|row| row.text(0) != task && Heard(row.int(1)) > cx.heard) {
        tx.write(&AGAIN, args![])?;
        return Ok(Turn::Others);
    }
    seize(tx, cx, task, ms)?;
    Ok(if row.is_some() { Turn::Uncertain } else { Turn::Ours })
}

/// Whether somebody has the turn.
pub(crate) fn is_taken(tx: &mut dyn Tx, cx: &OpCx<'_>) -> OpResult<bool> {
    Ok(tx.query_one(&GET, args![])?.is_some_and(|row| Heard(row.int(1)) > cx.heard))
}

/// Takes the turn whoever has it: at a start, when nobody can be at work.
pub(crate) fn seize(tx: &mut dyn Tx, cx: &OpCx<'_>, task: &str, ms: i64) -> OpResult<()> {
    let number = tx.query_one(&NEXT, args![])?.map_or(1, |row| row.int(0));
    Ok(tx.write(&TAKE, args![task, cx.heard.plus_ms(ms), number])?)
}

/// The number of the turn that is under way; work of another one comes too late.
pub(super) fn number(tx: &mut dyn Tx) -> OpResult<Option<i64>> {
    Ok(tx.query_one(&GET, args![])?.map(|row| row.int(3)))
}

/// Whether it is still this one's turn.
pub(crate) fn is_of(tx: &mut dyn Tx, task: &str) -> OpResult<bool> {
    Ok(tx.query_one(&GET, args![])?.is_some_and(|row| row.text(0) == task))
}

/// Ends the turn; whether somebody left word meanwhile.
pub(crate) fn end(tx: &mut dyn Tx, task: &str) -> OpResult<bool> {
    let again = tx.query_one(&GET, args![])?.is_some_and(|row| row.text(0) == task && row.int(2) == 1);
    tx.write(&END, args![task])?;
    Ok(again)
}
