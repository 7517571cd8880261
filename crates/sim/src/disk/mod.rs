//! A disk in memory that forgets what was not synced, tears what was being written, fails, and ends the process.
//!
//! The real protocol of files ([`host::DiskFiles`]) runs on it. A crash is of one of two kinds: [`SimDisk::kill`] ends
//! the process alone, and all that was shown is still shown; [`SimDisk::cut`] cuts the power, and what was not synced is
//! there or not, by the seed.
//!
//! A failed sync of a file drops what was dirty, as ext4 does: still shown, durable never. A failed sync of a directory
//! either leaves its names as they were, for a later sync, or makes the file system read-only until the power is cut, as
//! journals do when they cannot be written. Deliberately not here: directories whose failed changes are dropped while
//! later syncs succeed; no protocol could tell, and no journal does it.

mod content;
mod faults;
mod handle;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::rng::Rng;
pub use faults::{DiskFault, DiskFaults};
pub use handle::SimFolder;
use tree::{Id, Node, ROOT, Tree};

/// The disk; clones are the same one.
#[derive(Clone)]
pub struct SimDisk(Arc<Mutex<State>>);

struct State {
    tree: Tree,
    rng: Rng,
    faults: DiskFaults,
    struck: BTreeMap<DiskFault, u64>,
    /// Handles of earlier processes are good for nothing.
    process: u64,
    dead: bool,
    read_only: bool,
}

impl SimDisk {
    /// An empty disk.
    pub fn new(rng: Rng, faults: DiskFaults) -> Self {
        let (tree, struck) = (Tree::new(), BTreeMap::new());
        Self(Arc::new(Mutex::new(State { tree, rng, faults, struck, process: 0, dead: false, read_only: false })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The root directory, for this process.
    pub fn root(&self) -> SimFolder {
        SimFolder::new(self.clone(), ROOT, self.state().process)
    }

    /// What goes wrong from now on.
    pub fn set_faults(&self, faults: DiskFaults) {
        self.state().faults = faults;
    }

    /// How often each fault happened.
    #[cfg(test)]
    pub fn struck(&self) -> BTreeMap<DiskFault, u64> {
        self.state().struck.clone()
    }

    /// Whether the process has ended at an operation: nothing works until the next one.
    pub fn is_dead(&self) -> bool {
        self.state().dead
    }

    /// Whether the file system went read-only, which only a cut ends.
    pub fn is_read_only(&self) -> bool {
        self.state().read_only
    }

    /// The process ends, the machine goes on: the next process sees everything that was shown.
    pub fn kill(&self) {
        let mut state = self.state();
        state.process += 1;
        state.dead = false;
    }

    /// The power is cut and comes back: what was not synced is there or not.
    pub fn cut(&self) {
        self.kill();
        let state = &mut *self.state();
        state.tree.cut(&mut state.rng);
        state.read_only = false;
    }

    /// All files that are shown, by their paths, whatever their names.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let (state, mut files) = (self.state(), BTreeMap::new());
        let mut open = vec![(String::new(), ROOT)];
        while let Some((path, id)) = open.pop() {
            match state.tree.node(id) {
                Some(Node::File(content)) => drop(files.insert(path, content.shown().to_vec())),
                Some(Node::Directory(names)) => {
                    let slash = if path.is_empty() { "" } else { "/" };
                    open.extend(names.shown.iter().map(|(name, id)| (format!("{path}{slash}{name}"), *id)));
                }
                None => {}
            }
        }
        files
    }
}

impl State {
    /// Every operation begins here: the process may end at it.
    fn begin(&mut self, process: u64) -> io::Result<()> {
        if self.dead || process != self.process {
            return Err(DiskFault::Died.error());
        }
        self.dead = self.strike(&[DiskFault::Died]).is_some();
        if self.dead { Err(DiskFault::Died.error()) } else { Ok(()) }
    }

    /// Every operation that changes something.
    fn begin_change(&mut self, process: u64) -> io::Result<()> {
        self.begin(process)?;
        if self.read_only { Err(DiskFault::Aborted.error()) } else { Ok(()) }
    }

    /// Every operation that only looks.
    fn begin_look(&mut self, process: u64) -> io::Result<()> {
        self.begin(process)?;
        self.strike(&[DiskFault::ReadFailed]).map_or(Ok(()), |fault| Err(fault.error()))
    }

    fn strike(&mut self, of: &[DiskFault]) -> Option<DiskFault> {
        let fault = self.faults.strike(&mut self.rng, of)?;
        *self.struck.entry(fault).or_default() += 1;
        Some(fault)
    }

    /// Changes names, or fails before or after it.
    fn change_names<T>(&mut self, change: impl FnOnce(&mut Tree) -> T) -> io::Result<T> {
        let fault = self.strike(&[DiskFault::NameFailed, DiskFault::NameFailedLate]);
        if fault == Some(DiskFault::NameFailed) {
            return Err(DiskFault::NameFailed.error());
        }
        let changed = change(&mut self.tree);
        fault.map_or(Ok(changed), |fault| Err(fault.error()))
    }

    fn lookup(&self, directory: Id, name: &str) -> io::Result<Id> {
        let names = self.tree.names(directory).ok_or(io::ErrorKind::NotADirectory)?;
        Ok(*names.shown.get(name).ok_or(io::ErrorKind::NotFound)?)
    }

    fn sync_file(&mut self, id: Id) -> io::Result<()> {
        let fault = self.strike(&[DiskFault::SyncFailed]);
        let content = self.tree.content_mut(id).ok_or(io::ErrorKind::NotFound)?;
        match fault {
            Some(fault) => {
                content.fail_sync();
                Err(fault.error())
            }
            None => {
                content.sync();
                Ok(())
            }
        }
    }

    fn sync_directory(&mut self, id: Id) -> io::Result<()> {
        let fault = self.strike(&[DiskFault::DirectorySyncFailed, DiskFault::Aborted]);
        self.read_only |= fault == Some(DiskFault::Aborted);
        match fault {
            Some(fault) => Err(fault.error()),
            None => {
                self.tree.sync_names(id);
                Ok(())
            }
        }
    }

    /// One after the other; at the first that fails the rest may be durable or not.
    fn sync_all(&mut self) -> io::Result<()> {
        for id in self.tree.ids() {
            match self.tree.names(id) {
                Some(_) => self.sync_directory(id)?,
                None => self.sync_file(id)?,
            }
        }
        Ok(())
    }

    /// Writes a part, as writes do; if something goes wrong the rest never comes.
    fn write(&mut self, id: Id, bytes: &[u8], torn: Option<DiskFault>) -> io::Result<usize> {
        let count = usize::try_from(self.rng.within(1, bytes.len() as u64)).unwrap_or(1);
        let content = self.tree.content_mut(id).ok_or(io::ErrorKind::NotFound)?;
        content.append(&bytes[..count]);
        torn.map_or(Ok(count), |fault| Err(fault.error()))
    }
}
