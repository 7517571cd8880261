//! What only pages ask for: copies that were made of refused edits, by their names.

use base::{OpResult, Sql, Tx, args};
use kernel::Query;

use crate::care::FileView;
use crate::desk::file::{Found, columns, files};
use crate::desk::numbers::{many, stored, told};
use crate::desk::paths::Paths;
use crate::desk::rights::{Right, enter};
use crate::form::Who;
use crate::names::is_conflict;

/// Conflicts of a directory, newest first.
pub(super) static CONFLICTS: Query<ConflictsOf, ConflictsPage> = Query::new("folders.conflicts", conflicts);

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&NEWEST];

/// Rows that one page looks at: names are told apart here, not by the engine.
const LOOKED_AT: usize = 5_000;
/// Rows of one statement.
const BATCH: usize = 1_000;

static NEWEST: Sql = Sql::new(
    "fld_file.newest",
    concat!(
        "SELECT ",
        columns!(),
        " ",
        files!(),
        " WHERE f.directory = ?1 AND (f.seq < ?2 OR f.seq = ?2 AND f.id < ?3) \
         ORDER BY f.seq DESC, f.id DESC LIMIT ?4"
    ),
);

pub(super) struct ConflictsOf {
    pub(super) who: Who,
    pub(super) directory: String,
    /// The cursor of the page before: a commit, and a file of it.
    pub(super) before: Option<(u64, String)>,
    pub(super) limit: usize,
}

pub(super) struct ConflictsPage {
    pub(super) files: Vec<FileView>,
    /// Where the next page begins, if not all were looked at.
    pub(super) next: Option<(u64, String)>,
}

fn conflicts(tx: &mut dyn Tx, of: &ConflictsOf) -> OpResult<ConflictsPage> {
    enter(tx, &of.directory, &of.who, Right::Read)?;
    let (mut paths, mut files) = (Paths::default(), vec![]);
    let mut next = Some(of.before.clone().unwrap_or((told(i64::MAX), String::new())));
    let mut looked_at = 0;
    while let Some((seq, id)) = next.clone() {
        if files.len() >= of.limit || looked_at >= LOOKED_AT {
            break;
        }
        let rows = tx.query(&NEWEST, args![&of.directory, stored(seq), &id, many(BATCH)], BATCH)?;
        next = None;
        for row in &rows {
            let found = Found::read(row);
            looked_at += 1;
            next = Some((found.entry.seq, found.entry.id.clone()));
            if !found.entry.deleted && is_conflict(&found.entry.name) {
                let path = paths.of(tx, &found.entry.parent, &found.entry.name)?;
                files.push(FileView::of(&found, path));
            }
            if files.len() >= of.limit {
                break;
            }
        }
        if rows.len() < BATCH && files.len() < of.limit {
            next = None;
        }
    }
    Ok(ConflictsPage { files, next })
}
