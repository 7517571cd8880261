//! The folder on this machine.
//!
//! Paths are below the root, with `/` between names, by the names that the server has; a disk that cannot hold a name keeps it under another, which it
//! can read back. Nothing is ever done through a symbolic link, nor outside the root. What is our own lies in `.fastness` at the root, on the same file
//! system: what is set aside or downloaded (*stages*, by number), and backups.

pub mod local_name;
pub mod memory;
pub mod real;
#[cfg(test)]
mod suite;

use std::collections::BTreeSet;
use std::io;

use synxpo::names::OWN_NAME;

use crate::chunks::Chunk;
use crate::model::{Content, FileId, Hash, Local, Stat};

/// A place for bytes of our own: what was set aside, what is being downloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stage(pub u64);

/// What lies in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A file, folder or link; of a file the hash is `None`.
    File(Local),
    /// Nothing that can be kept in step: a FIFO, a device, a file of another user, a name that is no text or that the server refuses. Why, for people.
    Other(String),
}

/// What became of a change of this disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was made; the file as it is now. Whoever wrote it since is not in this stat: the next look differs from it.
    Done(Stat),
    /// What lies there is not what was planned on (or something lies where nothing should): nothing was changed.
    Changed,
}

/// What a place of this disk was planned on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Expected {
    /// Nothing lies there.
    Nothing,
    /// This file, as it was.
    File(Stat),
}

/// Set aside: what a file held at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aside {
    /// The file as it was before and after it was read: it did not change meanwhile.
    pub stat: Stat,
    /// Of all bytes.
    pub hash: Hash,
    /// How many.
    pub size: u64,
    /// It may be run.
    pub executable: bool,
    /// When it was modified.
    pub mtime_us: i64,
}

/// The marker at the root: a disk without it is not the one that was linked (it may not be mounted).
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Marker {
    /// The directory of the server.
    pub directory: String,
    /// Which link of this machine: two daemons never share one.
    pub link: String,
}

/// A folder of this machine.
///
/// Every change is whole: after a crash it was made or not. It is durable only after [`Disk::settle`]; of all that was not settled a crash keeps what
/// came first (where a file system has no one journal, changes of different folders each by themselves). The bytes of a stage are durable before the stage takes its place, so that no crash shows a file that is half there. A crash in the
/// middle of an install may lose its stage (then what lay at the path still lies there), and bytes of stages that were not settled may be torn: who
/// finds a stage after a crash reads it before it trusts it.
pub trait Disk {
    /// What lies in a folder (`""`: the root), by name; what is our own is not shown. A folder that is not there (any more) is `NotFound`.
    ///
    /// # Errors
    /// The disk refused.
    fn list(&mut self, folder: &str) -> io::Result<Vec<(String, Found)>>;

    /// What lies at a path.
    ///
    /// # Errors
    /// The disk refused.
    fn look(&mut self, path: &str) -> io::Result<Option<Found>>;

    /// Copies a file into a stage (by reference where the file system can) and reads it; `None` if it changed meanwhile or is no file (any more). What
    /// the stage held before is gone. Durable after [`Disk::settle`].
    ///
    /// # Errors
    /// The disk refused, or it may not be read; the stage may hold a part of it then.
    fn set_aside(&mut self, path: &str, stage: Stage) -> io::Result<Option<Aside>>;

    /// The same for a large file, which is cut into chunks as it is read. The bytes of chunks that are known elsewhere need not be copied: where they
    /// were, the stage may hold anything.
    ///
    /// # Errors
    /// As [`Disk::set_aside`].
    fn set_aside_chunks(
        &mut self,
        path: &str,
        stage: Stage,
        known: &BTreeSet<Hash>,
    ) -> io::Result<Option<(Aside, Vec<Chunk>)>>;

    /// Some bytes of a stage; fewer at its end.
    ///
    /// # Errors
    /// The disk refused.
    fn read_stage(&mut self, stage: Stage, offset: u64, bytes_max: usize) -> io::Result<Vec<u8>>;

