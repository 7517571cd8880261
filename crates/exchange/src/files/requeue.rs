//! Puts a message that is done, wrong or of unknown outcome back into the queue, by an administrator's will.

use base::{OpError, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::text::{absent, is_named};
use crate::arrivals;
use crate::codes::{AEXCHANGE, APROCESS};
use crate::ledger::{Moves, together};
use crate::message::name::FileName;
use crate::message::{BODY, digest};
use crate::packs;
use crate::process::close_skipped_alert;
use crate::rules::Rules;

/// Puts a message back.
pub static REQUEUE: Op<Requeue, Requeued> = Op::new("exchange.requeue", requeue).keyed(together);

/// Which message.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Requeue {
    /// The name of its file.
    pub name: FileName,
    /// Its text, read from its file or its pack, where it is not in the store any more.
    pub text: Option<String>,
}

/// It waits again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requeued {}

pub(super) static GET: Sql = Sql::new(
    "exc_message.requeued",
    "SELECT id, sender, receiver, subsystem, at, db, place, process, draft, digest FROM exc_message \
     WHERE number = ?1 AND place <> 'gone'",
);
pub(super) static BACK: Sql = Sql::new(
    "exc_message.requeue",
    "UPDATE exc_message SET place = 'messages', skipped = 0, result = NULL, error_code = NULL, error_text = NULL, heard = ?2, \
     due = ?3 WHERE number = ?1",
);
pub(super) static KEEP_BODY: Sql =
    Sql::new("exc_body.requeue", "INSERT INTO exc_body (number, body) VALUES (?1, ?2) ON CONFLICT (number) DO NOTHING");

fn requeue(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Requeue) -> OpResult<Requeued> {
    let number = input.name.number;
    let row = tx.query_one(&GET, args![number])?.filter(|row| is_named(row, &input.name));
    let row = row.ok_or_else(|| absent(&input.name))?;
    if let Some(process) = row.opt_text(7) {
        return Err(OpError::new(APROCESS, format!("message `{}` is held by process {process}", input.name.id)));
    }
    let (db, place) = (row.text(5), row.text(6));
    if place == "messages" {
        return Ok(Requeued {});
    }
    put_text_back(tx, input, row.blob(9))?;
    packs::let_go(tx, cx, number)?;
    tx.write(&BACK, args![number, cx.heard, cx.home.common::<Rules>().due(cx.heard)])?;
    leaving(place).count(tx, db)?;
    close_skipped_alert(cx, number);
    if input.name.from == db {
        arrivals::tell(cx, &input.name.to);
    }
    cx.fx.journal("exchange.requeued", db, format!("message {} from {place}", input.name.id));
    Ok(Requeued {})
}

/// What can be given has its text in the store.
fn put_text_back(tx: &mut dyn Tx, input: &Requeue, known_by: &[u8]) -> OpResult<()> {
    if tx.query_one(&BODY, args![input.name.number])?.is_some() {
        return Ok(());
    }
    let wrong = |why| OpError::new(AEXCHANGE, format!("the file of message `{}` {why}", input.name.id));
    let text = input.text.as_deref().ok_or_else(|| wrong("was not read"))?;
    if digest(text) != known_by {
        return Err(wrong("is not what was received"));
    }
    Ok(tx.write(&KEEP_BODY, args![input.name.number, text])?)
}

fn leaving(place: &str) -> Moves {
    let mut moves = Moves { queued: 1, ..Moves::default() };
    let from = match place {
        "log" => &mut moves.log,
        "error" => &mut moves.error,
        _ => &mut moves.unknown,
    };
    *from = -1;
    moves
}
