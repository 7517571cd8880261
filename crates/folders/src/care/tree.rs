//! Files of a directory as people browse them: a folder's content, what was deleted below it, one file.

use base::{OpError, OpResult, Sql, Tx, args};
use kernel::Query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::codes::NFILE;
use crate::desk::directory::{Directory, short};
use crate::desk::file::{self, Found, columns, files};
use crate::desk::numbers::many;
use crate::desk::paths::Paths;
use crate::desk::rights::{Right, enter};
use crate::form::{Kind, Who};
use crate::names::{parts, slot};

/// What is in a folder, by name; or what was deleted below it, newest first.
pub static TREE: Query<TreeOf, FilesPage> = Query::new("folders.tree", tree);
/// One file, or its tombstone.
pub static FILE: Query<OfFile, FileView> = Query::new("folders.file", one);

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&CHILDREN, &STEP, &GONE];

static CHILDREN: Sql = Sql::new(
    "fld_file.page_of_folder",
    concat!(
        "SELECT ",
        columns!(),
        ", f.slot ",
        files!(),
        " WHERE f.directory = ?1 AND f.parent = ?2 AND f.deleted = 0 AND f.slot > ?3 \
         ORDER BY f.slot LIMIT ?4"
    ),
);
static STEP: Sql = Sql::new(
    "fld_file.step",
    "SELECT id, kind FROM fld_file WHERE directory = ?1 AND parent = ?2 AND slot = ?3 AND deleted = 0",
);
static GONE: Sql = Sql::new(
    "fld_file.page_of_gone",
    concat!(
        "SELECT ",
        columns!(),
        ", f.heard ",
        files!(),
        " WHERE f.directory = ?1 AND f.deleted = 1 AND (f.heard < ?2 OR f.heard = ?2 AND f.id < ?3) \
         ORDER BY f.heard DESC, f.id DESC LIMIT ?4"
    ),
);

/// Which page of what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeOf {
    /// Who asks.
    pub who: Who,
    /// Which directory.
    pub directory: String,
    /// Which folder; empty: the top.
    pub path: String,
    /// What was deleted below it, not what is there.
    pub deleted: bool,
    /// The cursor of the page before.
    pub after: String,
    /// At most so many.
    pub limit: u32,
}

/// Which file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfFile {
    /// Who asks.
    pub who: Who,
    /// In which directory it must be.
    pub directory: String,
    /// Which.
    pub file: String,
}

/// A page of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilesPage {
    /// The files.
    pub files: Vec<FileView>,
    /// The cursor of the next page, if there is one.
    pub next: Option<String>,
}

/// A file, a folder or a symbolic link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FolderFile)]
pub struct FileView {
    /// Its id, a uuid4.
    pub id: String,
    /// `FILE`, `FOLDER` or `SYMLINK`.
    #[schema(value_type = String, example = "FILE")]
    pub kind: Kind,
    /// Where it is; of what was deleted: where it was.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Its newest version, from 1.
    pub version: u64,
    /// The last version in which its content changed.
    pub content_version: u64,
    /// It is deleted.
    pub deleted: bool,
    /// Bytes.
    pub size: u64,
    /// SHA-256 of its bytes, if known.
    #[schema(nullable)]
    pub sha256: Option<String>,
    /// Where a symbolic link leads.
    #[schema(nullable)]
    pub target: Option<String>,
    /// It may be run, if its device says.
    #[schema(nullable)]
    pub executable: Option<bool>,
    /// When this version came to be.
    pub changed_at: String,
}

impl FileView {
    pub(crate) fn of(found: &Found, path: String) -> Self {
        let entry = &found.entry;
        Self {
            id: entry.id.clone(),
            kind: entry.kind,
            path,
            name: entry.name.clone(),
            version: entry.version,
            content_version: entry.content_version,
            deleted: entry.deleted,
            size: entry.size,
            sha256: entry.hash.clone(),
            target: entry.target.clone(),
            executable: entry.executable,
            changed_at: found.changed_at.rfc3339(),
        }
    }
}

/// The refusal of a file that is not there.
pub(crate) fn no_file(text: &str) -> OpError {
    OpError::new(NFILE, format!("no file `{}` in this directory", short(text)))
}

fn one(tx: &mut dyn Tx, of: &OfFile) -> OpResult<FileView> {
    enter(tx, &of.directory, &of.who, Right::Read)?;
    let found = file::find(tx, &of.file)?.filter(|found| found.directory == of.directory);
    let found = found.ok_or_else(|| no_file(&of.file))?;
    let path = Paths::default().of(tx, &found.entry.parent, &found.entry.name)?;
    Ok(FileView::of(&found, path))
}

fn tree(tx: &mut dyn Tx, of: &TreeOf) -> OpResult<FilesPage> {
    let directory = enter(tx, &of.directory, &of.who, Right::Read)?;
    if of.deleted {
        return gone(tx, of);
    }
    let folder = folder(tx, &directory, &of.path)?;
    let limit = of.limit as usize;
    let rows = tx.query(&CHILDREN, args![&of.directory, &folder, &of.after, many(limit + 1)], limit + 1)?;
    let mut paths = Paths::default();
    let mut files = vec![];
    for row in rows.iter().take(limit) {
        let found = Found::read(row);
        let path = paths.of(tx, &folder, &found.entry.name)?;
        files.push(FileView::of(&found, path));
    }
    let next = rows.get(limit).and_then(|_| rows.get(limit - 1)).map(|row| row.text(18).to_owned());
    Ok(FilesPage { files, next })
}

/// The id of the folder at a path.
pub(crate) fn folder(tx: &mut dyn Tx, directory: &Directory, path: &str) -> OpResult<String> {
    let mut at = String::new();
    if path.is_empty() {
        return Ok(at);
    }
    for part in parts(path).map_err(|_| no_file(path))? {
        let row = tx.query_one(&STEP, args![&directory.id, &at, slot(directory.names, part)])?;
        at = row.filter(|row| row.text(1) == "FOLDER").ok_or_else(|| no_file(path))?.text(0).to_owned();
    }
    Ok(at)
}

/// What was deleted, newest first; those elsewhere than asked for are left out of a page.
fn gone(tx: &mut dyn Tx, of: &TreeOf) -> OpResult<FilesPage> {
    let (heard, id) = of.after.split_once(';').unwrap_or(("", ""));
    let heard = heard.parse().unwrap_or(i64::MAX);
    let limit = of.limit as usize;
    let rows = tx.query(&GONE, args![&of.directory, heard, id, many(limit + 1)], limit + 1)?;
    let (mut paths, mut files) = (Paths::default(), vec![]);
    for row in rows.iter().take(limit) {
        let found = Found::read(row);
        let path = paths.of(tx, &found.entry.parent, &found.entry.name)?;
        files.extend(is_within(&path, &of.path).then(|| FileView::of(&found, path)));
    }
    let last = rows.get(limit).and_then(|_| rows.get(limit - 1));
    let next = last.map(|row| format!("{};{}", row.int(18), row.text(0)));
    Ok(FilesPage { files, next })
}

/// Whether a path lies in a folder; all lie in the top.
pub(crate) fn is_within(path: &str, folder: &str) -> bool {
    folder.is_empty() || path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
