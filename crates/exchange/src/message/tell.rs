//! Tells senders that their messages were not processed (EXC-15): a message of the database to each of them.

use base::{OpResult, Sql, Tx, args};
use kernel::OpCx;
use serde_json::json;

use super::form::VERSION;
use super::letter::Letter;
use super::put::NewMessage;
use crate::ledger::Moves;
use crate::process::Process;

/// The type of the body of such a message; its payload has the error's text and the id of the message that was not processed.
pub const NOT_PROCESSED: &str = "fastness.not-processed";

pub(super) static SENDERS: Sql = Sql::new(
    "exc_message.senders",
    "SELECT sender, id, company, subsystem FROM exc_message WHERE process = ?1 AND draft = 0 ORDER BY number LIMIT 1000",
);

/// Sends one message for each that the process holds.
pub(crate) fn tell_senders(tx: &mut dyn Tx, cx: &mut OpCx<'_>, process: &Process, error: &str) -> OpResult<()> {
    let rows = tx.query(&SENDERS, args![&process.id], 1_000)?;
    for row in &rows {
        let id = cx.id().to_string();
        let [to, answers, company, subsystem] = [0, 1, 2, 3].map(|column| row.text(column));
        let head = json!({
            "company": company, "subsystem": subsystem, "from": &process.db, "to": to, "created_at": cx.wall.rfc3339(),
            "reply_to": answers,
        });
        let body = json!({ "type": NOT_PROCESSED, "version": 1, "payload": { "message": answers, "error": error } });
        let text = json!({ "version": VERSION, "id": id, "head": head, "body": body }).to_string();
        crate::arrivals::tell(cx, to);
        NewMessage { letter: &Letter::read(text)?, db: &process.db, draft_of: None }.put(tx, cx)?;
    }
    let sent = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    Moves { received: sent, queued: sent, ..Moves::default() }.count(tx, &process.db)
}
