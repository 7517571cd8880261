//! Brings a whole tree back to a moment, or undoes what a device did (FLD-24): a task of many small commits, each of which leaves a good tree.
//! It can end at any step and goes on where it was; what somebody changes after it began is left alone.

use base::{Keys, OpError, OpResult, Sql, Tx, args, codes};
use kernel::{NewTask, Op, OpCx, Plan, TaskDef, TaskRow};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::target::Moment;
use crate::care::is_within;
use crate::codes::AFOLDER;
use crate::desk::directory::Directory;
use crate::desk::numbers::{stored, told};
use crate::desk::rights::{Right, enter};
use crate::form::Who;
use crate::names::parts;

mod back;

/// Begins to bring a directory back.
pub static BEGIN_REWIND: Op<Rewind, Begun> =
    Op::new("folders.rewind", begin).keyed(|input| crate::key_of(&input.directory));
/// What does it.
pub(crate) const TASK: TaskDef = TaskDef::new(TASK_OP, portion).queue(2).keyed(keys);
const TASK_OP: &str = "folders.rewind_some";

/// Files of one commit.
const PORTION: usize = 50;
/// How often folders that are to go are looked at again, because others were in them.
const ROUNDS_MAX: u32 = 50;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&CHANGED, &FIRST_SINCE];

/// Files that changed behind a commit, up to one.
static CHANGED: Sql = Sql::new(
    "fld_file.changed",
    "SELECT id, seq FROM fld_file WHERE directory = ?1 AND seq >= ?2 AND seq <= ?4 AND (seq > ?2 OR id > ?3) ORDER BY seq, id LIMIT 50",
);
static FIRST_SINCE: Sql = Sql::new(
    "fld_version.first_since",
    "SELECT seq FROM fld_version WHERE directory = ?1 AND changed_at >= ?2 ORDER BY changed_at, seq LIMIT 1",
);

/// What is to be brought back, by whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewind {
    /// By whom.
    pub who: Who,
    /// Which directory.
    pub directory: String,
    /// To what.
    pub to: Moment,
}

/// It is durable, and runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FolderRewind)]
pub struct Begun {
    /// The task that does it; the journal tells what came of it.
    pub task: String,
}

/// What the task is given.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Work {
    pub(crate) rewind: Rewind,
    /// What changed later is left alone.
    pub(crate) until: u64,
    /// Where to begin.
    from: u64,
}

/// How far it is.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// How often it looked at folders that are to go; none: it looks at all for the first time.
    pub(crate) round: u32,
    seq: u64,
    file: String,
    /// Folders went in this round.
    any_went: bool,
    pub(crate) changed: u64,
    pub(crate) deleted: u64,
    /// Left as they are, because their past is not known.
    pub(crate) unknown: u64,
    /// Left as they are, because they cannot be where they were.
    pub(crate) failed: u64,
}

fn keys(row: &TaskRow) -> Keys {
    serde_json::from_str::<Work>(&row.param).map_or(Keys::NONE, |work| crate::key_of(&work.rewind.directory))
}

fn begin(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Rewind) -> OpResult<Begun> {
    let directory = enter(tx, &input.directory, &input.who, Right::Admin)?;
    let since = match &input.to {
        Moment::At { at, path } => {
            if !path.is_empty() {
                parts(path).map_err(|why| OpError::new(AFOLDER, why))?;
            }
            *at
        }
        Moment::Without { since, .. } => *since,
    };
    let first = tx.query_one(&FIRST_SINCE, args![&input.directory, since])?;
    let from = first.map_or(directory.seq + 1, |row| told(row.int(0)));
    let work = Work { rewind: input.clone(), until: directory.seq, from };
    let id = cx.id();
    let param = serde_json::to_string(&work).unwrap_or_default();
    cx.fx.task(NewTask::new(id, TASK_OP).param(param).info(format!("directory {}", input.directory)));
    cx.fx.journal("folders.rewind", &input.directory, format!("{} begins: {}", input.who.key, told_of(&input.to)));
    Ok(Begun { task: id.to_string() })
}

fn told_of(moment: &Moment) -> String {
    match moment {
        Moment::At { at, path } => format!("as it was at {} below `{path}`", at.rfc3339()),
        Moment::Without { device, since } => format!("without what {device} did since {}", since.rfc3339()),
    }
}

fn portion(tx: &mut dyn Tx, cx: &mut OpCx<'_>, row: &TaskRow) -> OpResult<Plan> {
    let wrong = |error| OpError::new(codes::BDETECTED, format!("task {}: {error}", row.id));
    let work: Work = serde_json::from_str(&row.param).map_err(wrong)?;
    let mut progress = match &row.checkpoint {
        Some(text) => serde_json::from_str(text).map_err(wrong)?,
        None => Progress { seq: work.from, ..Progress::default() },
    };
    // It may have been removed meanwhile.
    let Some(mut directory) = Directory::find(tx, &work.rewind.directory)? else { return Ok(Plan::Done) };
    let seq = progress.seq;
    let rows = tx.query(&CHANGED, args![&directory.id, stored(seq), &progress.file, stored(work.until)], PORTION)?;
    let ids: Vec<String> = rows.iter().map(|row| row.text(0).to_owned()).collect();
    if let Some(last) = rows.last() {
        (progress.seq, progress.file) = (told(last.int(1)), last.text(0).to_owned());
    }
    let went = progress.deleted;
    back::bring(tx, cx, (&mut directory, &work), &ids, &mut progress)?;
    progress.any_went |= progress.deleted > went;
    if ids.len() < PORTION && !next_round(&work, &mut progress) {
        end(cx, &work, &progress);
        return Ok(Plan::Done);
    }
    Ok(Plan::Checkpoint(serde_json::to_string(&progress).unwrap_or_default()))
}

/// Folders that were to go may be empty by now: whether to look again.
fn next_round(work: &Work, progress: &mut Progress) -> bool {
    let again = progress.any_went && progress.round < ROUNDS_MAX;
    (progress.round, progress.any_went) = (progress.round + 1, false);
    (progress.seq, progress.file) = (work.from, String::new());
    again
}

fn end(cx: &mut OpCx<'_>, work: &Work, progress: &Progress) {
    let Progress { changed, deleted, unknown, failed, .. } = progress;
    let text = format!(
        "{}: {changed} files brought back, {deleted} deleted, {unknown} whose past is not kept and {failed} without a place left as they are",
        told_of(&work.rewind.to)
    );
    cx.fx.journal("folders.rewound", &work.rewind.directory, text);
}

/// Whether somebody wants what is at this path brought back.
pub(crate) fn is_meant(moment: &Moment, path: &str) -> bool {
    match moment {
        Moment::At { path: folder, .. } => is_within(path, folder),
        Moment::Without { .. } => true,
    }
}
