//! A folder in memory, for the simulator and for tests: time, faults and crashes are given from outside, and the same is always the same.
//!
//! What a crash may do here is what a file system with a journal may do: of the changes that were not settled the first ones stay, the others never
//! were; bytes of stages that were not flushed are old, whole, cut or full of holes. What users do is durable at once.
//!
//! Not here: races within one call. The real disk has those, and its own tests.

mod calls;
mod faults;
mod user;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sha2::Digest as _;
use synxpo::names::Policy;

use super::Marker;
use crate::model::{Content, Hash};
pub use faults::Fault;
pub use user::User;
use world::{Data, Place, World};

/// A folder in memory.
#[derive(Debug, Clone)]
pub struct MemoryDisk {
    world: World,
    /// Inodes of stages with bytes that were not flushed, and the bytes that a crash leaves at least.
    dirty: BTreeMap<u64, Arc<Vec<u8>>>,
    marker: Option<Marker>,
    backup_next: u64,
    backed_up: BTreeSet<Hash>,
    faults: faults::Faults,
}

/// Something in the backups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryBackup {
    /// Where it lay.
    pub path: String,
    /// What it holds.
    pub content: Content,
    /// When it was backed up, in nanoseconds.
    pub since_ns: i64,
}

impl Default for MemoryDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryDisk {
    /// An empty folder on a file system that tells names apart byte by byte.
    #[must_use]
    pub fn new() -> Self {
        Self::with_names(Policy::Exact)
    }

    /// An empty folder on a file system that compares names so.
    #[must_use]
    pub fn with_names(policy: Policy) -> Self {
        Self {
            world: World::new(policy),
            dirty: BTreeMap::new(),
            marker: None,
            backup_next: 1,
            backed_up: BTreeSet::new(),
            faults: faults::Faults::default(),
        }
    }

    /// The time of the file system from now on, in nanoseconds.
    pub fn set_now(&mut self, now_ns: i64) {
        self.world.set_now(now_ns);
    }

    /// How finely the file system tells times apart: they are multiples of this. At first 1.
    pub fn set_tick(&mut self, tick_ns: i64) {
        assert!(tick_ns > 0, "a tick takes time");
        self.world.tick_ns = tick_ns;
    }

    /// What the user of this machine does.
    pub fn user(&mut self) -> User<'_> {
        User::new(self)
    }

    /// All that lies below the root, by path, with hashes.
    #[must_use]
    pub fn tree(&self) -> BTreeMap<String, Content> {
        let mut found = BTreeMap::new();
        let mut folders = vec![(String::new(), world::ROOT)];
        while let Some((above, folder)) = folders.pop() {
            for (_, entry) in self.world.children(folder) {
                let path = super::join(&above, &entry.name);
                let Some(content) = self.content(entry.inode) else { continue };
                if content == Content::Folder {
                    folders.push((path.clone(), entry.inode));
                }
                found.insert(path, content);
            }
        }
        found
    }

    /// The bytes of a file.
    #[must_use]
    pub fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let (_, inode) = self.world.at(&self.world.place(path).ok()?)?;
        inode.bytes().map(|bytes| bytes.to_vec())
    }

    /// What lies in the backups, from the oldest.
    #[must_use]
    pub fn backups(&self) -> Vec<MemoryBackup> {
        let backup = |(_, entry): (u64, &world::Entry)| {
            let content = self.content(entry.inode)?;
            Some(MemoryBackup { path: entry.name.clone(), content, since_ns: entry.since_ns })
        };
        self.world.backups().filter_map(backup).collect()
    }

    /// The hashes of all contents that were ever backed up, also of what was pruned since.
    #[must_use]
    pub fn backed_up(&self) -> &BTreeSet<Hash> {
        &self.backed_up
    }

    /// The power goes: of what was not settled the first steps stay, and the bytes of stages may be torn. `below(n)` gives a number below `n`.
    pub fn crash(&mut self, below: &mut dyn FnMut(u64) -> u64) {
        let steps = self.world.steps();
        let kept = usize::try_from(below(steps as u64 + 1)).unwrap_or(steps).min(steps);
        self.world.undo_after(kept);
        for (inode, durable) in std::mem::take(&mut self.dirty) {
            if let Some(bytes) = self.world.inode(inode).and_then(world::Inode::bytes).cloned() {
                self.world.set_bytes(inode, Arc::new(torn(&durable, &bytes, below)));
            }
        }
    }

    fn content(&self, inode: u64) -> Option<Content> {
        let inode = self.world.inode(inode)?;
        match &inode.data {
            Data::Folder => Some(Content::Folder),
            Data::Link(target) => Some(Content::Symlink(target.clone())),
            Data::File(bytes) => Some(Content::File {
                hash: Some(sha2::Sha256::digest(&**bytes).into()),
                size: inode.size(),
                executable: inode.executable,
            }),
            Data::Odd(_) => None,
        }
    }

    /// Remembers for ever that this was backed up.
    fn note_backup(&mut self, place: &Place) {
        let bytes = self.world.at(place).and_then(|(_, inode)| inode.bytes().cloned());
        if let Some(bytes) = bytes {
            self.backed_up.insert(sha2::Sha256::digest(&**bytes).into());
        }
    }
}

/// What a crash leaves of bytes that were not flushed: the old ones, all, the first of them, or all with a hole of zeros.
fn torn(durable: &[u8], bytes: &[u8], below: &mut dyn FnMut(u64) -> u64) -> Vec<u8> {
    let mut cut = |len: usize| usize::try_from(below(len as u64 + 1)).unwrap_or(len).min(len);
    match cut(3) {
        0 => durable.to_vec(),
        1 => bytes.to_vec(),
        2 => bytes[..cut(bytes.len())].to_vec(),
        _ => {
            let (one, other) = (cut(bytes.len()), cut(bytes.len()));
            let mut holed = bytes.to_vec();
            holed[one.min(other)..one.max(other)].fill(0);
            holed
        }
    }
}

#[cfg(test)]
mod tests;
