//! What lies below a folder that was moved, in an order in which any place can be found again.

use base::{OpResult, Sql, Tx, args};

use super::file::{Found, columns, files};
use super::numbers::stored;
use crate::form::Kind;
use crate::names::{Policy, slot};
use crate::plan::Entry;

/// Rows that are read at once.
const STEP: usize = 200;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&BEFORE, &NEXT, &FOLDER_AT];

/// The version that somebody knew who was told everything up to a commit.
static BEFORE: Sql = Sql::new(
    "fld_version.before",
    "SELECT parent, name FROM fld_version WHERE file = ?1 AND seq <= ?2 ORDER BY version DESC LIMIT 1",
);
static NEXT: Sql = Sql::new(
    "fld_file.next_in_folder",
    concat!(
        "SELECT ",
        columns!(),
        " ",
        files!(),
        " WHERE f.directory = ?1 AND f.parent = ?2 AND f.deleted = 0 AND f.slot > ?3 \
         ORDER BY f.slot LIMIT 200"
    ),
);
static FOLDER_AT: Sql = Sql::new(
    "fld_file.folder_at",
    "SELECT id FROM fld_file WHERE directory = ?1 AND parent = ?2 AND slot = ?3 AND deleted = 0 AND kind = 'FOLDER'",
);

/// Whether somebody who was told everything up to a commit knows this folder elsewhere. Where its past was forgotten, it may be so.
pub(crate) fn is_moved(tx: &mut dyn Tx, entry: &Entry, since: u64) -> OpResult<bool> {
    if entry.kind != Kind::Folder || entry.deleted || entry.version == 1 || since == 0 {
        return Ok(false);
    }
    let before = tx.query_one(&BEFORE, args![&entry.id, stored(since)])?;
    Ok(before.is_none_or(|row| row.text(0) != entry.parent || row.text(1) != entry.name))
}

/// A place below a folder: the slots on the way to what was told last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Below(Vec<String>);

impl Below {
    pub(crate) fn read(text: &str) -> Self {
        Self(text.split('/').filter(|slot| !slot.is_empty()).map(str::to_owned).collect())
    }

    pub(crate) fn text(&self) -> String {
        self.0.join("/")
    }
}

/// One folder on the way down.
struct Level {
    id: String,
    /// The slot of what was told last in it.
    last: String,
    /// What was read of it and is not told yet, the next one last.
    ahead: Vec<Found>,
    is_read: bool,
}

/// Walks through all below a folder: each folder, then what is in it.
pub(crate) struct Walk {
    directory: String,
    names: Policy,
    levels: Vec<Level>,
}

impl Walk {
    /// Begins behind a place. Folders on the way to it that are gone by now are passed over: whatever became of them is told by itself.
    pub(crate) fn begin(
        tx: &mut dyn Tx,
        (directory, folder): (&str, &str),
        names: Policy,
        from: Below,
    ) -> OpResult<Self> {
        let mut walk = Self { directory: directory.to_owned(), names, levels: vec![Level::of(folder)] };
        for slot in from.0 {
            let Some(level) = walk.levels.last_mut() else { break };
            let found = tx.query_one(&FOLDER_AT, args![&walk.directory, &level.id, &slot])?;
            level.last = slot;
            let Some(row) = found else { break };
            walk.levels.push(Level::of(row.text(0)));
        }
        Ok(walk)
    }

    /// The next file; folders that moved themselves since a commit are not entered: they are followed by what is in them on their own.
    pub(crate) fn next(&mut self, tx: &mut dyn Tx, since: u64) -> OpResult<Option<Found>> {
        loop {
            let Some(level) = self.levels.last_mut() else { return Ok(None) };
            if level.ahead.is_empty() && !level.is_read {
                level.read(tx, &self.directory)?;
            }
            let Some(found) = level.ahead.pop() else {
                self.levels.pop();
                continue;
            };
            level.last = slot(self.names, &found.entry.name);
            if found.entry.kind == Kind::Folder && !(found.entry.seq > since && is_moved(tx, &found.entry, since)?) {
                self.levels.push(Level::of(&found.entry.id));
            }
            return Ok(Some(found));
        }
    }

    /// Where it is, to go on later.
    pub(crate) fn place(&self) -> Below {
        Below(self.levels.iter().map(|level| level.last.clone()).filter(|slot| !slot.is_empty()).collect())
    }
}

impl Level {
    fn of(id: &str) -> Self {
        Self { id: id.to_owned(), last: String::new(), ahead: vec![], is_read: false }
    }

    fn read(&mut self, tx: &mut dyn Tx, directory: &str) -> OpResult<()> {
        let rows = tx.query(&NEXT, args![directory, &self.id, &self.last], STEP)?;
        self.is_read = rows.len() < STEP;
        self.ahead = rows.iter().rev().map(Found::read).collect();
        Ok(())
    }
}
