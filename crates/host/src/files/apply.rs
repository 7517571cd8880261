//! Many changes with few syncs: the promises of each change alone, for the price of a sync of each new file and one of each
//! directory.
//!
//! New files are written under temporary names and synced side by side, then named; moves and removals follow; then every
//! directory that was touched is synced once, those that gained names first. What a directory's sync did not make durable is
//! not told as done. Every handle is opened here and synced once.
//!
//! A lone sync of a new file waits for a commit of the journal. Eight that wait together wait for the same one, which is what makes
//! batches fast; one `syncfs` in their place would be as fast, but waits for whatever anybody else has written to the disk, and tells
//! of errors only on new kernels.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, ErrorKind, Write};

use base::mutants::{self, Mutant};
use base::{FileChange, RelPath};

use super::{DiskFiles, Folder, discard, found, heeded, named, split, sync};

/// New files that are open at once.
const OPEN_MAX: usize = 128;

/// The directories that a change touched: what a power cut could take back until they are synced.
#[derive(Clone, Copy, Default)]
struct Touched<'c> {
    /// It has a new name.
    gained: Option<&'c str>,
    /// It has lost one.
    lost: Option<&'c str>,
}

/// A new file that has no name yet.
struct Unnamed<'c> {
    index: usize,
    directory: &'c str,
    name: &'c str,
    temporary: String,
}

struct Batch<'c, F: Folder> {
    files: &'c DiskFiles<F>,
    open: HashMap<&'c str, F>,
    ended: Vec<io::Result<Touched<'c>>>,
}

impl<F: Folder> DiskFiles<F> {
    /// Makes all changes; those that fail keep none of the others from being made.
    pub(super) fn apply_together(&self, changes: &[FileChange]) -> Vec<io::Result<()>> {
        if changes.len() < 2 || do_meet(changes) {
            return changes.iter().map(|change| change.apply_to(self)).collect();
        }
        let ended = changes.iter().map(|_| Ok(Touched::default())).collect();
        let mut batch = Batch { files: self, open: HashMap::new(), ended };
        batch.put_all(changes);
        batch.change_names(changes);
        batch.settle(changes)
    }
}

/// Whether a path is used twice: then their order matters.
fn do_meet(changes: &[FileChange]) -> bool {
    let mut paths = HashSet::new();
    !changes.iter().flat_map(FileChange::paths).all(|path| paths.insert(path.as_str()))
}

impl<'c, F: Folder> Batch<'c, F> {
    fn put_all(&mut self, changes: &'c [FileChange]) {
        let put = |(index, change): (usize, &'c FileChange)| match change {
            FileChange::Put(path, bytes) => Some((index, path, &bytes[..])),
            FileChange::Move(..) | FileChange::Remove(_) => None,
        };
        let puts: Vec<(usize, &'c RelPath, &'c [u8])> = changes.iter().enumerate().filter_map(put).collect();
        puts.chunks(OPEN_MAX).for_each(|some| self.put_some(some));
    }

    fn put_some(&mut self, some: &[(usize, &'c RelPath, &'c [u8])]) {
        let (mut unnamed, mut handles) = (vec![], vec![]);
        for (index, path, bytes) in some {
            match self.write(*index, path, bytes) {
                Ok((file, handle)) => {
                    unnamed.push(file);
                    handles.push(handle);
                }
                Err(error) => self.ended[*index] = Err(error),
            }
        }
        let too_early = mutants::on(Mutant::RenameBeforeSync);
        if too_early {
            unnamed.iter().for_each(|file| self.name(file, Ok(())));
        }
        let synced = F::sync_files(&handles);
        drop(handles);
        for (file, synced) in unnamed.iter().zip(synced).filter(|_| !too_early) {
            self.name(file, heeded(synced));
        }
    }

    fn write(&mut self, index: usize, path: &'c RelPath, bytes: &[u8]) -> io::Result<(Unnamed<'c>, F::File)> {
        let (directory, name) = split(path)?;
        let files = self.files;
        let folder = self.made(directory)?;
        let (mut file, temporary) = files.new_temporary(folder)?;
        file.write_all(bytes).inspect_err(|_| discard(folder, &temporary))?;
        Ok((Unnamed { index, directory, name, temporary }, file))
    }

    /// Gives a new file its name, if its content is durable.
    fn name(&mut self, file: &Unnamed<'c>, synced: io::Result<()>) {
        let folder = &self.open[file.directory];
        let renamed = synced.and_then(|()| {
            let renamed = folder.rename(&file.temporary, folder, file.name);
            renamed.inspect_err(|_| self.files.doubt(file.directory))
        });
        let renamed = renamed.inspect_err(|_| discard(folder, &file.temporary));
        self.ended[file.index] = renamed.map(|()| Touched { gained: Some(file.directory), lost: None });
    }

    fn change_names(&mut self, changes: &'c [FileChange]) {
        for (index, change) in changes.iter().enumerate() {
            match change {
                FileChange::Put(..) => {}
                FileChange::Move(from, to) => self.ended[index] = self.change_name(from, to),
                FileChange::Remove(path) => self.ended[index] = self.remove(path),
            }
        }
    }

