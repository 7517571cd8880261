//! Lets go of the past: versions older than their directory keeps them, tombstones that every known device passed and that are older than
//! 400 days and than versions are kept (FLD-12), then contents and segments that nothing uses for a day. A portion at a time, once a day.
//!
//! Age is listening time of the store: a calendar that jumps ahead takes nothing that is young. The newest version of a file never goes
//! before the file does.

use base::{Heard, OpError, OpResult, Sql, Tx, args, codes};
use kernel::{NewTask, Op, OpCx, Plan, TaskDef, TaskRow};
use serde::{Deserialize, Serialize};

use super::{Rules, contents};
use crate::desk::content::unused::unrefer;

/// Lets go of what is old.
pub(crate) const FORGET: TaskDef = TaskDef::new(FORGET_OP, forget).queue(2).standing("D0441").ending();
const FORGET_OP: &str = "folders.forget";

/// Has it look now.
pub static FORGET_NOW: Op<(), ()> = Op::new("folders.forget_now", forget_now).ending();

/// The least that a tombstone stays.
const TOMBSTONE_MS: i64 = 400 * 86_400_000;
/// Rows of one portion.
const PORTION: usize = 300;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&NEXT, &OLD, &DROP_VERSION, &TOMBSTONES, &VERSIONS_OF, &DROP_FILE];

static NEXT: Sql = Sql::new(
    "fld_directory.next",
    "SELECT id, kept_ms FROM fld_directory WHERE gone = 0 AND id > ?1 ORDER BY id LIMIT 1",
);
/// Versions by age, with whether each may go: another one took its place so long ago. A version that stood for years and was overwritten
/// yesterday is yesterday's past.
static OLD: Sql = Sql::new(
    "fld_version.old",
    "SELECT v.heard, v.file, v.version, v.content, CASE WHEN EXISTS (SELECT 1 FROM fld_version n WHERE n.file = v.file \
     AND n.version > v.version AND n.heard < ?5) THEN 1 ELSE 0 END FROM fld_version v WHERE v.directory = ?1 AND v.heard >= ?2 AND v.heard < ?5 \
     AND (v.heard > ?2 OR v.file > ?3 OR v.file = ?3 AND v.version > ?4) ORDER BY v.heard, v.file, v.version LIMIT 300",
);
static DROP_VERSION: Sql = Sql::new("fld_version.drop_old", "DELETE FROM fld_version WHERE file = ?1 AND version = ?2");
/// Tombstones that no known device has still to hear of. One that does not say what it has heard of all when it was last here: it asks for
/// everything each time.
static TOMBSTONES: Sql = Sql::new(
    "fld_file.old_tombstones",
    "SELECT f.id FROM fld_file f WHERE f.directory = ?1 AND f.deleted = 1 AND f.heard < ?2 AND NOT EXISTS (SELECT 1 FROM fld_device d \
     WHERE d.directory = ?1 AND (d.seq > 0 AND d.seq < f.seq OR d.seq = 0 AND d.seen_at <= f.changed_at)) ORDER BY f.heard, f.id LIMIT 100",
);
static VERSIONS_OF: Sql = Sql::new(
    "fld_version.of_file",
    "SELECT version, content FROM fld_version WHERE file = ?1 ORDER BY version LIMIT 300",
);
static DROP_FILE: Sql = Sql::new("fld_file.drop", "DELETE FROM fld_file WHERE id = ?1 AND deleted = 1");

/// How far it is.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Progress {
    /// All directories up to this one are done; versions of the next are done up to the place below.
    directory: String,
    heard: i64,
    file: String,
    version: i64,
    /// Only contents are left.
    is_over: bool,
}

fn forget_now(_: &mut dyn Tx, cx: &mut OpCx<'_>, (): &()) -> OpResult<()> {
    let id = cx.id();
    cx.fx.task(NewTask::new(id, FORGET_OP).unique("now"));
    Ok(())
}

fn forget(tx: &mut dyn Tx, cx: &mut OpCx<'_>, row: &TaskRow) -> OpResult<Plan> {
    let wrong = |error| OpError::new(codes::BDETECTED, format!("task {}: {error}", row.id));
    let checkpoint = row.checkpoint.as_deref().filter(|text| *text != "null");
    let mut progress: Progress = checkpoint.map_or(Ok(Progress::default()), serde_json::from_str).map_err(wrong)?;
    let more = match progress.is_over {
        false => directory(tx, cx, &mut progress)?,
        true => contents::forget(tx, cx)?,
    };
    let text = serde_json::to_string(&progress).unwrap_or_default();
    Ok(if more { Plan::Checkpoint(text) } else { Plan::Done })
}

/// A portion of the directory that is next.
fn directory(tx: &mut dyn Tx, cx: &OpCx<'_>, progress: &mut Progress) -> OpResult<bool> {
    let Some(row) = tx.query_one(&NEXT, args![&progress.directory])? else {
        progress.is_over = true;
        return Ok(true);
    };
    let kept_ms = row.opt_int(1).unwrap_or_else(|| cx.home.common::<Rules>().kept_ms());
    // A tombstone takes the past of its file along, so it stays as long as that is kept.
    let (old, dead) = (cx.heard.plus_ms(-kept_ms), cx.heard.plus_ms(-kept_ms.max(TOMBSTONE_MS)));
    let more = versions(tx, cx, row.text(0), old, progress)? || tombstones(tx, cx, row.text(0), dead)?;
    if !more {
        *progress = Progress { directory: row.text(0).to_owned(), ..Progress::default() };
    }
    Ok(true)
}

/// Lets go of versions that are older; whether there may be more.
fn versions(tx: &mut dyn Tx, cx: &OpCx<'_>, directory: &str, before: Heard, progress: &mut Progress) -> OpResult<bool> {
    let place = args![directory, progress.heard, &progress.file, progress.version, before];
    let rows = tx.query(&OLD, place, PORTION)?;
    for row in rows.iter().filter(|row| row.int(4) == 1) {
        tx.write(&DROP_VERSION, args![row.text(1), row.int(2)])?;
        row.opt_text(3).map_or(Ok(()), |content| unrefer(tx, cx, content, 1))?;
    }
    if let Some(last) = rows.last() {
        (progress.heard, progress.version) = (last.int(0), last.int(2));
        last.text(1).clone_into(&mut progress.file);
    }
    Ok(rows.len() == PORTION)
}

/// Lets go of tombstones that everybody passed; whether there may be more.
fn tombstones(tx: &mut dyn Tx, cx: &OpCx<'_>, directory: &str, before: Heard) -> OpResult<bool> {
    let rows = tx.query(&TOMBSTONES, args![directory, before], 100)?;
    let mut versions = 0;
    for row in &rows {
        versions += tombstone(tx, cx, row.text(0))?;
        if versions >= PORTION {
            return Ok(true);
        }
    }
    Ok(rows.len() == 100)
}

/// Lets go of a file that was deleted, with its past; a long past goes first.
fn tombstone(tx: &mut dyn Tx, cx: &OpCx<'_>, file: &str) -> OpResult<usize> {
    let rows = tx.query(&VERSIONS_OF, args![file], PORTION)?;
    for row in &rows {
        tx.write(&DROP_VERSION, args![file, row.int(0)])?;
        row.opt_text(1).map_or(Ok(()), |content| unrefer(tx, cx, content, 1))?;
    }
    if rows.len() < PORTION {
        tx.write(&DROP_FILE, args![file])?;
    }
    Ok(rows.len())
}
