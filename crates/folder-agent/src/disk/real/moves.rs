//! Renames that never replace what nobody looked at, also on file systems that know only the plain one.

use std::io;

use rustix::fs::{FileType, RenameFlags};
use rustix::io::Errno;

use super::tree::{Seen, Spot};
use crate::model::Stat;

/// What the file system can do; what it refused once is not tried again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moves {
    pub(super) can_exchange: bool,
    pub(super) can_refuse: bool,
}

/// What became of a swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Swapped {
    Done,
    /// Something else lay there; it lies there again.
    Not,
    /// The file system cannot do this.
    Unable,
}

impl Moves {
    /// Moves to where nothing lies; `AlreadyExists` if something does.
    pub(super) fn move_to_free(&mut self, from: &Spot, to: &Spot) -> io::Result<()> {
        if self.can_refuse {
            match from.rename(to, RenameFlags::NOREPLACE) {
                Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
                moved => return Ok(moved?),
            }
        }
        // A file can be linked, which refuses too; a folder cannot, but replaces nothing that has anything in it.
        let is_folder = from.look()?.is_some_and(|seen| seen.kind == FileType::Directory);
        match if is_folder { Err(Errno::PERM) } else { from.link(to) } {
            Ok(()) => from.unlink(),
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::MLINK | Errno::NOSYS) => look_and_rename(from, to),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Exchanges what is new (at the place of the backup) with the file that was planned on.
    pub(super) fn exchange(&mut self, new: &Spot, ours: u64, at: &Spot, planned: &Stat) -> io::Result<Swapped> {
        if !self.can_exchange {
            return Ok(Swapped::Unable);
        }
        match new.rename(at, RenameFlags::EXCHANGE) {
            Ok(()) => {}
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                self.can_exchange = false;
                return Ok(Swapped::Unable);
            }
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(Swapped::Not),
            Err(errno) => return Err(errno.into()),
        }
        if is_planned(new.look()?.as_ref(), planned) {
            return Ok(Swapped::Done);
        }
        self.exchange_back(new, ours, at)?;
        Ok(Swapped::Not)
    }

    /// Somebody saved between the look and the exchange. If they save once more before it is back, theirs is the last word: what they replaced
    /// stays in the backups.
    fn exchange_back(&mut self, new: &Spot, ours: u64, at: &Spot) -> io::Result<()> {
        match new.rename(at, RenameFlags::EXCHANGE) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Ok(()),
            Err(errno) => return Err(errno.into()),
        }
        if new.look()?.is_some_and(|seen| seen.stat.inode != ours) {
            new.rename(at, RenameFlags::EXCHANGE)?;
        }
        Ok(())
    }

    /// Where nothing can be exchanged: the old file gets a second name in the backups, and then the new one takes its place. Whoever saves between
    /// these two loses that save to the plain rename; there is no other way on such file systems.
    pub(super) fn replace(&mut self, new: &Spot, at: &Spot, backup: &Spot, planned: &Stat) -> io::Result<Swapped> {
        match at.link(backup) {
            Ok(()) if is_planned(backup.look()?.as_ref(), planned) => {
                new.rename(at, RenameFlags::empty())?;
                Ok(Swapped::Done)
            }
            Ok(()) => backup.unlink().map(|()| Swapped::Not),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(Swapped::Not),
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::MLINK | Errno::NOSYS) => {
                self.replace_in_two(new, at, backup, planned)
            }
            Err(errno) => Err(errno.into()),
        }
    }

    /// Without links, too: for a moment nothing lies there.
    fn replace_in_two(&mut self, new: &Spot, at: &Spot, backup: &Spot, planned: &Stat) -> io::Result<Swapped> {
        if !self.take(at, backup, planned)? {
            return Ok(Swapped::Not);
        }
        match self.move_to_free(new, at) {
            Ok(()) => Ok(Swapped::Done),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Swapped::Not),
            Err(error) => Err(error),
        }
    }

    /// Moves a file to a free place if it is the one that was planned on; what it was not lies where it lay.
    pub(super) fn take(&mut self, from: &Spot, to: &Spot, planned: &Stat) -> io::Result<bool> {
        self.move_to_free(from, to)?;
        if is_planned(to.look()?.as_ref(), planned) {
            return Ok(true);
        }
        match self.move_to_free(to, from) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(false),
        }
    }
}

/// A rename, and a second link, change `ctime_ns`; all else is as it was.
fn is_planned(seen: Option<&Seen>, planned: &Stat) -> bool {
    seen.is_some_and(|seen| seen.stat.is_same_but_moved(planned))
}

fn look_and_rename(from: &Spot, to: &Spot) -> io::Result<()> {
    if to.look()?.is_some() {
        return Err(Errno::EXIST.into());
    }
    Ok(from.rename(to, RenameFlags::empty())?)
}
