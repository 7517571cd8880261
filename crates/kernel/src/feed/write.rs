//! Writes an event in the operation's own transaction.

use std::sync::atomic::{AtomicI64, Ordering};

use base::limits::NAME_MAX;
use base::mutants::{self, Mutant};
use base::{Engine, Id, OpError, OpResult, Sql, Tx, args, codes};

use super::page;
use crate::effects::Event;

/// Largest data of one event in bytes: a page of 1,000 must fit into memory.
const DATA_MAX: usize = 64 * 1024;

pub(super) static INSERT: Sql = Sql::new(
    "event.insert",
    "INSERT INTO event (id, number, topic, subject, version, data, heard_at) VALUES (?1, ?7, ?2, ?3, ?4, ?5, ?6)",
);
// With one writer nobody comes between reading the newest number and writing the next; the index gives it in one step.
pub(super) static INSERT_NUMBERED: Sql = Sql::new(
    "event.insert_numbered",
    "INSERT INTO event (id, number, topic, subject, version, data, heard_at) \
     VALUES (?1, (SELECT COALESCE(MAX(number), 0) + 1 FROM event), ?2, ?3, ?4, ?5, ?6)",
);

/// Writes an event; on SQLite with its number.
pub(crate) fn write(tx: &mut dyn Tx, id: Id, event: &Event) -> OpResult<()> {
    check(event)?;
    let heard = tx.heard();
    let Event { topic, subject, version, data } = event;
    if mutants::on(Mutant::EventNumberedOutside) {
        let number = number_from_memory(tx)?;
        return Ok(tx.write(&INSERT, args![id, topic, subject, *version, data, heard, number])?);
    }
    match tx.engine() {
        Engine::Sqlite => tx.write(&INSERT_NUMBERED, args![id, topic, subject, *version, data, heard])?,
        Engine::Postgres => tx.write(&INSERT, args![id, topic, subject, *version, data, heard, None::<i64>])?,
    }
    Ok(())
}

/// Events are made by operations: one that is out of bounds is a bug of theirs.
fn check(event: &Event) -> OpResult<()> {
    let named = |name: &str| !name.is_empty() && name.len() <= NAME_MAX;
    if named(&event.topic) && event.subject.len() <= NAME_MAX && event.data.len() <= DATA_MAX {
        return Ok(());
    }
    let Event { topic, subject, data, .. } = event;
    let message = format!("event `{topic}` of `{subject}` with {} bytes is out of bounds", data.len());
    Err(OpError::new(codes::BDETECTED, message))
}

/// What the mutant does: a counter in memory, which no rollback takes back.
fn number_from_memory(tx: &mut dyn Tx) -> OpResult<i64> {
    static LAST: AtomicI64 = AtomicI64::new(0);
    let head = page::head(tx)?;
    Ok(LAST.fetch_max(head, Ordering::Relaxed).max(head).max(LAST.fetch_add(1, Ordering::Relaxed) + 1))
}
