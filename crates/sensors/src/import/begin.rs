//! Begins an import of bytes that are stored already, and ends one that somebody does not want any more.

use base::{OpError, OpResult, Sha, Sql, Tx, args, codes};
use kernel::{NewTask, Op, OpCx, blobs};
use serde::{Deserialize, Serialize};

use super::show::{ImportView, absent, show};
use super::state::{Import, ImportFormat, ImportKind, ImportState};
use super::{IMPORT, owner};

/// Begins an import.
pub static BEGIN_IMPORT: Op<BeginImport, ImportView> = Op::new("sensor.import_begin", begin);
/// Ends an import; what its lines did stays. Ending one that has ended changes nothing.
pub static CANCEL_IMPORT: Op<String, ImportView> = Op::new("sensor.import_cancel", |tx, cx, id| cancel(tx, cx, id));

/// What is imported.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BeginImport {
    /// What lines say.
    pub kind: ImportKind,
    /// How.
    pub format: ImportFormat,
    /// The bytes, as a blob that is stored.
    pub sha: String,
}

pub(super) static INSERT: Sql = Sql::new(
    "sensor_import.insert",
    "INSERT INTO sensor_import (id, kind, format, sha, size, state, reason, place, skipping, lines, created, changed, unchanged, \
     rejected, begun_at) VALUES (?1, ?2, ?3, ?4, ?5, 'running', '', 0, 0, 0, 0, 0, 0, 0, ?6)",
);

fn begin(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &BeginImport) -> OpResult<ImportView> {
    let sha: Sha = input.sha.parse().map_err(|error| OpError::new(codes::ABODY, format!("import: {error}")))?;
    let (id, size) = (cx.id().to_string(), blobs::size(tx, sha)?);
    blobs::refer(tx, cx, sha, &owner(&id))?;
    tx.write(&INSERT, args![&id, input.kind.word(), input.format.word(), sha, size, cx.wall])?;
    let param = serde_json::json!(id).to_string();
    let task = NewTask::new(cx.id(), IMPORT.op).param(param).info(format!("{} {id}", input.kind.word()));
    cx.fx.task(task.lane(IMPORT.op));
    show(tx, &id)
}

fn cancel(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &str) -> OpResult<ImportView> {
    let import = Import::find(tx, id)?.ok_or_else(|| absent(id))?;
    if import.state == ImportState::Running {
        end(tx, cx, import, ImportState::Cancelled, "")?;
    }
    show(tx, id)
}

/// Ends an import: its bytes are kept no longer.
pub(super) fn end(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    mut import: Import,
    state: ImportState,
    reason: &str,
) -> OpResult<()> {
    (import.state, import.reason, import.ended_at) = (state, reason.to_owned(), Some(cx.wall));
    import.ended = Some(cx.heard);
    import.save(tx)?;
    blobs::unrefer(tx, cx, import.sha, &owner(&import.id))?;
    let counts = import.counts;
    let told = format!(
        "{} of {}: {} lines, {} created, {} changed, {} rejected",
        state.word(),
        import.kind.word(),
        counts.lines,
        counts.created,
        counts.changed,
        counts.rejected
    );
    cx.fx.journal("sensor.import", &import.id, told);
    Ok(())
}
