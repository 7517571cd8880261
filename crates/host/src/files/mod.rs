//! Durable files on the disk of this machine, below one root.
//!
//! Invariants: what a call reported as done survives a power cut; readers see a whole file, the old or the new one, and
//! what a finished call left or a read showed stays (a change that failed half way is made durable before anybody sees
//! it, one of an earlier server when the files are opened); nothing outside of the root is ever touched, whatever links
//! lie below it (each step of a path is opened below the handle of the one before, links refused); no handle is synced
//! again after a sync of it failed (KER-41): every call opens its own. One `DiskFiles` per root and time, see
//! [`crate::DirLock`]: opening sweeps the temporaries of the one before.
//!
//! The protocol is here, the disk behind [`Folder`]: the simulator runs the one on a disk of its own.
//!
//! Many changes at once (`apply`) keep the same promises with few syncs.
//!
//! Deliberately not here: removal of empty directories (they would have to be made durable again), and limits on how much is stored. A reader beside a put may see the new content a moment before it is durable:
//! whoever needs more than that waits for the put.

mod apply;
mod directory;
mod folder;
mod root;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod watched;

use std::collections::{HashMap, HashSet};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use base::mutants::{self, Mutant};
use base::{FileChange, Files, Listed, RelPath};

pub use directory::Directory;
pub use folder::{EntryKind, Folder, OpenFile};
pub use root::{make_root, remove_root, rename_root};

/// How the names of files begin that are being written. No path of ours may hold such a name.
const TEMPORARY: &str = ".tmp-";
/// Directories remembered as durable; beyond it they are forgotten, which costs a sync each.
const SETTLED_MAX: usize = 65_536;

/// Files below a directory: of this machine, or of a simulated disk.
pub struct DiskFiles<F = Directory> {
    root: F,
    /// Directories that are known to be durable in their parents. One that another call has just made may not be.
    settled: Mutex<HashSet<String>>,
    /// Directories in which a change failed half way: what is shown there may not be durable. Each with the number of
    /// the failure, so that a sync that began before it does not end the doubt.
    doubts: Mutex<HashMap<String, u64>>,
    temporaries: AtomicU64,
    failures: AtomicU64,
}

/// A name in an open directory.
struct Place<'p, F> {
    folder: F,
    /// Path of the directory; empty for the root.
    path: &'p str,
    name: &'p str,
}

impl DiskFiles {
    /// Opens the files below `root`, which is made if it is missing, and removes what an earlier server left unfinished.
    ///
    /// # Errors
    /// The directory cannot be made, read or synced.
    pub fn open(root: &Path) -> io::Result<Self> {
        make_root(root)?;
        Self::below(Directory::open(root)?)
    }
}

impl<F: Folder> DiskFiles<F> {
    /// The files below an open directory; removes what an earlier server left unfinished there, and makes durable what it
    /// left undecided.
    ///
    /// # Errors
    /// The directory cannot be read or synced.
    pub fn below(root: F) -> io::Result<Self> {
        sweep(&root)?;
        Ok(Self {
            root,
            settled: Mutex::default(),
            doubts: Mutex::default(),
            temporaries: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        })
    }

