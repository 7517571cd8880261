//! Journal: what an operator would want to read later (KER-28).
//!
//! Lines are effects of operations, in their commit. What happens while the store cannot be written goes to the log at once
//! and waits in memory ([`Later`]) until it can.
//!
//! Invariants: a line is one line (control characters become pictures), bounded in length; nothing is older than the
//! retention says, and nothing is deleted because the calendar jumped.

mod find;
mod forget;
mod late;
mod later;
pub mod search;

use base::{Heard, Id, Migration, OpResult, Sql, Tx, Wall, args};

use crate::cx::OpCx;
use crate::effects::JournalLine;
use crate::service::{ServiceDef, TaskDef};
use crate::watch::shown;

pub use find::find;
pub(crate) use late::{JOURNAL_LATE, LATE_MAX};
pub use later::{LateLine, Later};

const KIND_MAX: usize = 64;
const SUBJECT_MAX: usize = 255;
/// Longest text of a line; more is cut.
pub const TEXT_MAX: usize = 4_000;
/// Name of the setting of its retention.
pub(crate) const SETTING: &str = "journal";

/// The journal.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "journal",
    migrations: &[Migration {
        service: "journal",
        version: 1,
        text: include_str!("../../migrations/journal_0001.sql"),
    }],
    statements: &[&INSERT, &search::PAGE, &forget::OLDEST, &forget::DELETE],
    operations: &[&JOURNAL_LATE],
    tasks: &[TaskDef::new("journal.forget", forget::plan).queue(2).standing("D0347").ending()],
    ..ServiceDef::EMPTY
};

static INSERT: Sql = Sql::new(
    "journal.insert",
    "INSERT INTO journal (id, at, kind, subject, caller, text, heard) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
     ON CONFLICT (id) DO NOTHING",
);

/// Writes a line in the operation's own transaction.
pub(crate) fn write(tx: &mut dyn Tx, cx: &OpCx<'_>, id: Id, line: &JournalLine) -> OpResult<()> {
    insert(tx, id, (cx.wall, cx.heard), &cx.caller.name, line)
}

fn insert(tx: &mut dyn Tx, id: Id, (at, heard): (Wall, Heard), caller: &str, line: &JournalLine) -> OpResult<()> {
    let (kind, subject) = (shown(&line.kind, KIND_MAX), shown(&line.subject, SUBJECT_MAX));
    let text = shown(&line.text, TEXT_MAX);
    Ok(tx.write(&INSERT, args![id, at, kind, subject, caller, text, heard])?)
}
