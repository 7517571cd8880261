//! Whose turn it is: one clerk is at work in a namespace at a time, so that none undoes what another one does.
//!
//! A clerk that finds another one at work leaves word and goes; that one looks again before it goes. One that was not heard of for long
//! has no task any more, and its turn is over.

use base::{Heard, OpResult, Sql, Tx, args};
use kernel::OpCx;

/// Longer than a batch can take.
const TURN_MS: i64 = 300_000;

pub(super) static GET: Sql = Sql::new("exc_clerk.get", "SELECT task, until, again FROM exc_clerk WHERE one = 1");
pub(super) static TAKE: Sql = Sql::new(
    "exc_clerk.take",
    "INSERT INTO exc_clerk (one, task, until, again) VALUES (1, ?1, ?2, 0) \
     ON CONFLICT (one) DO UPDATE SET task = ?1, until = ?2, again = 0",
);
pub(super) static AGAIN: Sql = Sql::new("exc_clerk.again", "UPDATE exc_clerk SET again = 1 WHERE one = 1");
pub(super) static END: Sql = Sql::new("exc_clerk.end", "DELETE FROM exc_clerk WHERE one = 1 AND task = ?1");

/// Takes the turn, unless another one has it, which is then left word.
pub(super) fn take(tx: &mut dyn Tx, cx: &OpCx<'_>, task: &str) -> OpResult<bool> {
    let row = tx.query_one(&GET, args![])?;
    if row.is_some_and(|row| row.text(0) != task && Heard(row.int(1)) > cx.heard) {
        tx.write(&AGAIN, args![])?;
        return Ok(false);
    }
    tx.write(&TAKE, args![task, cx.heard.plus_ms(TURN_MS)])?;
    Ok(true)
}

/// Ends the turn; whether somebody left word meanwhile.
pub(super) fn end(tx: &mut dyn Tx, task: &str) -> OpResult<bool> {
    let again = tx.query_one(&GET, args![])?.is_some_and(|row| row.text(0) == task && row.int(2) == 1);
    tx.write(&END, args![task])?;
    Ok(again)
}
