//! For tests: the directories of this machine, with syncs that a test replaces by ones that fail or write down.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::{Directory, EntryKind, Folder, OpenFile};

type OnSync = Box<dyn Fn(&File) -> io::Result<()> + Send>;

/// How files and directories are synced from now on; clones are the same.
#[derive(Clone)]
pub(crate) struct Syncs(Arc<Mutex<OnSync>>);

impl Syncs {
    pub(crate) fn real() -> Self {
        Self(Arc::new(Mutex::new(Box::new(File::sync_all))))
    }

    pub(crate) fn replace(&self, sync: impl Fn(&File) -> io::Result<()> + Send + 'static) {
        *self.0.lock().unwrap() = Box::new(sync);
    }

    /// `fails` decides by whether it is a directory's.
    pub(crate) fn fail(&self, fails: fn(bool) -> bool) {
        self.replace(move |file| {
            let refused = fails(file.metadata()?.is_dir());
            if refused { Err(io::Error::other("the disk failed, on purpose")) } else { file.sync_all() }
        });
    }

    fn run(&self, file: &File) -> io::Result<()> {
        self.0.lock().unwrap()(file)
    }
}

impl fmt::Debug for Syncs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Syncs")
    }
}

/// A directory whose syncs are watched.
#[derive(Debug)]
pub(crate) struct Watched(Directory, Syncs);

impl Watched {
    pub(crate) fn open(path: &Path, syncs: &Syncs) -> Self {
        Self(Directory::open(path).unwrap(), syncs.clone())
    }
}

impl Folder for Watched {
    type File = WatchedFile;

    fn reopen(&self) -> io::Result<Self> {
        Ok(Self(self.0.reopen()?, self.1.clone()))
    }

    fn enter(&self, name: &str) -> io::Result<Self> {
        Ok(Self(self.0.enter(name)?, self.1.clone()))
    }

    fn make(&self, name: &str) -> io::Result<bool> {
        self.0.make(name)
    }

    fn create(&self, name: &str) -> io::Result<WatchedFile> {
        Ok(WatchedFile(self.0.create(name)?, self.1.clone()))
    }

    fn open_regular(&self, name: &str) -> io::Result<WatchedFile> {
        Ok(WatchedFile(self.0.open_regular(name)?, self.1.clone()))
    }

    fn kind(&self, name: &str) -> io::Result<EntryKind> {
        self.0.kind(name)
    }

    fn are_twins(&self, name: &str, target: &Self, other: &str) -> io::Result<bool> {
        self.0.are_twins(name, &target.0, other)
    }

    fn rename(&self, old: &str, target: &Self, new: &str) -> io::Result<()> {
        self.0.rename(old, &target.0, new)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.0.remove(name)
    }

    fn sync(&self) -> io::Result<()> {
        self.1.run(self.0.handle())
    }

    fn sync_disk(&self) -> io::Result<()> {
        self.1.run(self.0.handle())?;
        self.0.sync_disk()
    }

    fn entries(&self) -> io::Result<Vec<(String, EntryKind)>> {
        self.0.entries()
    }

    fn sized_entries(&self) -> io::Result<Vec<(String, EntryKind, u64)>> {
        self.0.sized_entries()
    }
}

/// A file whose syncs are watched.
pub(crate) struct WatchedFile(File, Syncs);

impl Read for WatchedFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Write for WatchedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl OpenFile for WatchedFile {
    fn size(&self) -> io::Result<u64> {
        self.0.size()
    }

    fn go_to(&mut self, offset: u64) -> io::Result<()> {
        self.0.go_to(offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.1.run(&self.0)
    }
}
