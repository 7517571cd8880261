//! A folder of this machine, on Linux.
//!
//! Everything goes by handles of folders that were opened beneath the root without following a link; only then is anything done to a name in them.
//! What was planned on is compared before a change and, since others may be quicker, once more after it: renames that turn out to have hit something
//! else are taken back.
//!
//! Not here: locks against other programs. They are not asked to wait, and what they write is never lost: it is either seen before a change, or it
//! lies where they put it.

mod backups;
mod calls;
mod change;
mod flush;
mod follow;
mod install;
pub(crate) mod look;
mod moves;
mod own;
mod stages;
pub(crate) mod tree;

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{self, Mode, OFlags};

use super::local_name::LocalNames;
use super::{Marker, Stage};
pub use backups::Backup;
use moves::Moves;
use own::Own;
use tree::Tree;

/// A folder of this machine. Only one at a time can be open on a folder.
#[derive(Debug)]
pub struct RealDisk {
    path: PathBuf,
    tree: Tree,
    own: Own,
    moves: Moves,
    unflushed: flush::Unflushed,
    batch: Option<backups::Batch>,
    /// Whoever reads the stage that is copied.
    follower: Option<(Stage, follow::Follower)>,
}

impl RealDisk {
    /// Opens a folder, and makes what is our own in it.
    ///
    /// # Errors
    /// It is not there or no folder; the disk refused; `ResourceBusy` if another daemon has it.
    pub fn open(root: &Path) -> io::Result<Self> {
        let folder = open_root(root)?;
        let own = Own::open(&folder)?;
        let tree = Tree::new(folder, own.names)?;
        let moves = Moves { can_exchange: true, can_refuse: true };
        let unflushed = flush::Unflushed::default();
        Ok(Self { path: root.to_owned(), tree, own, moves, unflushed, batch: None, follower: None })
    }

    /// How names are kept here.
    #[must_use]
    pub fn names(&self) -> LocalNames {
        self.tree.names
    }

    /// As if system and file system could only what every one can.
    #[cfg(test)]
    pub(crate) fn as_if_old(&mut self) {
        self.tree.is_walking = true;
        self.moves = Moves { can_exchange: false, can_refuse: false };
    }

    /// As if the file system could not hold every name.
    #[cfg(test)]
    pub(crate) fn as_if_dos(&mut self) {
        self.tree.names = LocalNames::Marked;
    }

    /// The marker, if the folder that is open still is the one that lies at its path.
    fn read_marker(&self) -> io::Result<Option<Marker>> {
        let there = match open_root(&self.path) {
            Err(error) if tree::is_stale(&error) => return Ok(None),
            opened => tree::seen(opened?)?,
        };
        let ours = tree::seen(&self.tree.root)?;
        if (there.device, there.stat.inode) != (ours.device, ours.stat.inode) {
            return Ok(None);
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match fs::openat(&self.own.folder, "marker", flags, Mode::empty()) {
            Err(rustix::io::Errno::NOENT) => Ok(None),
            opened => Ok(serde_json::from_reader(std::fs::File::from(opened?)).map(Some)?),
        }
    }

    fn write_marker(&mut self, marker: &Marker) -> io::Result<()> {
        use std::io::Write as _;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let mut file = std::fs::File::from(fs::openat(&self.own.folder, "marker-new", flags, mode)?);
        file.write_all(&serde_json::to_vec(marker)?)?;
        file.sync_all()?;
        fs::renameat(&self.own.folder, "marker-new", &self.own.folder, "marker")?;
        fs::fsync(&self.own.folder)?;
        // The folder that holds it may be new, too.
        Ok(fs::fsync(&self.tree.root)?)
    }
}

/// The root itself may be reached through links: it is what the user named.
pub(crate) fn open_root(root: &Path) -> io::Result<OwnedFd> {
    Ok(fs::open(root, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

#[cfg(test)]
mod tests;
