//! A directory by its handle, and what can be done with the names in it.
//!
//! Invariant: no call follows a link, and none takes a name with a `/` in it, so none can leave the directory. Paths are
//! resolved nowhere; a link put in place between two calls is refused by the second.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::Path;
use std::thread::{Builder, ScopedJoinHandle};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};

use super::folder::{EntryKind, Folder, OpenFile, not_regular};
use super::found;

/// Read only by ourselves: the files are the tenants'.
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
const DIRECTORY_MODE: Mode = Mode::RWXU;
/// For every open: links are refused, and children of ours inherit nothing.
const SAFE: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC);
/// Threads that sync files side by side: what the journal commits for one of them it commits for all.
const SYNC_THREADS: usize = 8;
/// Fewer files than this are not worth threads.
const SYNC_TOGETHER_MIN: usize = 16;

/// An open directory of this machine.
#[derive(Debug)]
pub struct Directory(File);

impl Directory {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        File::open(path).map(Self)
    }

    fn at(&self, name: &str) -> io::Result<Self> {
        let flags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(SAFE);
        Ok(Self(rustix::fs::openat(&self.0, name, flags, Mode::empty())?.into()))
    }

    fn status(&self, name: &str) -> io::Result<Stat> {
        Ok(rustix::fs::statat(&self.0, checked(name), AtFlags::SYMLINK_NOFOLLOW)?)
    }

    fn sized(&self, name: &str) -> io::Result<(EntryKind, u64)> {
        let status = self.status(name)?;
        let size = u64::try_from(status.st_size).unwrap_or(0);
        Ok((FileType::from_raw_mode(status.st_mode).into(), size))
    }

    /// Some file systems do not tell the kind with the name.
    fn kind_of(&self, name: &str, told: FileType) -> io::Result<EntryKind> {
        match told {
            FileType::Unknown => self.kind(name),
            known => Ok(known.into()),
        }
    }

    /// The handle itself, for tests that watch syncs.
    #[cfg(test)]
    pub(super) fn handle(&self) -> &File {
        &self.0
    }
}

impl Folder for Directory {
    type File = File;

    fn reopen(&self) -> io::Result<Self> {
        self.at(".")
    }

    fn enter(&self, name: &str) -> io::Result<Self> {
        self.at(checked(name))
    }

    fn make(&self, name: &str) -> io::Result<bool> {
        match rustix::fs::mkdirat(&self.0, checked(name), DIRECTORY_MODE) {
            Err(rustix::io::Errno::EXIST) => Ok(false),
            made => Ok(made.map(|()| true)?),
        }
    }

    fn create(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(SAFE);
        Ok(rustix::fs::openat(&self.0, checked(name), flags, FILE_MODE)?.into())
    }

    /// Looks before it opens, because opening a device can have effects, and again afterwards, because it may have been
    /// exchanged; without blocking, because a FIFO would.
    fn open_regular(&self, name: &str) -> io::Result<File> {
        self.must_be_regular(name)?;
        let flags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(SAFE);
        let file: File = rustix::fs::openat(&self.0, checked(name), flags, Mode::empty())?.into();
        if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
    }

    fn kind(&self, name: &str) -> io::Result<EntryKind> {
        Ok(FileType::from_raw_mode(self.status(name)?.st_mode).into())
    }

    fn are_twins(&self, name: &str, target: &Self, other: &str) -> io::Result<bool> {
        let (Some(one), Some(two)) = (found(self.status(name))?, found(target.status(other))?) else {
            return Ok(false);
        };
        if identity(&one) != identity(&two) {
            return Ok(false);
        }
        if identity(&rustix::fs::fstat(&self.0)?) != identity(&rustix::fs::fstat(&target.0)?) {
            return Ok(true);
        }
        let names: Vec<String> = self.entries()?.into_iter().map(|(name, _)| name).collect();
        let listed = |name: &str| names.iter().any(|listed| listed == name);
        Ok(name != other && listed(name) && listed(other))
    }

    fn rename(&self, old: &str, target: &Self, new: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, checked(old), &target.0, checked(new))?)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, checked(name), AtFlags::empty())?)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_all()
    }

    fn sync_files(files: &[File]) -> Vec<io::Result<()>> {
        if files.len() < SYNC_TOGETHER_MIN {
            return sync_in_turn(files);
        }
        let mut synced = Vec::with_capacity(files.len());
        std::thread::scope(|scope| {
            let begin = |some| (some, Builder::new().spawn_scoped(scope, move || sync_in_turn(some)));
            let threads: Vec<_> = files.chunks(files.len().div_ceil(SYNC_THREADS)).map(begin).collect();
            for (some, thread) in threads {
                synced.extend(match thread.map(ScopedJoinHandle::join) {
                    Ok(Ok(ended)) => ended,
                    Ok(Err(_)) => some.iter().map(|_| Err(io::Error::other("a sync panicked"))).collect(),
                    // No thread to be had: nothing of it is synced yet.
                    Err(_) => sync_in_turn(some),
                });
            }
        });
        synced
    }

    fn sync_disk(&self) -> io::Result<()> {
        Ok(rustix::fs::syncfs(&self.0)?)
    }

    fn room(&self) -> io::Result<u64> {
        let status = rustix::fs::fstatvfs(&self.0)?;
        Ok(status.f_bavail.saturating_mul(status.f_frsize))
    }

    fn entries(&self) -> io::Result<Vec<(String, EntryKind)>> {
        let mut found = vec![];
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if !matches!(name, "." | "..") {
                found.push((name.to_owned(), self.kind_of(name, entry.file_type())?));
            }
        }
        Ok(found)
    }

    fn sized_entries(&self) -> io::Result<Vec<(String, EntryKind, u64)>> {
        let mut found = vec![];
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            match entry.file_name().to_str() {
                Ok("." | "..") => {}
                Err(_) => found.push((entry.file_name().to_string_lossy().into_owned(), EntryKind::Other, 0)),
                // One that is gone meanwhile was never there.
                Ok(name) => {
                    found.extend(super::found(self.sized(name))?.map(|(kind, size)| (name.to_owned(), kind, size)))
                }
            }
        }
        Ok(found)
    }
}

impl OpenFile for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn go_to(&mut self, offset: u64) -> io::Result<()> {
        self.seek(SeekFrom::Start(offset)).map(drop)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_all()
    }
}

impl From<FileType> for EntryKind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::Regular,
            FileType::Directory => Self::Directory,
            _ => Self::Other,
        }
    }
}

fn sync_in_turn(files: &[File]) -> Vec<io::Result<()>> {
    files.iter().map(File::sync_all).collect()
}

/// What tells one file from all others.
fn identity(status: &Stat) -> (rustix::fs::Dev, u64) {
    (status.st_dev, status.st_ino)
}

/// The name itself; a bug if it could lead elsewhere.
fn checked(name: &str) -> &str {
    assert!(!name.contains('/') && !matches!(name, "" | "." | ".."), "`{name}` is not a name in a directory");
    name
}
