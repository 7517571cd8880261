//! What the daemon remembers, in a SQLite file of its own. In memory are the trees; what changed is written together by [`State::save`], so
//! that a crash leaves what the last save left.

mod peek;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::chunks::{Chunk, write_list};
use crate::disk::{Aside, Stage};
use crate::model::{Content, FileId, Hash, Remote, RemoteTree, Synced, SyncedTree};
use crate::plan::Ask;
pub use peek::Peek;

/// Why the state cannot be had or written.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// SQLite refused.
    #[error("the state of the folder cannot be used: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A row says what none of ours does.
    #[error("the state of the folder is damaged: {0}")]
    Damaged(String),
}

impl StateError {
    /// The file is no good, and will not be by itself.
    fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match self {
            Self::Damaged(_) => true,
            Self::Sqlite(error) => matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase)),
        }
    }
}

/// Something that was done here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// When, in microseconds since 1970.
    pub at_us: i64,
    /// One word: `sent`, `fetched`, `moved`, `removed`, `conflict`, …
    pub what: String,
    /// Where.
    pub path: String,
    /// More, for people.
    pub text: String,
}

/// A change that is asked for: since when, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Try {
    pub(crate) sign: [u8; 32],
    pub(crate) try_us: i64,
    /// What is asked for.
    pub(crate) ask: Ask,
}

/// A change that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put {
    /// Where its bytes are.
    pub stage: Stage,
    /// What they are.
    pub aside: Aside,
}

/// A download that was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Begun {
    pub(crate) content_version: u64,
    pub(crate) stage: Stage,
}

/// Lines of the log that are kept.
const LOG_MAX: i64 = 20_000;

/// What the daemon remembers of one folder.
pub struct State {
    db: Connection,
    remote: RemoteTree,
    synced: SyncedTree,
    asides: BTreeMap<String, Put>,
    tries: BTreeMap<String, Try>,
    downloads: BTreeMap<FileId, Begun>,
    values: BTreeMap<String, String>,
    others: BTreeMap<String, String>,
    /// Lists of chunks that the file does not have yet.
    lists: BTreeMap<Hash, Vec<u8>>,
    changed: Changed,
    log: Vec<LogLine>,
}

/// What the file does not have yet.
#[derive(Debug, Default)]
struct Changed {
    remote: BTreeSet<FileId>,
    synced: BTreeSet<FileId>,
    asides: BTreeSet<String>,
    tries: BTreeSet<String>,
    downloads: BTreeSet<FileId>,
    values: BTreeSet<String>,
    others: bool,
}

