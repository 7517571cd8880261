//! The file system in memory: inodes, what leads to them, and how to undo what was not settled.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use synxpo::names::{self, Policy};

use crate::model::Stat;

/// The inode of the root.
pub(super) const ROOT: u64 = 1;

/// What an inode is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Data {
    File(Arc<Vec<u8>>),
    Folder,
    Link(String),
    /// Nothing that can be kept in step; why.
    Odd(&'static str),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inode {
    pub(super) data: Data,
    pub(super) executable: bool,
    pub(super) mtime_ns: i64,
    pub(super) ctime_ns: i64,
}

impl Inode {
    pub(super) fn bytes(&self) -> Option<&Arc<Vec<u8>>> {
        match &self.data {
            Data::File(bytes) => Some(bytes),
            Data::Folder | Data::Link(_) | Data::Odd(_) => None,
        }
    }

    pub(super) fn size(&self) -> u64 {
        match &self.data {
            Data::File(bytes) => bytes.len() as u64,
            Data::Link(target) => target.len() as u64,
            Data::Folder | Data::Odd(_) => 0,
        }
    }
}

/// What leads to an inode.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// In a folder, by the slot of the name.
    Name(u64, String),
    Stage(u64),
    Backup(u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The name as it is spelled; of a backup the path that it had.
    pub(super) name: String,
    pub(super) inode: u64,
    /// When it came here, for backups.
    pub(super) since_ns: i64,
}

/// What was there before a change.
#[derive(Debug, Clone)]
enum Undo {
    Entry(Place, Option<Entry>),
    Inode(u64, Option<Inode>),
}

#[derive(Debug, Clone)]
pub(super) struct World {
    policy: Policy,
    entries: BTreeMap<Place, Entry>,
    inodes: BTreeMap<u64, Inode>,
    inode_next: u64,
    /// What was not settled, step by step.
    steps: Vec<Vec<Undo>>,
    /// What files given here were written, rounded down to this: what a file system does.
    pub(super) tick_ns: i64,
    now_ns: i64,
}

impl World {
    pub(super) fn new(policy: Policy) -> Self {
        let root = Inode { data: Data::Folder, executable: false, mtime_ns: 0, ctime_ns: 0 };
        Self {
            policy,
            entries: BTreeMap::new(),
            inodes: BTreeMap::from([(ROOT, root)]),
            inode_next: ROOT + 1,
            steps: Vec::new(),
            tick_ns: 1,
            now_ns: 0,
        }
    }

    pub(super) fn set_now(&mut self, now_ns: i64) {
        self.now_ns = now_ns;
    }

    pub(super) fn now(&self) -> i64 {
        self.now_ns - self.now_ns.rem_euclid(self.tick_ns)
    }

    /// Begins a step: what a crash undoes as a whole.
    pub(super) fn step(&mut self) {
        self.steps.push(Vec::new());
    }

    pub(super) fn settle(&mut self) {
        self.steps.clear();
    }

    pub(super) fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Undoes what came after the first so many steps; all else is durable then.
    pub(super) fn undo_after(&mut self, kept: usize) {
        let undone: Vec<Undo> = self.steps.drain(kept..).flatten().collect();
        for undo in undone.into_iter().rev() {
            match undo {
                Undo::Entry(place, was) => drop(put(&mut self.entries, place, was)),
                Undo::Inode(inode, was) => drop(put(&mut self.inodes, inode, was)),
            }
        }
        self.steps.clear();
    }

    pub(super) fn set_entry(&mut self, place: Place, entry: Option<Entry>) {
        let was = put(&mut self.entries, place.clone(), entry);
        self.note(Undo::Entry(place, was));
    }

    pub(super) fn set_inode(&mut self, inode: u64, data: Option<Inode>) {
        let was = put(&mut self.inodes, inode, data);
        self.note(Undo::Inode(inode, was));
    }

    fn note(&mut self, undo: Undo) {
        if let Some(step) = self.steps.last_mut() {
            step.push(undo);
        }
    }

    /// Bytes are no steps: what a crash makes of those that were not flushed is decided file by file.
    pub(super) fn set_bytes(&mut self, inode: u64, bytes: Arc<Vec<u8>>) {
        let now = self.now();
        if let Some(inode) = self.inodes.get_mut(&inode) {
            inode.data = Data::File(bytes);
            (inode.mtime_ns, inode.ctime_ns) = (now, now);
        }
    }

