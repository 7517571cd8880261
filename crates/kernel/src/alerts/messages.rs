//! The history of what was sent: messages newest first, each with its tries.

use base::{OpResult, Row, Sql, Tx, Wall, args};

use crate::op::Query;

/// A page of messages.
pub static LIST_MESSAGES: Query<MessagePage, Vec<MessageInfo>> = Query::new("alert.messages", list_messages);

/// Tries that are shown of one message, the last ones.
const TRIES_MAX: u32 = 20;
/// Above every id.
const END: &str = "~";

/// Which page.
#[derive(Debug, Clone)]
pub struct MessagePage {
    /// Only messages older than this id; empty for the newest.
    pub after: String,
    /// At most so many, and no more than 101: each brings its tries along.
    pub limit: u32,
}

/// A message as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageInfo {
    /// Its id, the same in every try.
    pub id: String,
    /// Of which kind it tells.
    pub kind: String,
    /// Its subject.
    pub subject: String,
    /// Its text.
    pub text: String,
    /// When it was written.
    pub made_at: Wall,
    /// When a channel took it.
    pub done_at: Option<Wall>,
    /// The last tries, oldest first.
    pub tries: Vec<TryInfo>,
}

/// A try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TryInfo {
    /// Counted from 1.
    pub number: i64,
    /// By which channel.
    pub channel: String,
    /// When.
    pub at: Wall,
    /// `done`, `refused` or `unknown`.
    pub outcome: String,
    /// Why.
    pub reason: String,
}

pub(crate) static PAGE: Sql = Sql::new(
    "alert_message.page",
    "SELECT id, kind, subject, text, made_at, done_at FROM alert_message WHERE id < ?1 ORDER BY id DESC LIMIT ?2",
);
pub(crate) static TRIES: Sql = Sql::new(
    "alert_attempt.of_message",
    "SELECT number, channel, at, outcome, reason FROM alert_attempt WHERE message_id = ?1 ORDER BY number DESC LIMIT ?2",
);

fn list_messages(tx: &mut dyn Tx, page: &MessagePage) -> OpResult<Vec<MessageInfo>> {
    let after = if page.after.is_empty() { END } else { &page.after };
    let rows = tx.query(&PAGE, args![after, page.limit], page.limit as usize)?;
    rows.iter().map(|row| message(tx, row)).collect()
}

fn message(tx: &mut dyn Tx, row: &Row) -> OpResult<MessageInfo> {
    let rows = tx.query(&TRIES, args![row.text(0), TRIES_MAX], TRIES_MAX as usize)?;
    Ok(MessageInfo {
        id: row.text(0).to_owned(),
        kind: row.text(1).to_owned(),
        subject: row.text(2).to_owned(),
        text: row.text(3).to_owned(),
        made_at: Wall(row.int(4)),
        done_at: row.opt_int(5).map(Wall),
        tries: rows.iter().rev().map(try_info).collect(),
    })
}

fn try_info(row: &Row) -> TryInfo {
    TryInfo {
        number: row.int(0),
        channel: row.text(1).to_owned(),
        at: Wall(row.int(2)),
        outcome: row.text(3).to_owned(),
        reason: row.text(4).to_owned(),
    }
}