    /// The directory of `path`, made with all above it where missing, each durable in its parent.
    fn made_place<'p>(&self, path: &'p RelPath) -> io::Result<Place<'p, F>> {
        let (directory, name) = split(path)?;
        Ok(Place { folder: self.made(directory)?, path: directory, name })
    }

    /// A directory, made with all above it where missing, each durable in its parent; the root if it is empty.
    fn made(&self, directory: &str) -> io::Result<F> {
        let (mut folder, mut end) = (self.root.reopen()?, 0);
        for step in steps(directory) {
            end += step.len() + usize::from(end > 0);
            let prefix = &directory[..end];
            let made = folder.make(step)?;
            let below = folder.enter(step)?;
            if made || !self.settled().contains(prefix) {
                sync(&folder)?;
                self.settle(prefix);
            }
            folder = below;
        }
        Ok(folder)
    }

    /// The directory of `path`, if it is there.
    fn place<'p>(&self, path: &'p RelPath) -> io::Result<Place<'p, F>> {
        let (directory, name) = split(path)?;
        Ok(Place { folder: self.there(directory)?, path: directory, name })
    }

    /// A directory, if it is there; the root if it is empty.
    fn there(&self, directory: &str) -> io::Result<F> {
        steps(directory).try_fold(self.root.reopen()?, |at, step| at.enter(step))
    }

    /// Before something is shown of a directory: a change in it that failed half way is made durable.
    fn be_certain(&self, path: &str, folder: &F) -> io::Result<()> {
        let Some(doubt) = self.doubts().get(path).copied() else { return Ok(()) };
        sync(folder)?;
        let mut doubts = self.doubts();
        if doubts.get(path) == Some(&doubt) {
            doubts.remove(path);
        }
        Ok(())
    }

    /// A change in a directory failed: nobody knows how much of it was done.
    fn doubt(&self, path: &str) {
        let failure = self.failures.fetch_add(1, Ordering::Relaxed);
        self.doubts().insert(path.to_owned(), failure);
    }

    fn doubts(&self) -> MutexGuard<'_, HashMap<String, u64>> {
        self.doubts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a file under a temporary name, and tells the name. On an error nothing is left.
    fn write_temporary(&self, directory: &F, bytes: &[u8]) -> io::Result<(F::File, String)> {
        let (mut file, name) = self.new_temporary(directory)?;
        file.write_all(bytes).inspect_err(|_| discard(directory, &name))?;
        Ok((file, name))
    }

    fn new_temporary(&self, directory: &F) -> io::Result<(F::File, String)> {
        loop {
            let number = self.temporaries.fetch_add(1, Ordering::Relaxed);
            let name = format!("{TEMPORARY}{}-{number}", std::process::id());
            match directory.create(&name) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                created => return created.map(|file| (file, name)),
            }
        }
    }

    fn settled(&self) -> MutexGuard<'_, HashSet<String>> {
        self.settled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(&self, directory: &str) {
        let mut settled = self.settled();
        if settled.len() >= SETTLED_MAX {
            settled.clear();
        }
        settled.insert(directory.to_owned());
    }

    fn put_whole(&self, path: &RelPath, bytes: &[u8]) -> io::Result<()> {
        let place = self.made_place(path)?;
        let (file, temporary) = self.write_temporary(&place.folder, bytes)?;
        if !mutants::on(Mutant::RenameBeforeSync) {
            heeded(file.sync()).inspect_err(|_| discard(&place.folder, &temporary))?;
        }
        self.give_name(&place, &file, &temporary).inspect_err(|_| self.doubt(place.path))
    }

    fn give_name(&self, place: &Place<'_, F>, file: &F::File, temporary: &str) -> io::Result<()> {
        let renamed = place.folder.rename(temporary, &place.folder, place.name);
        renamed.inspect_err(|_| discard(&place.folder, temporary))?;
        if mutants::on(Mutant::RenameBeforeSync) {
            heeded(file.sync())?;
        }
        sync(&place.folder)
    }

    fn get_whole(&self, path: &RelPath, bytes_max: u64) -> io::Result<Vec<u8>> {
        let place = self.place(path)?;
        self.be_certain(place.path, &place.folder)?;
        let file = place.folder.open_regular(place.name)?;
        let size = file.size()?;
        if size > bytes_max {
            let text = format!("{size} bytes, more than {bytes_max}");
            return Err(io::Error::new(ErrorKind::FileTooLarge, text));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        file.take(bytes_max).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn size_of(&self, path: &RelPath) -> io::Result<u64> {
        let place = self.place(path)?;
        self.be_certain(place.path, &place.folder)?;
        place.folder.open_regular(place.name)?.size()
    }

    fn rename_durably(&self, from: &RelPath, to: &RelPath) -> io::Result<()> {
        let source = self.place(from)?;
        self.be_certain(source.path, &source.folder)?;
        source.folder.must_be_regular(source.name)?;
        let target = self.made_place(to)?;
        move_name(&source, &target).inspect_err(|_| {
            self.doubt(source.path);
            self.doubt(target.path);
        })
    }

    fn remove_durably(&self, path: &RelPath) -> io::Result<()> {
        let Some(place) = found(self.place(path))? else { return Ok(()) };
        // Synced also when it is gone already: the sync of the removal before may have failed.
        let removed = found(place.folder.remove(place.name)).and_then(|_| sync(&place.folder));
        removed.inspect_err(|_| self.doubt(place.path))
    }

    fn list_regular(&self, directory: &RelPath) -> io::Result<Vec<String>> {
        let above = self.place(directory)?;
        let folder = above.folder.enter(above.name)?;
        self.be_certain(directory.as_str(), &folder)?;
        let shown = |name: &String| !is_temporary(name) && RelPath::new(name).is_some();
        let regular = folder.entries()?.into_iter().filter(|(_, kind)| *kind == EntryKind::Regular);
        let mut names: Vec<String> = regular.map(|(name, _)| name).filter(shown).collect();
        names.sort_unstable();
        Ok(names)
    }

    fn list_all(&self, directory: &RelPath) -> io::Result<Listed> {
        let above = self.place(directory)?;
        let folder = above.folder.enter(above.name)?;
        self.be_certain(directory.as_str(), &folder)?;
        let mut listed = Listed::default();
        for (name, kind, size) in folder.sized_entries()? {
            match kind {
                EntryKind::Regular if is_temporary(&name) => {}
                EntryKind::Regular if RelPath::new(&name).is_some() => listed.files.push((name, size)),
                _ => listed.others.push(name),
            }
        }
        listed.files.sort_unstable();
        listed.others.sort_unstable();
        Ok(listed)
    }

    fn directories_below_root(&self) -> io::Result<Vec<String>> {
        let entries = self.root.reopen()?.entries()?.into_iter();
        let mut names: Vec<String> =
            entries.filter(|(_, kind)| *kind == EntryKind::Directory).map(|(name, _)| name).collect();
        names.sort_unstable();
        Ok(names)
    }
}

impl<F: Folder> Files for DiskFiles<F> {
    fn apply(&self, changes: &[FileChange]) -> Vec<io::Result<()>> {
        self.apply_together(changes)
    }

    fn list_sized(&self, directory: &RelPath) -> io::Result<Listed> {
        let listed = found(self.list_all(directory)).map_err(named("list", directory))?;
        Ok(listed.unwrap_or_default())
    }

    fn directories(&self) -> io::Result<Vec<String>> {
        self.directories_below_root()
    }

    fn make(&self, directory: &RelPath) -> io::Result<()> {
        self.made(directory.as_str()).map(drop).map_err(named("make", directory))
    }

    fn put(&self, path: &RelPath, bytes: &[u8]) -> io::Result<()> {
        self.put_whole(path, bytes).map_err(named("put", path))
    }

    fn get(&self, path: &RelPath, bytes_max: u64) -> io::Result<Vec<u8>> {
        self.get_whole(path, bytes_max).map_err(named("get", path))
    }

    fn size(&self, path: &RelPath) -> io::Result<u64> {
        self.size_of(path).map_err(named("size", path))
    }

    fn rename(&self, from: &RelPath, to: &RelPath) -> io::Result<()> {
        self.rename_durably(from, to).map_err(named("rename", from))
    }

    fn remove(&self, path: &RelPath) -> io::Result<()> {
        self.remove_durably(path).map_err(named("remove", path))
    }

    fn list(&self, directory: &RelPath) -> io::Result<Vec<String>> {
        let listed = found(self.list_regular(directory)).map_err(named("list", directory))?;
        Ok(listed.unwrap_or_default())
    }
}

impl<F: Folder> std::fmt::Debug for DiskFiles<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiskFiles").field("root", &self.root).finish_non_exhaustive()
    }
}