    fn change_name(&mut self, from: &'c RelPath, to: &'c RelPath) -> io::Result<Touched<'c>> {
        let ((lost, old), (gained, new)) = (split(from)?, split(to)?);
        let touched = Touched { gained: Some(gained), lost: Some(lost) };
        let known = found(self.there(lost))?.is_some();
        let is_there = known && found(self.open[lost].must_be_regular(old))?.is_some();
        self.made(gained)?;
        if !is_there {
            self.open[gained].must_be_regular(new)?;
            // Moved before, and perhaps not durably.
            return Ok(if known { touched } else { Touched { lost: None, ..touched } });
        }
        let (source, target) = (&self.open[lost], &self.open[gained]);
        let renamed = match source.are_twins(old, target, new)? {
            true => source.remove(old),
            false => source.rename(old, target, new),
        };
        let doubt = |_: &io::Error| [lost, gained].into_iter().for_each(|directory| self.files.doubt(directory));
        renamed.inspect_err(doubt).map(|()| touched)
    }

    fn remove(&mut self, path: &'c RelPath) -> io::Result<Touched<'c>> {
        let (files, (directory, name)) = (self.files, split(path)?);
        let Some(folder) = found(self.there(directory))? else { return Ok(Touched::default()) };
        // Synced also when it is gone already: the sync of the removal before may have failed.
        let removed = found(folder.remove(name));
        let removed = removed.inspect_err(|_| files.doubt(directory));
        removed.map(|_| Touched { gained: None, lost: Some(directory) })
    }

    /// A directory, made where it is missing.
    fn made(&mut self, directory: &'c str) -> io::Result<&F> {
        if !self.open.contains_key(directory) {
            self.open.insert(directory, self.files.made(directory)?);
        }
        Ok(&self.open[directory])
    }

    /// A directory if it is there, in which nothing is shown that a power cut could take back.
    fn there(&mut self, directory: &'c str) -> io::Result<&F> {
        if self.files.doubts().contains_key(directory) {
            self.files.be_certain(directory, &self.files.there(directory)?)?;
        }
        if !self.open.contains_key(directory) {
            self.open.insert(directory, self.files.there(directory)?);
        }
        Ok(&self.open[directory])
    }

    /// Syncs what was touched, and tells what is durable.
    fn settle(self, changes: &[FileChange]) -> Vec<io::Result<()>> {
        let unsynced = self.sync_touched();
        let told = |(ended, change): (io::Result<Touched<'c>>, &FileChange)| {
            let durable = ended.and_then(|touched| check(touched, &unsynced));
            let path = change.paths().last();
            path.map_or(Ok(()), |path| durable.map_err(named(verb(change), path)))
        };
        self.ended.into_iter().zip(changes).map(told).collect()
    }

    /// The directories that could not be synced, and why. One that lost a name to a directory that could not be is left alone, so that
    /// the old name of the file is not durably gone before its new one is there.
    fn sync_touched(&self) -> HashMap<&'c str, io::Error> {
        let touched: Vec<Touched<'c>> = self.ended.iter().flatten().copied().collect();
        let gained: BTreeSet<&str> = touched.iter().filter_map(|touched| touched.gained).collect();
        let mut unsynced = HashMap::new();
        for directory in gained.iter().copied() {
            self.sync_one(directory, &mut unsynced);
        }
        let lost: BTreeSet<&str> = touched.iter().filter_map(|touched| touched.lost).collect();
        for directory in lost.difference(&gained).copied() {
            let waits = |touched: &&Touched<'c>| touched.lost == Some(directory);
            let mut targets = touched.iter().filter(waits).filter_map(|touched| touched.gained);
            match targets.find_map(|target| unsynced.get(target).map(again)) {
                None => self.sync_one(directory, &mut unsynced),
                Some(error) => {
                    self.files.doubt(directory);
                    unsynced.insert(directory, error);
                }
            }
        }
        unsynced
    }

    fn sync_one(&self, directory: &'c str, unsynced: &mut HashMap<&'c str, io::Error>) {
        if let Err(error) = sync(&self.open[directory]) {
            self.files.doubt(directory);
            unsynced.insert(directory, error);
        }
    }
}

/// What a change touched is durable.
fn check(touched: Touched<'_>, unsynced: &HashMap<&str, io::Error>) -> io::Result<()> {
    let directories = [touched.gained, touched.lost].into_iter().flatten();
    let failed = directories.filter_map(|directory| unsynced.get(directory)).map(again).next();
    failed.map_or(Ok(()), Err)
}

/// The same error once more, for another change. Not one that could be taken for a missing file.
fn again(error: &io::Error) -> io::Error {
    let kind = if error.kind() == ErrorKind::NotFound { ErrorKind::Other } else { error.kind() };
    io::Error::new(kind, error.to_string())
}

fn verb(change: &FileChange) -> &'static str {
    match change {
        FileChange::Put(..) => "put",
        FileChange::Move(..) => "rename",
        FileChange::Remove(_) => "remove",
    }
}