    /// Writes bytes into a stage, which is made if it is not there.
    ///
    /// # Errors
    /// The disk refused.
    fn write_stage(&mut self, stage: Stage, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// How many bytes a stage has that survived; `None` if there is none.
    ///
    /// # Errors
    /// The disk refused.
    fn stage_size(&mut self, stage: Stage) -> io::Result<Option<u64>>;

    /// Ends a stage: cuts it to exactly so many bytes, and reads it: its hash. What has ended is flushed together, by the first install or by
    /// [`Disk::settle`].
    ///
    /// # Errors
    /// The disk refused; `UnexpectedEof` if the stage has fewer bytes.
    fn sync_stage(&mut self, stage: Stage, size: u64) -> io::Result<Hash>;

    /// Copies bytes of a file of this disk into a stage: what a download need not bring. How many there were: fewer than asked for at its end, none
    /// if it is no file (any more). Quickest if all else of the stage is there before, and copies come in the order of their places.
    ///
    /// # Errors
    /// The disk refused.
    fn copy_to_stage(&mut self, path: &str, from: u64, stage: Stage, to: u64, bytes: u64) -> io::Result<u64>;

    /// Some bytes of a file of this disk; fewer at its end.
    ///
    /// # Errors
    /// The disk refused.
    fn read_file(&mut self, path: &str, offset: u64, bytes_max: usize) -> io::Result<Vec<u8>>;

    /// Bytes that still fit.
    ///
    /// # Errors
    /// The disk refused.
    fn room(&mut self) -> io::Result<u64>;

    /// All stages.
    ///
    /// # Errors
    /// The disk refused.
    fn stages(&mut self) -> io::Result<Vec<Stage>>;

    /// Forgets a stage; one that is not there is no error.
    ///
    /// # Errors
    /// The disk refused.
    fn drop_stage(&mut self, stage: Stage) -> io::Result<()>;

    /// Puts a stage at a path, with the executable bit and time of modification given. What lay there goes into the backups; the swap is atomic.
    /// Its folder must be there.
    ///
    /// # Errors
    /// The disk refused; also if the backup could not be made, and then nothing was changed.
    fn install(
        &mut self,
        stage: Stage,
        path: &str,
        expected: Expected,
        executable: bool,
        mtime_us: Option<i64>,
    ) -> io::Result<Outcome>;

    /// Puts a symbolic link at a path, as [`Disk::install`] does a file.
    ///
    /// # Errors
    /// The disk refused.
    fn install_link(&mut self, target: &str, path: &str, expected: Expected) -> io::Result<Outcome>;

    /// Makes a folder whose own folder is there. One that is there is `Done`.
    ///
    /// # Errors
    /// The disk refused.
    fn make_folder(&mut self, path: &str) -> io::Result<Outcome>;

    /// Moves a file, a link or a whole folder to a path where nothing lies (another case of the same name is no obstacle).
    ///
    /// # Errors
    /// The disk refused.
    fn rename(&mut self, from: &str, expected: Stat, to: &str) -> io::Result<Outcome>;

    /// Moves a file or link into the backups, or removes an empty folder. A folder that is not empty is `Changed`.
    ///
    /// # Errors
    /// The disk refused.
    fn remove(&mut self, path: &str, expected: Stat) -> io::Result<Outcome>;

    /// Sets or clears the executable bit.
    ///
    /// # Errors
    /// The disk refused.
    fn set_executable(&mut self, path: &str, expected: Stat, executable: bool) -> io::Result<Outcome>;

    /// Makes all changes since the last one durable; with many of them this is one flush of the file system.
    ///
    /// # Errors
    /// The disk refused. Stages that could not be flushed are gone then: a second try would be told that all is well.
    fn settle(&mut self) -> io::Result<()>;

    /// The marker of the root.
    ///
    /// # Errors
    /// The disk refused.
    fn marker(&mut self) -> io::Result<Option<Marker>>;

    /// Writes the marker, durably.
    ///
    /// # Errors
    /// The disk refused.
    fn put_marker(&mut self, marker: &Marker) -> io::Result<()>;

    /// Removes backups that are older than `kept_ms`, then the oldest while they take more than a tenth of the disk (FLD-23).
    ///
    /// # Errors
    /// The disk refused.
    fn prune_backups(&mut self, now_ms: i64, kept_ms: i64) -> io::Result<()>;

    /// The moment that the file system gives to a file that is written now, in nanoseconds: what was written at or after the moment of a look may
    /// change once more without its time telling so.
    ///
    /// # Errors
    /// The disk refused.
    fn now_ns(&mut self) -> io::Result<i64>;
}

/// What a file without bytes holds: for tests and empty files.
#[must_use]
pub fn empty() -> Content {
    use sha2::Digest as _;
    Content::File { hash: Some(sha2::Sha256::digest([]).into()), size: 0, executable: false }
}

/// A path below a folder (`""`: the root).
#[must_use]
pub fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The parts of a path that may be one: whatever a server says, nothing leads out of the root or to what is our own (FLD-18).
fn checked(path: &str) -> io::Result<Vec<&str>> {
    parts(path).map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why))
}

/// The parts of a path, if each may be a name here: one that the server takes, or at the top that of a file which waits for its place
/// (`.fastness-<id>`). Such a file is somebody's own: it is shown like any other.
fn parts(path: &str) -> Result<Vec<&str>, String> {
    let (first, rest) = path.split_once('/').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let id = first.strip_prefix(OWN_NAME).and_then(|name| name.strip_prefix('-'));
    if id.is_none_or(|id| FileId::read(id).is_none_or(|read| read.to_string() != id)) {
        return synxpo::names::parts(path);
    }
    let inside = rest.map_or(Ok(vec![]), synxpo::names::parts)?;
    Ok(std::iter::once(first).chain(inside).collect())
}
