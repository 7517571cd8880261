//! A device fetches what is for it (EXC-9), oldest first.

use base::{OpResult, Sql, Tx, args};
use kernel::Query;
use serde::Serialize;

use super::{MessageText, body_of, check_present};

/// Messages for a device.
pub static FETCH: Query<Fetch, Fetched> = Query::new("exchange.fetch", fetch);

/// Messages of one answer.
pub const FILES_MAX: usize = 100;

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Fetch {
    /// For which device.
    pub device: String,
    /// At most so many.
    pub files: usize,
    /// At most so many bytes, but one message at least.
    pub bytes: i64,
}

/// Messages, as they came.
#[derive(Debug, Clone, Serialize)]
pub struct Fetched {
    /// Oldest first.
    pub messages: Vec<MessageText>,
}

pub(super) static QUEUE: Sql = Sql::new(
    "exc_message.fetch",
    "SELECT number, size FROM exc_message WHERE receiver = ?1 AND place = 'messages' AND process IS NULL \
     ORDER BY skipped, at, ord, number LIMIT ?2",
);

fn fetch(tx: &mut dyn Tx, wanted: &Fetch) -> OpResult<Fetched> {
    check_present(tx, &wanted.device)?;
    let files = wanted.files.min(FILES_MAX);
    let rows = tx.query(&QUEUE, args![&wanted.device, i64::try_from(files).unwrap_or(i64::MAX)], files)?;
    let (mut messages, mut bytes) = (vec![], 0_i64);
    for row in &rows {
        bytes = bytes.saturating_add(row.int(1));
        if !messages.is_empty() && bytes > wanted.bytes {
            break;
        }
        messages.push(body_of(tx, row.int(0))?);
    }
    Ok(Fetched { messages })
}
