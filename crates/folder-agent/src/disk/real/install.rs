//! Putting files and links in their places. What lay there is in the backups in the same moment: the new file first takes the place of the backup,
//! and then both change places (FLD-7, FLD-16, FLD-23).

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::{self, FileType, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT};

use super::moves::Swapped;
use super::own::LINK;
use super::tree::{self, Seen, Spot};
use super::{RealDisk, own};
use crate::disk::{Expected, Outcome, Stage, checked};
use crate::model::Stat;

impl RealDisk {
    pub(super) fn install_stage(
        &mut self,
        stage: Stage,
        path: &str,
        expected: Expected,
        executable: bool,
        mtime_us: Option<i64>,
    ) -> io::Result<Outcome> {
        let parts = checked(path)?;
        let file = self.open_stage(stage, OFlags::RDONLY)?;
        let Some(spot) = self.tree.spot(&parts)? else { return Ok(Outcome::Changed) };
        let there = spot.look()?;
        if !is_expected(there.as_ref(), expected) {
            return Ok(Outcome::Changed);
        }
        let mode = there.filter(|seen| seen.kind == FileType::RegularFile).map_or(self.own.mode, |seen| seen.mode);
        dress(&file, mode, executable, mtime_us)?;
        if self.flush_stage(stage, &file)? {
            self.unflushed.note(&file)?;
        }
        let ours = tree::seen(&file)?;
        if !self.put(&self.stage_spot(stage)?, &ours, &parts, &spot, expected)? {
            return Ok(Outcome::Changed);
        }
        self.unflushed.stages.remove(&stage);
        // Only the rename is added: who wrote the file since must differ from this.
        Ok(Outcome::Done(Stat { ctime_ns: tree::seen(&file)?.stat.ctime_ns, ..ours.stat }))
    }

    pub(super) fn install_symlink(&mut self, target: &str, path: &str, expected: Expected) -> io::Result<Outcome> {
        let parts = checked(path)?;
        if target.is_empty() || target.contains('\0') {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a link leads to no name"));
        }
        let Some(spot) = self.tree.spot(&parts)? else { return Ok(Outcome::Changed) };
        if !is_expected(spot.look()?.as_ref(), expected) {
            return Ok(Outcome::Changed);
        }
        own::remove_if_there(&self.own.stages, LINK)?;
        fs::symlinkat(target, &self.own.stages, LINK)?;
        let link = Spot { folder: self.own.stages.try_clone()?, name: LINK.to_owned() };
        let ours = link.look()?.ok_or(io::ErrorKind::NotFound)?;
        if !self.put(&link, &ours, &parts, &spot, expected)? {
            own::remove_if_there(&self.own.stages, LINK)?;
            return Ok(Outcome::Changed);
        }
        let now = spot.look()?.filter(|seen| seen.stat.inode == ours.stat.inode);
        Ok(Outcome::Done(now.map_or(ours.stat, |seen| seen.stat)))
    }

    /// Puts something of our own at a spot; `false` if something else lies there, and then ours is where it was.
    fn put(&mut self, own: &Spot, ours: &Seen, parts: &[&str], spot: &Spot, expected: Expected) -> io::Result<bool> {
        self.unflushed.note(&own.folder)?;
        self.unflushed.note(&spot.folder)?;
        match expected {
            Expected::Nothing => match self.moves.move_to_free(own, spot) {
                Ok(()) => Ok(true),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists || tree::is_stale(&error) => Ok(false),
                Err(error) => Err(error),
            },
            Expected::File(planned) => {
                let backup = self.backup_spot(parts)?;
                self.moves.move_to_free(own, &backup)?;
                let swapped = self.swap(&backup, ours.stat.inode, parts, spot, &planned);
                if !matches!(swapped, Ok(true)) {
                    self.take_back(own, ours, &backup)?;
                }
                swapped
            }
        }
    }

    fn swap(&mut self, new: &Spot, ours: u64, parts: &[&str], at: &Spot, planned: &Stat) -> io::Result<bool> {
        let swapped = match self.moves.exchange(new, ours, at, planned)? {
            Swapped::Unable => {
                let backup = self.backup_spot(parts)?;
                self.moves.replace(new, at, &backup, planned)?
            }
            swapped => swapped,
        };
        Ok(swapped == Swapped::Done)
    }

    /// Ours is where it was before, unless somebody did away with it meanwhile.
    fn take_back(&mut self, own: &Spot, ours: &Seen, backup: &Spot) -> io::Result<()> {
        match backup.look()? {
            Some(seen) if seen.stat.inode == ours.stat.inode => self.moves.move_to_free(backup, own),
            _ => Ok(()),
        }
    }
}

/// A folder is never replaced: what is in it would vanish with it.
fn is_expected(there: Option<&Seen>, expected: Expected) -> bool {
    match (there, expected) {
        (None, Expected::Nothing) => true,
        (Some(seen), Expected::File(planned)) => seen.stat == planned && seen.kind != FileType::Directory,
        (None, Expected::File(_)) | (Some(_), Expected::Nothing) => false,
    }
}

/// The permissions that a file has, or that a new one would get, with another executable bit.
pub(super) fn with_executable(mode: u32, executable: bool) -> Mode {
    let plain = mode & 0o666;
    // Who may read it may run it.
    Mode::from_raw_mode(if executable { plain | ((plain & 0o444) >> 2) } else { plain })
}

fn dress(file: &OwnedFd, mode: u32, executable: bool, mtime_us: Option<i64>) -> io::Result<()> {
    fs::fchmod(file, with_executable(mode, executable))?;
    if let Some(mtime_us) = mtime_us {
        let last_modification =
            Timespec { tv_sec: mtime_us.div_euclid(1_000_000), tv_nsec: (mtime_us.rem_euclid(1_000_000) * 1_000) as _ };
        let last_access = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
        fs::futimens(file.as_fd(), &Timestamps { last_access, last_modification })?;
    }
    Ok(())
}
