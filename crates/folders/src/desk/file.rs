//! Files and their versions as rows have them.

use base::{Heard, OpResult, Row, Sql, Tx, Wall, args};

use super::numbers::{stored, told};
use crate::form::{FileMeta, Kind};
use crate::plan::Entry;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&BY_ID, &KNOWN, &INSERT, &UPDATE, &PARK, &ADD_VERSION, &VERSION];

/// The columns of a file (`f`) with its content (`c`), as [`Found::read`] takes them.
macro_rules! columns {
    () => {
        "f.id, f.directory, f.parent, f.name, f.kind, f.version, f.content_version, f.deleted, f.content, f.size, f.mtime_us, \
         f.executable, f.target, f.seq, f.client, c.hash, c.checked, f.changed_at"
    };
}
/// Files with their content.
macro_rules! files {
    () => {
        "FROM fld_file f LEFT JOIN fld_content c ON c.id = f.content"
    };
}
pub(crate) use {columns, files};

static BY_ID: Sql = Sql::new("fld_file.by_id", concat!("SELECT ", columns!(), " ", files!(), " WHERE f.id = ?1"));
static KNOWN: Sql = Sql::new("fld_file.known", "SELECT directory FROM fld_file WHERE id = ?1");
static INSERT: Sql = Sql::new(
    "fld_file.insert",
    "INSERT INTO fld_file (id, directory, parent, name, slot, kind, version, content_version, deleted, content, size, mtime_us, executable, \
     target, seq, changed_at, heard, client) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
);
static UPDATE: Sql = Sql::new(
    "fld_file.update",
    "UPDATE fld_file SET directory = ?2, parent = ?3, name = ?4, slot = ?5, kind = ?6, version = ?7, content_version = ?8, deleted = ?9, \
     content = ?10, size = ?11, mtime_us = ?12, executable = ?13, target = ?14, seq = ?15, changed_at = ?16, heard = ?17, client = ?18 \
     WHERE id = ?1",
);
/// A slot that no name has, for a moment within a commit.
static PARK: Sql = Sql::new("fld_file.park", "UPDATE fld_file SET slot = '/' || id WHERE id = ?1");
static ADD_VERSION: Sql = Sql::new(
    "fld_version.insert",
    "INSERT INTO fld_version (file, version, directory, parent, name, kind, content_version, deleted, content, size, mtime_us, executable, \
     target, seq, changed_at, heard, client, device, try_us) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
);
static VERSION: Sql = Sql::new(
    "fld_version.get",
    "SELECT f.file, f.directory, f.parent, f.name, f.kind, f.version, f.content_version, f.deleted, f.content, f.size, f.mtime_us, \
     f.executable, f.target, f.seq, f.client, c.hash, c.checked, f.changed_at FROM fld_version f LEFT JOIN fld_content c ON c.id = f.content \
     WHERE f.file = ?1 AND f.version = ?2",
);

/// A file or one of its versions, as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) directory: String,
    pub(crate) entry: Entry,
    pub(crate) client: String,
    /// When it came to be so.
    pub(crate) changed_at: Wall,
}

impl Found {
    pub(crate) fn read(row: &Row) -> Self {
        let is_checked = row.opt_int(16) == Some(1);
        let entry = Entry {
            id: row.text(0).to_owned(),
            parent: row.text(2).to_owned(),
            name: row.text(3).to_owned(),
            kind: kind(row.text(4)),
            version: told(row.int(5)),
            content_version: told(row.int(6)),
            deleted: row.int(7) == 1,
            content: row.opt_text(8).map(str::to_owned),
            hash: row.opt_text(15).filter(|_| is_checked).map(str::to_owned),
            author_hash: row.opt_text(15).filter(|_| !is_checked).map(str::to_owned),
            size: told(row.int(9)),
            mtime_us: row.opt_int(10),
            executable: row.opt_int(11).map(|flag| flag == 1),
            target: row.opt_text(12).map(str::to_owned),
            seq: told(row.int(13)),
        };
        Self {
            directory: row.text(1).to_owned(),
            entry,
            client: row.text(14).to_owned(),
            changed_at: Wall(row.int(17)),
        }
    }

