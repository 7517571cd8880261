//! A device has a message (EXC-9): it is done with.

use base::{OpError, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use crate::codes::{AEXCHANGE, NMESSAGE};
use crate::ledger::Moves;
use crate::ledger::together;
use crate::rules::Rules;
use crate::statistics;

use super::check_present;

/// Acknowledges a message.
pub static ACK: Op<Ack, Acked> = Op::new("exchange.ack", ack).keyed(together).ending();

/// Which message.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ack {
    /// For which device it was.
    pub device: String,
    /// Its id.
    pub id: String,
    /// Who sent it; needed only where several databases used the same id.
    pub from: Option<String>,
}

/// It is in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acked {}

pub(super) static FIND: Sql = Sql::new(
    "exc_message.received",
    "SELECT number, db, place, sender FROM exc_message WHERE receiver = ?1 AND id = ?2 AND sender = db AND draft = 0 \
     AND place <> 'gone' ORDER BY number LIMIT 100",
);
pub(super) static DONE: Sql =
    Sql::new("exc_message.done", "UPDATE exc_message SET place = 'log', heard = ?2, due = ?3 WHERE number = ?1");

fn ack(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Ack) -> OpResult<Acked> {
    check_present(tx, &input.device)?;
    let rows = tx.query(&FIND, args![&input.device, &input.id], 100)?;
    let meant: Vec<_> = rows.iter().filter(|row| input.from.as_ref().is_none_or(|from| from == row.text(3))).collect();
    let row = match &meant[..] {
        [] => return Err(OpError::new(NMESSAGE, format!("no message `{}` for device `{}`", input.id, input.device))),
        [row] => row,
        _ => return Err(OpError::new(AEXCHANGE, format!("several sent a message `{}`: say from whom", input.id))),
    };
    statistics::device_spoke(tx, cx, &input.device)?;
    if row.text(2) == "messages" {
        tx.write(&DONE, args![row.int(0), cx.heard, cx.home.common::<Rules>().due_at_rest(cx.heard)])?;
        Moves { queued: -1, log: 1, ..Moves::default() }.count(tx, row.text(1))?;
    }
    Ok(Acked {})
}
