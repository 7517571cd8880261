//! How far imports are.

use base::{OpError, OpResult, Sql, Tx, args};
use kernel::Query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::state::{Import, ImportFormat, ImportKind, ImportState, TOLD_MAX, import_columns};
use crate::codes::NIMPORT;

/// One import.
pub static SHOW_IMPORT: Query<String, ImportView> = Query::new("sensor.import", |tx, id| show(tx, id));
/// A page of imports, newest first, without their rejected lines.
pub static IMPORTS: Query<ImportsOf, Vec<ImportView>> = Query::new("sensor.imports", page);

/// Which page.
#[derive(Debug, Clone, Default)]
pub struct ImportsOf {
    /// Only ids before this one.
    pub after: String,
    /// At most so many.
    pub limit: u32,
}

/// An import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportView {
    /// Its id.
    #[schema(example = "01KA2B3C4D5E6F7G8H9JKMNPQR")]
    pub id: String,
    /// What its lines say.
    pub kind: ImportKind,
    /// How.
    pub format: ImportFormat,
    /// How far it is.
    pub state: ImportState,
    /// Why it failed.
    pub reason: String,
    /// Its bytes.
    pub size: u64,
    /// Bytes that are done.
    pub done: u64,
    /// Lines that are done, the first line of a CSV and empty ones included.
    pub lines: i64,
    /// Lines after which something is new.
    pub created: i64,
    /// Lines after which something is otherwise.
    pub changed: i64,
    /// Lines that said what was so already.
    pub unchanged: i64,
    /// Lines that could not be.
    pub rejected: i64,
    /// The first hundred of them.
    pub rejected_lines: Vec<RejectedLine>,
    /// When it began.
    #[schema(format = DateTime)]
    pub begun_at: String,
    /// When it ended.
    #[schema(format = DateTime)]
    pub ended_at: Option<String>,
}

/// A line that could not be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RejectedLine {
    /// Its number, from 1.
    pub line: i64,
    /// Why.
    pub reason: String,
}

pub(super) static NEWEST: Sql =
    Sql::new("sensor_import.newest", concat!(import_columns!(), "ORDER BY id DESC LIMIT ?1"));
pub(super) static BEFORE: Sql =
    Sql::new("sensor_import.before", concat!(import_columns!(), "WHERE id < ?1 ORDER BY id DESC LIMIT ?2"));
pub(super) static REJECTED: Sql = Sql::new(
    "sensor_import_line.of",
    "SELECT line, reason FROM sensor_import_line WHERE import_id = ?1 ORDER BY line LIMIT ?2",
);

pub(super) fn absent(id: &str) -> OpError {
    OpError::new(NIMPORT, format!("no import `{}`", kernel::watch::shown(id, 80)))
}

pub(super) fn show(tx: &mut dyn Tx, id: &str) -> OpResult<ImportView> {
    let import = Import::find(tx, id)?.ok_or_else(|| absent(id))?;
    let rejected = tx.query(&REJECTED, args![id, TOLD_MAX], usize::try_from(TOLD_MAX).unwrap_or(usize::MAX))?;
    let line = |row: &base::Row| RejectedLine { line: row.int(0), reason: row.text(1).to_owned() };
    Ok(ImportView { rejected_lines: rejected.iter().map(line).collect(), ..view(&import) })
}

fn page(tx: &mut dyn Tx, wanted: &ImportsOf) -> OpResult<Vec<ImportView>> {
    let limit = wanted.limit as usize;
    let rows = match wanted.after.as_str() {
        "" => tx.query(&NEWEST, args![wanted.limit], limit)?,
        after => tx.query(&BEFORE, args![after, wanted.limit], limit)?,
    };
    rows.iter().map(|row| Import::read(row).map(|import| view(&import))).collect()
}

fn view(import: &Import) -> ImportView {
    ImportView {
        id: import.id.clone(),
        kind: import.kind,
        format: import.format,
        state: import.state,
        reason: import.reason.clone(),
        size: import.size,
        done: import.place,
        lines: import.counts.lines,
        created: import.counts.created,
        changed: import.counts.changed,
        unchanged: import.counts.unchanged,
        rejected: import.counts.rejected,
        rejected_lines: vec![],
        begun_at: import.begun_at.rfc3339(),
        ended_at: import.ended_at.map(base::Wall::rfc3339),
    }
}
