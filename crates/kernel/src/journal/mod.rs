//! Journal: what an operator would want to read later (KER-28).

use base::{Id, Migration, OpResult, Sql, Tx, args};

use crate::cx::OpCx;
use crate::effects::JournalLine;
use crate::service::ServiceDef;

/// The journal.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "journal",
    migrations: &[Migration {
        service: "journal",
        version: 1,
        text: include_str!("../../migrations/journal_0001.sql"),
    }],
    statements: &[&INSERT],
    ..ServiceDef::EMPTY
};

static INSERT: Sql = Sql::new(
    "journal.insert",
    "INSERT INTO journal (id, at, kind, subject, caller, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
);

/// Writes a line in the operation's own transaction.
pub(crate) fn write(tx: &mut dyn Tx, cx: &OpCx<'_>, id: Id, line: &JournalLine) -> OpResult<()> {
    Ok(tx.write(&INSERT, args![id, cx.wall, &line.kind, &line.subject, &cx.caller.name, &line.text])?)
}