/// The path of the directory, empty for the root, and the last name.
fn split(path: &RelPath) -> io::Result<(&str, &str)> {
    if path.as_str().split('/').any(is_temporary) {
        let text = format!("names that begin with {TEMPORARY} are those of unfinished files");
        return Err(io::Error::new(ErrorKind::InvalidInput, text));
    }
    Ok(path.as_str().rsplit_once('/').unwrap_or(("", path.as_str())))
}

fn steps(directory: &str) -> impl Iterator<Item = &str> {
    directory.split('/').filter(|step| !step.is_empty())
}

/// Moves a name and makes both directories durable.
fn move_name<F: Folder>(source: &Place<'_, F>, target: &Place<'_, F>) -> io::Result<()> {
    if source.folder.are_twins(source.name, &target.folder, target.name)? {
        // A power cut left the file under both names; a rename would leave them so and report success.
        source.folder.remove(source.name)?;
    } else {
        source.folder.rename(source.name, &target.folder, target.name)?;
    }
    // The target first: a power cut in between may show the file twice, but never not at all.
    sync(&target.folder)?;
    sync(&source.folder)
}

fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY)
}

/// Makes the names in a directory durable.
pub(crate) fn sync<F: Folder>(directory: &F) -> io::Result<()> {
    if mutants::on(Mutant::DirectoryNotSynced) {
        return Ok(());
    }
    heeded(directory.sync())
}

/// The result of a sync, for every sync there is.
pub(crate) fn heeded(synced: io::Result<()>) -> io::Result<()> {
    if mutants::on(Mutant::SyncErrorIgnored) { Ok(()) } else { synced }
}

/// Removes a temporary after a failure; what is left of it, the next start sweeps.
pub(crate) fn discard<F: Folder>(directory: &F, temporary: &str) {
    if let Err(error) = directory.remove(temporary) {
        tracing::warn!(%error, temporary, "an unfinished file could not be removed");
    }
}

pub(crate) fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// The error with what was tried in its text, and of the same kind.
fn named(verb: &'static str, path: &RelPath) -> impl FnOnce(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{verb} {path}: {error}"))
}

/// Removes temporaries everywhere below a directory and syncs all directories: what an earlier server changed and did not
/// live to sync is shown now, so it must stay. Links are not followed. Recursive, so that no more handles are open than
/// the tree is deep.
fn sweep<F: Folder>(directory: &F) -> io::Result<()> {
    for (name, kind) in directory.entries()? {
        match kind {
            EntryKind::Directory => sweep(&directory.enter(&name)?)?,
            EntryKind::Regular if is_temporary(&name) => directory.remove(&name)?,
            EntryKind::Regular | EntryKind::Other => {}
        }
    }
    sync(directory)
}
