//! A directory by its handle, and what can be done with the names in it.
//!
//! Invariant: no call follows a link, and none takes a name with a `/` in it, so none can leave the directory. Paths are
//! resolved nowhere; a link put in place between two calls is refused by the second.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

/// Read only by ourselves: the files are the tenants'.
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
const DIRECTORY_MODE: Mode = Mode::RWXU;
/// For every open: links are refused, and children of ours inherit nothing.
const SAFE: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC);

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Regular,
    Directory,
    /// A link, a FIFO, a device: never touched.
    Other,
}

/// An open directory.
#[derive(Debug)]
pub(super) struct Directory(File);

impl Directory {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        File::open(path).map(Self)
    }

    /// The same directory by a handle of its own: a duplicate would share the memory of failed syncs.
    pub(super) fn reopen(&self) -> io::Result<Self> {
        self.at(".")
    }

    /// The directory `name` in this one.
    pub(super) fn enter(&self, name: &str) -> io::Result<Self> {
        self.at(checked(name))
    }

    fn at(&self, name: &str) -> io::Result<Self> {
        let flags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(SAFE);
        Ok(Self(rustix::fs::openat(&self.0, name, flags, Mode::empty())?.into()))
    }

    /// Makes the directory `name`; `false` if something of that name is there.
    pub(super) fn make(&self, name: &str) -> io::Result<bool> {
        match rustix::fs::mkdirat(&self.0, checked(name), DIRECTORY_MODE) {
            Err(rustix::io::Errno::EXIST) => Ok(false),
            made => Ok(made.map(|()| true)?),
        }
    }

    /// A new file of that name, to write.
    pub(super) fn create(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(SAFE);
        Ok(rustix::fs::openat(&self.0, checked(name), flags, FILE_MODE)?.into())
    }

    /// An existing file, to read. Looks before it opens, because opening a device can have effects, and again
    /// afterwards, because it may have been exchanged; without blocking, because a FIFO would.
    pub(super) fn open_regular(&self, name: &str) -> io::Result<File> {
        self.must_be_regular(name)?;
        let flags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(SAFE);
        let file: File = rustix::fs::openat(&self.0, checked(name), flags, Mode::empty())?.into();
        if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
    }

    pub(super) fn must_be_regular(&self, name: &str) -> io::Result<()> {
        if self.kind(name)? == Kind::Regular { Ok(()) } else { Err(not_regular()) }
    }

    /// Renames; an existing file of the new name is replaced.
    pub(super) fn rename(&self, old: &str, target: &Self, new: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, checked(old), &target.0, checked(new))?)
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, checked(name), AtFlags::empty())?)
    }

    pub(super) fn sync(&self, sync: &super::SyncFile) -> io::Result<()> {
        sync(&self.0)
    }

    /// All names in UTF-8 with their kinds, in no order. Others cannot be ours.
    pub(super) fn entries(&self) -> io::Result<Vec<(String, Kind)>> {
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

    /// Some file systems do not tell the kind with the name.
    fn kind_of(&self, name: &str, told: FileType) -> io::Result<Kind> {
        match told {
            FileType::Unknown => self.kind(name),
            known => Ok(known.into()),
        }
    }

    fn kind(&self, name: &str) -> io::Result<Kind> {
        let status = rustix::fs::statat(&self.0, checked(name), AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(FileType::from_raw_mode(status.st_mode).into())
    }
}

impl From<FileType> for Kind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::Regular,
            FileType::Directory => Self::Directory,
            _ => Self::Other,
        }
    }
}

/// The name itself; a bug if it could lead elsewhere.
fn checked(name: &str) -> &str {
    assert!(!name.contains('/') && !matches!(name, "" | "." | ".."), "`{name}` is not a name in a directory");
    name
}

fn not_regular() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "not a regular file")
}