    pub(super) fn make(&mut self, data: Data) -> u64 {
        let (inode, now) = (self.inode_next, self.now());
        self.inode_next += 1;
        self.set_inode(inode, Some(Inode { data, executable: false, mtime_ns: now, ctime_ns: now }));
        inode
    }

    pub(super) fn inode(&self, inode: u64) -> Option<&Inode> {
        self.inodes.get(&inode)
    }

    pub(super) fn entry(&self, place: &Place) -> Option<&Entry> {
        self.entries.get(place)
    }

    pub(super) fn at(&self, place: &Place) -> Option<(u64, &Inode)> {
        let inode = self.entries.get(place)?.inode;
        self.inodes.get(&inode).map(|data| (inode, data))
    }

    /// Changes an inode, of which `ctime_ns` tells.
    pub(super) fn change(&mut self, inode: u64, change: impl FnOnce(&mut Inode)) {
        if let Some(mut data) = self.inodes.get(&inode).cloned() {
            change(&mut data);
            data.ctime_ns = self.now();
            self.set_inode(inode, Some(data));
        }
    }

    pub(super) fn move_entry(&mut self, from: &Place, to: Place, name: &str) {
        if let Some(entry) = self.entries.get(from).cloned() {
            self.set_entry(from.clone(), None);
            self.set_entry(to, Some(Entry { name: name.to_owned(), since_ns: self.now_ns, ..entry }));
            self.change(entry.inode, |_| ());
        }
    }

    /// Both keep their names and change what is behind them.
    pub(super) fn exchange(&mut self, one: &Place, other: &Place) {
        let pair = (self.entries.get(one).cloned(), self.entries.get(other).cloned());
        if let (Some(mut a), Some(mut b)) = pair {
            std::mem::swap(&mut a.inode, &mut b.inode);
            self.change(a.inode, |_| ());
            self.change(b.inode, |_| ());
            self.set_entry(one.clone(), Some(a));
            self.set_entry(other.clone(), Some(b));
        }
    }

    /// Removes what leads to an inode, and the inode.
    pub(super) fn forget(&mut self, place: &Place) {
        if let Some(inode) = self.entries.get(place).map(|entry| entry.inode) {
            self.set_entry(place.clone(), None);
            self.set_inode(inode, None);
        }
    }

    pub(super) fn name(&self, folder: u64, name: &str) -> Place {
        Place::Name(folder, names::slot(self.policy, name))
    }

    /// The folder and the name of a path; `NotFound` if something on the way is no folder.
    pub(super) fn place(&self, path: &str) -> io::Result<Place> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        Ok(self.name(self.folder(folder)?, name))
    }

    pub(super) fn folder(&self, path: &str) -> io::Result<u64> {
        let mut folder = ROOT;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let found = self.at(&self.name(folder, part)).filter(|(_, inode)| inode.data == Data::Folder);
            folder = found.ok_or(io::ErrorKind::NotFound)?.0;
        }
        Ok(folder)
    }

    pub(super) fn children(&self, folder: u64) -> impl Iterator<Item = (&Place, &Entry)> {
        self.entries.range(Place::Name(folder, String::new())..Place::Name(folder + 1, String::new()))
    }

    pub(super) fn stages(&self) -> impl Iterator<Item = u64> {
        let places = self.entries.range(Place::Stage(0)..=Place::Stage(u64::MAX));
        places.filter_map(|(place, _)| if let Place::Stage(number) = place { Some(*number) } else { None })
    }

    /// From the oldest.
    pub(super) fn backups(&self) -> impl Iterator<Item = (u64, &Entry)> {
        let places = self.entries.range(Place::Backup(0)..);
        places
            .filter_map(|(place, entry)| if let Place::Backup(number) = place { Some((*number, entry)) } else { None })
    }

    pub(super) fn bytes_used(&self) -> u64 {
        self.inodes.values().map(Inode::size).sum()
    }
}

/// What tells an inode from what it was.
pub(super) fn stat(number: u64, inode: &Inode) -> Stat {
    match inode.data {
        Data::Folder => Stat { inode: number, ..Stat::default() },
        Data::File(_) | Data::Link(_) | Data::Odd(_) => {
            Stat { inode: number, size: inode.size(), mtime_ns: inode.mtime_ns, ctime_ns: inode.ctime_ns }
        }
    }
}

fn put<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, value: Option<V>) -> Option<V> {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    }
}
