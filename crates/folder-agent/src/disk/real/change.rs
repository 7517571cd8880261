//! Changes that bring no new bytes: folders, renames, removals, the executable bit.

use std::io;

use rustix::fs::{self, AtFlags, FileType, Mode, RenameFlags};
use rustix::io::Errno;
use synxpo::names::{Policy, slot};

use super::RealDisk;
use super::install::with_executable;
use super::stages::open_file;
use super::tree::{self, Spot};
use crate::disk::{Outcome, checked};
use crate::model::Stat;

impl RealDisk {
    pub(super) fn make_one_folder(&mut self, path: &str) -> io::Result<Outcome> {
        let Some(spot) = self.tree.spot(&checked(path)?)? else { return Ok(Outcome::Changed) };
        match fs::mkdirat(&spot.folder, spot.name.as_str(), Mode::from_raw_mode(0o777)) {
            Ok(()) => {}
            Err(Errno::EXIST) => return self.folder_there(&spot),
            Err(Errno::NOENT) => return Ok(Outcome::Changed),
            Err(errno) => return Err(errno.into()),
        }
        let seen = spot.look()?;
        self.unflushed.note(&spot.folder)?;
        Ok(seen.map_or(Outcome::Changed, |seen| Outcome::Done(seen.stat)))
    }

    fn folder_there(&self, spot: &Spot) -> io::Result<Outcome> {
        let is_ours = |seen: &tree::Seen| seen.kind == FileType::Directory && !self.tree.is_elsewhere(seen);
        Ok(spot.look()?.filter(is_ours).map_or(Outcome::Changed, |seen| Outcome::Done(seen.stat)))
    }

    pub(super) fn rename_one(&mut self, from: &str, expected: Stat, to: &str) -> io::Result<Outcome> {
        let (from, to) = (self.tree.spot(&checked(from)?)?, self.tree.spot(&checked(to)?)?);
        let (Some(from), Some(to)) = (from, to) else { return Ok(Outcome::Changed) };
        if from.look()?.map(|seen| seen.stat) != Some(expected) {
            return Ok(Outcome::Changed);
        }
        match self.moves.take(&from, &to, &expected) {
            Ok(true) => {}
            Ok(false) => return Ok(Outcome::Changed),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && is_other_case(&from, &to)? => {
                from.rename(&to, RenameFlags::empty())?;
            }
            Err(error) if is_no_way(&error) => return Ok(Outcome::Changed),
            Err(error) => return Err(error),
        }
        let now = to.look()?.filter(|seen| seen.stat.inode == expected.inode);
        self.unflushed.note(&from.folder)?;
        self.unflushed.note(&to.folder)?;
        Ok(now.map_or(Outcome::Changed, |seen| Outcome::Done(Stat { ctime_ns: seen.stat.ctime_ns, ..expected })))
    }

    pub(super) fn remove_one(&mut self, path: &str, expected: Stat) -> io::Result<Outcome> {
        let parts = checked(path)?;
        let Some(spot) = self.tree.spot(&parts)? else { return Ok(Outcome::Changed) };
        let Some(seen) = spot.look()?.filter(|seen| seen.stat == expected) else { return Ok(Outcome::Changed) };
        if seen.kind == FileType::Directory {
            return self.remove_folder(spot, expected);
        }
        let backup = self.backup_spot(&parts)?;
        match self.moves.take(&spot, &backup, &expected) {
            Ok(true) => {}
            Ok(false) => return Ok(Outcome::Changed),
            Err(error) if tree::is_stale(&error) => return Ok(Outcome::Changed),
            Err(error) => return Err(error),
        }
        let now = backup.look()?.map_or(expected, |seen| seen.stat);
        self.unflushed.note(&spot.folder)?;
        Ok(Outcome::Done(now))
    }

    fn remove_folder(&mut self, spot: Spot, expected: Stat) -> io::Result<Outcome> {
        match fs::unlinkat(&spot.folder, spot.name.as_str(), AtFlags::REMOVEDIR) {
            Ok(()) => {}
            // Not empty, gone, no folder any more, or another file system lies there.
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT | Errno::NOTDIR | Errno::BUSY) => {
                return Ok(Outcome::Changed);
            }
            Err(errno) => return Err(errno.into()),
        }
        self.unflushed.note(&spot.folder)?;
        Ok(Outcome::Done(expected))
    }

    pub(super) fn make_executable(&mut self, path: &str, expected: Stat, executable: bool) -> io::Result<Outcome> {
        let spot = self.tree.spot(&checked(path)?)?;
        let opened = spot.map_or(Ok(None), |spot| open_file(&spot))?;
        let Some((file, seen)) = opened.filter(|(_, seen)| seen.stat == expected) else {
            return Ok(Outcome::Changed);
        };
        fs::fchmod(&file, with_executable(seen.mode, executable))?;
        let ctime_ns = tree::seen(&file)?.stat.ctime_ns;
        self.unflushed.note(&file)?;
        Ok(Outcome::Done(Stat { ctime_ns, ..expected }))
    }
}

/// Something lies there, a folder would be moved into itself, or a folder on the way is not there any more.
fn is_no_way(error: &io::Error) -> bool {
    let is_full = matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty);
    is_full || tree::is_stale(error) || error.raw_os_error() == Some(Errno::INVAL.raw_os_error())
}

/// The same file under another case of the same name, on a file system that does not tell: it is no obstacle to itself. Two links to one file on one
/// that does tell are two names.
fn is_other_case(from: &Spot, to: &Spot) -> io::Result<bool> {
    let inode = |spot: &Spot| Ok::<_, io::Error>(spot.look()?.map(|seen| (seen.device, seen.stat.inode)));
    let is_same_folder = tree::seen(&from.folder)?.stat.inode == tree::seen(&to.folder)?.stat.inode;
    let is_same_name = slot(Policy::Folded, &from.name) == slot(Policy::Folded, &to.name);
    if !is_same_folder || !is_same_name || inode(from)? != inode(to)? {
        return Ok(false);
    }
    let names = tree::names_in(&to.folder)?;
    Ok(!names.iter().any(|name| name.to_bytes() == to.name.as_bytes()))
}