    /// As it is told, at this path.
    pub(crate) fn meta(&self, path: String) -> FileMeta {
        meta(&self.entry, &self.directory, &self.client, path)
    }
}

/// A file as it is told.
pub(crate) fn meta(entry: &Entry, directory: &str, client: &str, path: String) -> FileMeta {
    FileMeta {
        id: entry.id.clone(),
        directory: directory.to_owned(),
        version: entry.version,
        content_version: entry.content_version,
        kind: entry.kind,
        path,
        deleted: entry.deleted,
        size: entry.size,
        hash: entry.hash.clone(),
        author_hash: entry.author_hash.clone(),
        mtime_us: entry.mtime_us,
        executable: entry.executable,
        target: entry.target.clone(),
        seq: entry.seq,
        client: client.to_owned(),
        parent: entry.parent.clone(),
        name: entry.name.clone(),
    }
}

/// What a file is, as rows say it.
pub(crate) const fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "FILE",
        Kind::Folder => "FOLDER",
        Kind::Symlink => "SYMLINK",
    }
}

pub(crate) fn kind(word: &str) -> Kind {
    match word {
        "FOLDER" => Kind::Folder,
        "SYMLINK" => Kind::Symlink,
        _ => Kind::File,
    }
}

/// A file of any directory, or its tombstone.
pub(crate) fn find(tx: &mut dyn Tx, id: &str) -> OpResult<Option<Found>> {
    Ok(tx.query_one(&BY_ID, args![id])?.as_ref().map(Found::read))
}

/// A version of a file.
pub(crate) fn version(tx: &mut dyn Tx, id: &str, version: u64) -> OpResult<Option<Found>> {
    Ok(tx.query_one(&VERSION, args![id, stored(version)])?.as_ref().map(Found::read))
}

/// Whether any directory has this id.
pub(crate) fn is_known(tx: &mut dyn Tx, id: &str) -> OpResult<bool> {
    Ok(tx.query_one(&KNOWN, args![id])?.is_some())
}

/// What a commit writes beside the file itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark<'a> {
    pub(crate) directory: &'a str,
    pub(crate) client: &'a str,
    pub(crate) device: &'a str,
    pub(crate) wall: Wall,
    pub(crate) heard: Heard,
}

/// Gives up its slot until it is written, within the same commit.
pub(crate) fn park(tx: &mut dyn Tx, id: &str) -> OpResult<()> {
    Ok(tx.write(&PARK, args![id])?)
}

/// Writes a file as it is from now on.
pub(crate) fn save(tx: &mut dyn Tx, entry: &Entry, slot: &str, is_new: bool, mark: &Mark<'_>) -> OpResult<()> {
    let sql = if is_new { &INSERT } else { &UPDATE };
    let (version, content_version) = (stored(entry.version), stored(entry.content_version));
    let (size, seq) = (stored(entry.size), stored(entry.seq));
    let (content, target) = (entry.content.as_deref(), entry.target.as_deref());
    let place = args![
        &entry.id,
        mark.directory,
        &entry.parent,
        &entry.name,
        slot,
        kind_word(entry.kind),
        version,
        content_version,
        entry.deleted,
        content,
        size,
        entry.mtime_us,
        entry.executable,
        target,
        seq,
        mark.wall,
        mark.heard,
        mark.client
    ];
    Ok(tx.write(sql, place)?)
}

/// Adds a version to a file's past.
pub(crate) fn add_version(tx: &mut dyn Tx, entry: &Entry, try_us: Option<i64>, mark: &Mark<'_>) -> OpResult<()> {
    let (version, content_version) = (stored(entry.version), stored(entry.content_version));
    let (size, seq) = (stored(entry.size), stored(entry.seq));
    let (content, target) = (entry.content.as_deref(), entry.target.as_deref());
    let all = args![
        &entry.id,
        version,
        mark.directory,
        &entry.parent,
        &entry.name,
        kind_word(entry.kind),
        content_version,
        entry.deleted,
        content,
        size,
        entry.mtime_us,
        entry.executable,
        target,
        seq,
        mark.wall,
        mark.heard,
        mark.client,
        mark.device,
        try_us
    ];
    Ok(tx.write(&ADD_VERSION, all)?)
}