/// A damaged file is kept for whoever wants to look at it; a power cut in between leaves it to be put aside again.
fn put_aside(path: &Path) -> std::io::Result<()> {
    let name = |end: &str| PathBuf::from(format!("{}{end}", path.display()));
    for end in ["-wal", "-shm"] {
        match rustix::fs::unlink(name(end)) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(rustix::fs::rename(path, name(".damaged"))?)
}

impl State {
    /// Opens the file, which is made if it is not there.
    ///
    /// # Errors
    /// SQLite refused, or it is damaged.
    pub fn open(path: &Path) -> Result<Self, StateError> {
        Self::of(Connection::open(path)?)
    }

    /// The same; a file that is damaged is put aside and begun anew: losing it loses no file.
    ///
    /// # Errors
    /// SQLite refused.
    pub fn open_or_begin(path: &Path) -> Result<Self, StateError> {
        match Self::open(path) {
            Err(error) if error.is_damage() => {
                put_aside(path).map_err(|why| StateError::Damaged(format!("{error}; {why}")))?;
                let mut state = Self::open(path)?;
                let text = format!("the state was damaged, and is begun anew: {error}");
                state.log(LogLine { at_us: 0, what: "trouble".to_owned(), path: String::new(), text });
                Ok(state)
            }
            opened => opened,
        }
    }

    /// A state that is not kept.
    ///
    /// # Errors
    /// SQLite refused.
    pub fn in_memory() -> Result<Self, StateError> {
        Self::of(Connection::open_in_memory()?)
    }

    fn of(db: Connection) -> Result<Self, StateError> {
        db.busy_timeout(std::time::Duration::from_secs(10))?;
        db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;")?;
        db.execute_batch(include_str!("schema.sql"))?;
        rows::load(db)
    }

    /// As it is after a crash: what was not saved is lost.
    ///
    /// # Errors
    /// SQLite refused.
    pub fn reopened(self) -> Result<Self, StateError> {
        rows::load(self.db)
    }

    /// Forgets what was not saved.
    pub(crate) fn reload(&mut self) -> Result<(), StateError> {
        let db = std::mem::replace(&mut self.db, Connection::open_in_memory()?);
        *self = rows::load(db)?;
        Ok(())
    }

    /// What the server told.
    #[must_use]
    pub fn remote(&self) -> &RemoteTree {
        &self.remote
    }

    /// What both had.
    #[must_use]
    pub fn synced(&self) -> &SyncedTree {
        &self.synced
    }

    /// What was set aside.
    #[must_use]
    pub fn asides(&self) -> &BTreeMap<String, Put> {
        &self.asides
    }

    pub(crate) fn put_remote(&mut self, id: FileId, mut told: Remote) {
        if let Some(both) = self.synced.get(&id) {
            told.of.share_with(&both.of);
        }
        if self.remote.get(&id) != Some(&told) {
            self.remote.insert(id, told);
            self.changed.remote.insert(id);
        }
    }

    pub(crate) fn drop_remote(&mut self, id: FileId) {
        if self.remote.remove(&id).is_some() {
            self.changed.remote.insert(id);
        }
    }

    pub(crate) fn put_synced(&mut self, id: FileId, mut synced: Synced) {
        if let Some(told) = self.remote.get(&id) {
            synced.of.share_with(&told.of);
        }
        if self.synced.get(&id) != Some(&synced) {
            self.synced.insert(id, synced);
            self.changed.synced.insert(id);
        }
    }

    pub(crate) fn drop_synced(&mut self, id: FileId) {
        if self.synced.remove(&id).is_some() {
            self.changed.synced.insert(id);
        }
    }

    pub(crate) fn put_aside(&mut self, path: &str, put: Put) {
        self.asides.insert(path.to_owned(), put);
        self.changed.asides.insert(path.to_owned());
    }

    pub(crate) fn drop_aside(&mut self, path: &str) -> Option<Put> {
        let dropped = self.asides.remove(path)?;
        self.changed.asides.insert(path.to_owned());
        Some(dropped)
    }

    pub(crate) fn try_of(&self, subject: &str) -> Option<&Try> {
        self.tries.get(subject)
    }

    pub(crate) fn put_try(&mut self, subject: &str, begun: Try) {
        self.tries.insert(subject.to_owned(), begun);
        self.changed.tries.insert(subject.to_owned());
    }

    pub(crate) fn drop_try(&mut self, subject: &str) {
        if self.tries.remove(subject).is_some() {
            self.changed.tries.insert(subject.to_owned());
        }
    }

    pub(crate) fn download(&self, id: FileId) -> Option<Begun> {
        self.downloads.get(&id).copied()
    }

    pub(crate) fn downloads(&self) -> impl Iterator<Item = (FileId, Begun)> + '_ {
        self.downloads.iter().map(|(id, begun)| (*id, *begun))
    }

    pub(crate) fn put_download(&mut self, id: FileId, begun: Option<Begun>) {
        match begun {
            Some(begun) => self.downloads.insert(id, begun),
            None => self.downloads.remove(&id),
        };
        self.changed.downloads.insert(id);
    }

    pub(crate) fn put_chunks(&mut self, hash: Hash, chunks: &[Chunk]) {
        self.lists.insert(hash, write_list(chunks));
    }

    /// Contents whose chunks may still be of use.
    fn contents(&self) -> BTreeSet<Hash> {
        let synced = self.synced.values().filter_map(|both| match &both.content {
            Content::File { hash, .. } => *hash,
            Content::Folder | Content::Symlink(_) => None,
        });
        synced.chain(self.asides.values().map(|put| put.aside.hash)).collect()
    }

    /// A single value.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// A number among the single values; 0 if it is not there.
    #[must_use]
    pub fn number(&self, name: &str) -> u64 {
        self.value(name).and_then(|text| text.parse().ok()).unwrap_or(0)
    }

    /// Sets or clears a single value.
    pub fn set(&mut self, name: &str, value: Option<String>) {
        if self.value(name) == value.as_deref() {
            return;
        }
        match value {
            Some(value) => self.values.insert(name.to_owned(), value),
            None => self.values.remove(name),
        };
        self.changed.values.insert(name.to_owned());
    }

    /// What cannot be kept in step, and why.
    #[must_use]
    pub fn others(&self) -> &BTreeMap<String, String> {
        &self.others
    }

    pub(crate) fn set_others(&mut self, others: &BTreeMap<String, String>) {
        if self.others != *others {
            self.others.clone_from(others);
            self.changed.others = true;
        }
    }

    /// A number for a stage that none had before.
    pub(crate) fn new_stage(&mut self) -> Stage {
        let number = self.number("next_stage") + 1;
        self.set("next_stage", Some(number.to_string()));
        Stage(number)
    }

    pub(crate) fn log(&mut self, line: LogLine) {
        self.log.push(line);
    }

    /// Everything that both had is forgotten: it will be compared by hashes.
    pub(crate) fn forget_all(&mut self) {
        self.changed.remote.extend(std::mem::take(&mut self.remote).into_keys());
        self.changed.synced.extend(std::mem::take(&mut self.synced).into_keys());
        self.set("seq", None);
    }
}
