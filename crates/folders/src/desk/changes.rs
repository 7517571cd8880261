//! What changed in a directory after a commit, oldest first (CHECK_VERSION), and all that is in it.
//!
//! A page ends anywhere: its cursor is the commit up to which everything was told and, behind it, the place within what follows. For clients
//! that do not know the tree (`each`) a folder that was moved is followed by all in it (FLD-15), also page by page.

use base::{OpError, OpResult, Sql, Tx, args, codes};
use kernel::Query;

use super::cursor::Cursor;
use super::directory::Directory;
use super::file::{Found, columns, files};
use super::moved::{self, Below};
use super::numbers::{many, stored};
use super::paths::Paths;
use super::rights::{Right, enter};
use crate::form::{Changes, ChangesOf, FileMeta};

/// What changed after a commit, tombstones too.
pub static CHANGES: Query<ChangesOf, Changes> = Query::new("folders.changes", |tx, of| page(tx, of, &AFTER));

/// All that is in a directory: no tombstones, and nothing twice.
pub static LISTING: Query<ChangesOf, Changes> =
    Query::new("folders.listing", |tx, of| page(tx, &ChangesOf { each: false, ..of.clone() }, &LIVING));

/// Files of a page.
const PAGE_MAX: usize = 1_000;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&AFTER, &LIVING];

/// Files of the commit after the last one that was told whole, behind one of them, and those of all later ones.
static AFTER: Sql = Sql::new(
    "fld_file.after",
    concat!(
        "SELECT ",
        columns!(),
        " ",
        files!(),
        " WHERE f.directory = ?1 AND f.seq > ?2 AND (f.seq > ?3 OR f.id > ?4) \
         ORDER BY f.seq, f.id LIMIT ?5"
    ),
);
static LIVING: Sql = Sql::new(
    "fld_file.living",
    concat!(
        "SELECT ",
        columns!(),
        " ",
        files!(),
        " WHERE f.directory = ?1 AND f.seq > ?2 AND (f.seq > ?3 OR f.id > ?4) AND f.deleted = 0 \
         ORDER BY f.seq, f.id LIMIT ?5"
    ),
);

fn page(tx: &mut dyn Tx, of: &ChangesOf, sql: &'static Sql) -> OpResult<Changes> {
    let directory = enter(tx, &of.directory, &of.who, Right::Read)?;
    let cursor = Cursor::read(&of.after_file, of.after)
        .ok_or_else(|| OpError::new(codes::ABODY, "after_file is no cursor of a page"))?;
    let limit = of.limit.clamp(1, PAGE_MAX);
    let mut reading =
        Reading { tx, directory: &directory, each: of.each, limit, files: vec![], paths: Paths::default() };
    reading.read(cursor, of.after, sql)
}

/// One page on its way.
struct Reading<'a> {
    tx: &'a mut dyn Tx,
    directory: &'a Directory,
    each: bool,
    limit: usize,
    files: Vec<FileMeta>,
    paths: Paths,
}

impl Reading<'_> {
    fn read(&mut self, mut cursor: Cursor, after: u64, sql: &'static Sql) -> OpResult<Changes> {
        // The page before ended below a folder.
        if let Some(below) = cursor.below.take()
            && let Some(rest) = self.descend(&cursor.file, below, cursor.since)?
        {
            return Ok(self.full(after, Cursor { below: Some(rest), ..cursor }));
        }
        let room = self.limit + 1 - self.files.len();
        let (next, behind) = (stored(after.saturating_add(1)), &cursor.file);
        let rows = self.tx.query(sql, args![&self.directory.id, stored(after), next, behind, many(room)], room)?;
        let mut last = (after, cursor.clone());
        for found in rows.iter().map(Found::read) {
            if self.files.len() >= self.limit {
                return Ok(self.full(last.0, last.1));
            }
            let here = Cursor { file: found.entry.id.clone(), below: None, since: cursor.since };
            last = (found.entry.seq - 1, here.clone());
            let is_moved = self.each && moved::is_moved(self.tx, &found.entry, cursor.since)?;
            self.push(&found)?;
            if is_moved && let Some(rest) = self.descend(&here.file, Below::default(), cursor.since)? {
                return Ok(self.full(last.0, Cursor { below: Some(rest), ..here }));
            }
        }
        let files = std::mem::take(&mut self.files);
        Ok(Changes { files, seq: self.directory.seq.max(after), file: String::new(), more: false })
    }

    /// The page is full: everything up to `seq` was told, and of what follows all up to the cursor.
    fn full(&mut self, seq: u64, cursor: Cursor) -> Changes {
        Changes { files: std::mem::take(&mut self.files), seq, file: cursor.text(), more: true }
    }

    fn push(&mut self, found: &Found) -> OpResult<()> {
        let path = self.paths.of(self.tx, &found.entry.parent, &found.entry.name)?;
        self.files.push(found.meta(path));
        Ok(())
    }

    /// All below a folder that moved, as far as there is room; where to go on if there is more.
    fn descend(&mut self, folder: &str, from: Below, since: u64) -> OpResult<Option<Below>> {
        let mut walk = moved::Walk::begin(self.tx, (&self.directory.id, folder), self.directory.names, from)?;
        while self.files.len() < self.limit {
            let Some(found) = walk.next(self.tx, since)? else { return Ok(None) };
            // What changed itself is told by itself.
            if found.entry.seq <= since {
                self.push(&found)?;
            }
        }
        Ok(Some(walk.place()))
    }
}
