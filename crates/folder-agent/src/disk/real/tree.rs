//! Opening what lies below a folder, never through a symbolic link and never outside (FLD-18).

use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, ResolveFlags, StatxAttributes, StatxFlags};
use rustix::io::Errno;

use crate::disk::local_name::LocalNames;
use crate::model::Stat;

/// How often an opening is tried again when others rename on the way.
const TRIES_MAX: usize = 16;
/// What every opening of a folder is.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// All below a folder.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) root: OwnedFd,
    pub(crate) names: LocalNames,
    pub(crate) device: (u32, u32),
    /// For tests: as if the kernel had no `openat2`.
    pub(super) is_walking: bool,
}

/// A name in an open folder: whatever becomes of the path, it is this folder.
#[derive(Debug)]
pub(crate) struct Spot {
    pub(crate) folder: OwnedFd,
    pub(crate) name: String,
}

/// What a look at a file tells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) stat: Stat,
    pub(crate) kind: FileType,
    pub(crate) mode: u32,
    pub(crate) device: (u32, u32),
    pub(crate) is_mount: bool,
    /// What it takes of the disk.
    pub(crate) bytes: u64,
}

impl Tree {
    pub(crate) fn new(root: OwnedFd, names: LocalNames) -> io::Result<Self> {
        let device = seen(&root)?.device;
        Ok(Self { root, names, device, is_walking: false })
    }

    /// The folder at the end of these names.
    pub(crate) fn folder(&self, parts: &[&str]) -> io::Result<OwnedFd> {
        if parts.is_empty() {
            return Ok(fs::openat(&self.root, ".", FOLDER, Mode::empty())?);
        }
        let local: Vec<Cow<'_, str>> = parts.iter().map(|part| self.names.to_local(part)).collect();
        if !self.is_walking {
            match self.at_once(&local.join("/")) {
                // An old kernel, a filter of system calls, or more than one call can take.
                Err(Errno::NOSYS | Errno::PERM | Errno::NAMETOOLONG) => {}
                opened => return Ok(opened?),
            }
        }
        self.step_by_step(&local)
    }

    fn at_once(&self, path: &str) -> Result<OwnedFd, Errno> {
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV;
        let mut opened = Err(Errno::AGAIN);
        for _ in 0..TRIES_MAX {
            opened = fs::openat2(&self.root, path, FOLDER, Mode::empty(), resolve);
            if !matches!(opened, Err(Errno::AGAIN)) {
                break;
            }
        }
        opened
    }

    fn step_by_step(&self, local: &[Cow<'_, str>]) -> io::Result<OwnedFd> {
        let mut folder = fs::openat(&self.root, ".", FOLDER, Mode::empty())?;
        for part in local {
            folder = fs::openat(&folder, part.as_ref(), FOLDER, Mode::empty())?;
            if self.is_elsewhere(&seen(&folder)?) {
                return Err(Errno::XDEV.into());
            }
        }
        Ok(folder)
    }

    /// The name at the end of these; `None` if its folder is not there (any more).
    pub(crate) fn spot(&self, parts: &[&str]) -> io::Result<Option<Spot>> {
        let (name, above) = parts.split_last().ok_or(io::ErrorKind::InvalidInput)?;
        match self.folder(above) {
            Ok(folder) => Ok(Some(Spot { folder, name: self.names.to_local(name).into_owned() })),
            Err(error) if is_stale(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// On another file system, where nothing can be renamed to.
    pub(crate) fn is_elsewhere(&self, seen: &Seen) -> bool {
        seen.device != self.device || seen.is_mount
    }
}

impl Spot {
    /// What lies here.
    pub(crate) fn look(&self) -> io::Result<Option<Seen>> {
        match look(&self.folder, &self.name) {
            Err(error) if is_stale(&error) => Ok(None),
            looked => looked.map(Some),
        }
    }

    /// Opens a file for reading; nothing that could block or that leads elsewhere.
    pub(crate) fn open(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        Ok(fs::openat(&self.folder, self.name.as_str(), flags, Mode::empty())?)
    }

    pub(crate) fn unlink(&self) -> io::Result<()> {
        Ok(fs::unlinkat(&self.folder, self.name.as_str(), AtFlags::empty())?)
    }

    pub(crate) fn rename(&self, to: &Self, flags: RenameFlags) -> Result<(), Errno> {
        fs::renameat_with(&self.folder, self.name.as_str(), &to.folder, to.name.as_str(), flags)
    }

    pub(crate) fn link(&self, to: &Self) -> Result<(), Errno> {
        fs::linkat(&self.folder, self.name.as_str(), &to.folder, to.name.as_str(), AtFlags::empty())
    }
}

/// Something on the way is not there, no folder, a link or on another file system: what was planned on it is stale.
pub(crate) fn is_stale(error: &io::Error) -> bool {
    let stale = [Errno::NOENT, Errno::NOTDIR, Errno::LOOP, Errno::XDEV];
    error.raw_os_error().is_some_and(|code| stale.iter().any(|errno| errno.raw_os_error() == code))
}

/// What is in a folder, but not itself and the one above.
pub(crate) fn names_in(folder: impl AsFd) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_owned();
        if !matches!(name.to_bytes(), b"." | b"..") {
            names.push(name);
        }
    }
    Ok(names)
}

/// What an open file is.
pub(crate) fn seen(file: impl AsFd) -> io::Result<Seen> {
    look_with(file, c"", AtFlags::EMPTY_PATH)
}

/// What lies under a name.
pub(crate) fn look(folder: impl AsFd, name: impl rustix::path::Arg) -> io::Result<Seen> {
    look_with(folder, &name.into_c_str()?, AtFlags::SYMLINK_NOFOLLOW)
}

fn look_with(folder: impl AsFd, name: &CStr, flags: AtFlags) -> io::Result<Seen> {
    let found = fs::statx(folder, name, flags, StatxFlags::BASIC_STATS)?;
    let kind = FileType::from_raw_mode(found.stx_mode.into());
    let ns = |time: fs::StatxTimestamp| time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec.into());
    let stat = if kind == FileType::Directory {
        Stat { inode: found.stx_ino, ..Stat::default() }
    } else {
        let (mtime_ns, ctime_ns) = (ns(found.stx_mtime), ns(found.stx_ctime));
        Stat { inode: found.stx_ino, size: found.stx_size, mtime_ns, ctime_ns }
    };
    Ok(Seen {
        stat,
        kind,
        mode: u32::from(found.stx_mode) & 0o7777,
        device: (found.stx_dev_major, found.stx_dev_minor),
        is_mount: kind == FileType::Directory && found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT),
        bytes: found.stx_blocks.saturating_mul(512),
    })
}
