//! What is our own: `.fastness` at the root, for nobody else's eyes.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{self, AtFlags, FlockOperation, Mode, OFlags, Timespec, Timestamps, UTIME_NOW};
use rustix::io::Errno;
use synxpo::names::OWN_NAME;

use super::tree;
use crate::disk::local_name::LocalNames;

/// A file of our own that is begun and not yet in its place; nothing else is called so.
pub(super) const LINK: &str = "link";

/// Open as long as the disk is.
#[derive(Debug)]
pub(super) struct Own {
    pub(super) folder: OwnedFd,
    pub(super) stages: OwnedFd,
    pub(super) backups: OwnedFd,
    /// Held: a second daemon on the same folder is refused.
    _lock: OwnedFd,
    /// Touched to learn the time of the file system.
    clock: OwnedFd,
    /// What the mask of this process leaves of all permissions.
    pub(super) mode: u32,
    pub(super) names: LocalNames,
}

impl Own {
    pub(super) fn open(root: impl AsFd) -> io::Result<Self> {
        let device = tree::seen(&root)?.device;
        let folder = own_folder(&root, OWN_NAME)?;
        if tree::seen(&folder)?.device != device {
            return Err(io::Error::other(format!("{OWN_NAME} lies on another file system than its folder")));
        }
        let lock = lock(&folder)?;
        let (stages, backups) = (own_folder(&folder, "stage")?, own_folder(&folder, "backup")?);
        remove_if_there(&stages, LINK)?;
        let (clock, mode) = probe_mode(&folder)?;
        let names = probe_names(&folder)?;
        Ok(Self { folder, stages, backups, _lock: lock, clock, mode, names })
    }

    pub(super) fn now_ns(&self) -> io::Result<i64> {
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        fs::futimens(&self.clock, &Timestamps { last_access: now, last_modification: now })?;
        Ok(tree::seen(&self.clock)?.stat.mtime_ns)
    }
}

/// Makes a folder for nobody else, if it is not there, and opens it.
pub(super) fn own_folder(above: impl AsFd, name: &str) -> io::Result<OwnedFd> {
    match fs::mkdirat(&above, name, Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno.into()),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(fs::openat(above, name, flags, Mode::empty())?)
}

pub(super) fn remove_if_there(folder: impl AsFd, name: &str) -> io::Result<()> {
    match fs::unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

fn lock(folder: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let lock = fs::openat(folder, "lock", flags, Mode::RUSR | Mode::WUSR)?;
    match fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => {
            let why = "another daemon keeps this folder in step: only one may";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, why));
        }
        Err(errno) => return Err(errno.into()),
    }
    // Somebody may have removed the file between its opening and the lock: then others would lock another one.
    if tree::look(folder, "lock")?.stat.inode != tree::seen(&lock)?.stat.inode {
        return Err(io::Error::new(io::ErrorKind::ResourceBusy, "the lock of this folder was replaced"));
    }
    Ok(lock)
}

fn probe_mode(folder: &OwnedFd) -> io::Result<(OwnedFd, u32)> {
    remove_if_there(folder, "clock")?;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let clock = fs::openat(folder, "clock", flags, Mode::from_raw_mode(0o777))?;
    let mode = tree::seen(&clock)?.mode & 0o777;
    Ok((clock, mode))
}

fn probe_names(folder: &OwnedFd) -> io::Result<LocalNames> {
    let (name, flags) = ("probe:", OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC);
    match fs::openat(folder, name, flags, Mode::RUSR | Mode::WUSR) {
        Ok(_) => remove_if_there(folder, name).map(|()| LocalNames::Plain),
        Err(Errno::INVAL) => Ok(LocalNames::Marked),
        Err(errno) => Err(errno.into()),
    }
}
