//! What became of a message (EXC-9), for whoever sent it.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

use super::check_present;
use crate::codes::NMESSAGE;

/// What became of a message.
pub static STATUS: Query<StatusOf, MessageStatus> = Query::new("exchange.status", status);

/// The same for the device that sent it, unless it is blocked.
pub static OWN_STATUS: Query<StatusOf, MessageStatus> = Query::new("exchange.own_status", own_status);

/// Which message.
#[derive(Debug, Clone)]
pub struct StatusOf {
    /// Who sent it.
    pub sender: String,
    /// Its id.
    pub id: String,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct MessageStatus {
    /// Its id.
    pub id: String,
    /// Where it stands.
    pub state: MessageState,
    /// The number of the error, as the database has it.
    pub error_code: Option<i64>,
    /// What went wrong.
    pub error_text: Option<String>,
    /// When we took it.
    #[schema(format = DateTime)]
    pub received_at: String,
}

/// Where a message stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// It waits.
    Queued,
    /// A database has it.
    InProcess,
    /// It is done.
    Processed,
    /// It could not be processed because of a lock, and is given again.
    DeadlockWaiting,
    /// It is wrong.
    Error,
    /// Nobody knows yet whether it was processed.
    Unknown,
}

pub(super) static GET: Sql = Sql::new(
    "exc_message.status",
    "SELECT m.place, p.state, m.result, m.error_code, m.error_text, m.received_at FROM exc_message m \
     LEFT JOIN exc_process p ON p.id = m.process \
     WHERE m.sender = ?1 AND m.id = ?2 AND m.void = 0 AND m.draft = 0",
);

fn own_status(tx: &mut dyn Tx, wanted: &StatusOf) -> OpResult<MessageStatus> {
    check_present(tx, &wanted.sender)?;
    status(tx, wanted)
}

fn status(tx: &mut dyn Tx, wanted: &StatusOf) -> OpResult<MessageStatus> {
    let absent = || OpError::new(NMESSAGE, format!("`{}` sent no message `{}`", wanted.sender, wanted.id));
    let row = tx.query_one(&GET, args![&wanted.sender, &wanted.id])?.ok_or_else(absent)?;
    let state = state(&row);
    let is_told = matches!(state, MessageState::Error | MessageState::DeadlockWaiting);
    Ok(MessageStatus {
        id: wanted.id.clone(),
        state,
        error_code: row.opt_int(3).filter(|_| is_told),
        error_text: row.opt_text(4).filter(|_| is_told).map(str::to_owned),
        received_at: Wall(row.int(5)).rfc3339(),
    })
}

/// Once its database committed, only files are still on their way.
fn state(row: &Row) -> MessageState {
    match (row.opt_text(1), row.text(0), row.opt_text(2)) {
        (Some("STARTED" | "READY_TO_COMMIT"), ..) => MessageState::InProcess,
        // Held by a process of which nobody knows: the error may yet turn out never to have been.
        (Some("UNKNOWN"), ..) | (None, "unknown", _) => MessageState::Unknown,
        (_, "log", _) => MessageState::Processed,
        (_, "error", _) => MessageState::Error,
        (_, _, Some("PROCESSED_DEADLOCK")) => MessageState::DeadlockWaiting,
        _ => MessageState::Queued,
    }
}
