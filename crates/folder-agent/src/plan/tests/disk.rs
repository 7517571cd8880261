//! A disk as people know it: paths, inodes that are used again, and times that change with every write.

use std::collections::BTreeMap;

use crate::disk::Expected;
use crate::model::{Content, Hash, Kind, Local, LocalTree, Stat};

#[derive(Debug, Clone, Default)]
pub(super) struct Disk {
    pub(super) files: BTreeMap<String, Local>,
    /// The last one that was freed is used first.
    free: Vec<u64>,
    inodes: u64,
    clock: i64,
}

impl Disk {
    pub(super) fn new(number: u64) -> Self {
        Self { inodes: number * 1_000_000, ..Self::default() }
    }

    fn tick(&mut self) -> i64 {
        self.clock += 1;
        self.clock
    }

    fn new_stat(&mut self, content: &Content) -> Stat {
        let inode = self.free.pop().unwrap_or_else(|| {
            self.inodes += 1;
            self.inodes
        });
        self.stat(inode, content)
    }

    fn stat(&mut self, inode: u64, content: &Content) -> Stat {
        let now = self.tick();
        match content {
            Content::Folder => Stat { inode, ..Stat::default() },
            Content::File { size, .. } => Stat { inode, size: *size, mtime_ns: now, ctime_ns: now },
            Content::Symlink(_) => Stat { inode, size: 1, mtime_ns: now, ctime_ns: now },
        }
    }

    /// What a look finds; hashes only of what was read.
    pub(super) fn look(&self, read: &BTreeMap<String, (Stat, Hash)>) -> LocalTree {
        let mut tree = self.files.clone();
        for (path, local) in &mut tree {
            if let Content::File { hash, .. } = &mut local.content {
                *hash = read.get(path).filter(|(stat, _)| *stat == local.stat).map(|(_, hash)| *hash);
            }
        }
        tree
    }

    pub(super) fn paths(&self, kind: Kind) -> Vec<String> {
        let of = self.files.iter().filter(|(_, local)| local.content.kind() == kind);
        of.map(|(path, _)| path.clone()).collect()
    }

    fn is_folder(&self, path: &str) -> bool {
        path.is_empty() || self.files.get(path).is_some_and(|local| local.content == Content::Folder)
    }

    /// A new file where nothing is.
    pub(super) fn create(&mut self, path: &str, content: Content) {
        if self.is_folder(parent(path)) && !self.files.contains_key(path) {
            let stat = self.new_stat(&content);
            self.files.insert(path.to_owned(), Local { stat, content });
        }
    }

    /// Writes into a file, its inode stays.
    pub(super) fn write(&mut self, path: &str, content: Content) {
        let Some(inode) = self.files.get(path).map(|local| local.stat.inode) else { return };
        let stat = self.stat(inode, &content);
        self.files.insert(path.to_owned(), Local { stat, content });
    }

    pub(super) fn delete(&mut self, path: &str) {
        let gone: Vec<String> = self.files.keys().filter(|other| is_within(other, path)).cloned().collect();
        for path in gone.iter().rev() {
            self.free.extend(self.files.remove(path).map(|local| local.stat.inode));
        }
    }

    /// As `rename(2)`: over a file, or over an empty folder, and never into itself.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> bool {
        let Some(kind) = self.files.get(from).map(|local| local.content.kind()) else { return false };
        let is_alone = self.files.keys().filter(|other| is_within(other, to)).count() <= 1;
        let is_fit = self
            .files
            .get(to)
            .is_none_or(|there| (there.content.kind() == Kind::Folder) == (kind == Kind::Folder) && is_alone);
        if !is_fit || is_within(to, from) || !self.is_folder(parent(to)) {
            return false;
        }
        self.delete(to);
        let all = std::mem::take(&mut self.files);
        let name = |path: String| if is_within(&path, from) { format!("{to}{}", &path[from.len()..]) } else { path };
        self.files = all.into_iter().map(|(path, local)| (name(path), local)).collect();
        let now = self.tick();
        if let Some(local) = self.files.get_mut(to).filter(|local| local.content != Content::Folder) {
            local.stat.ctime_ns = now;
        }
        true
    }

    pub(super) fn stat_of(&self, path: &str) -> Option<Stat> {
        self.files.get(path).map(|local| local.stat)
    }

    pub(super) fn is_as(&self, path: &str, expected: Expected) -> bool {
        match expected {
            Expected::Nothing => !self.files.contains_key(path) && self.is_folder(parent(path)),
            Expected::File(stat) => self.stat_of(path) == Some(stat),
        }
    }

    /// Puts a file of the daemon in a place: a new inode.
    pub(super) fn install(&mut self, path: &str, content: Content) -> Stat {
        let stat = self.new_stat(&content);
        if let Some(old) = self.files.insert(path.to_owned(), Local { stat, content }) {
            self.free.push(old.stat.inode);
        }
        stat
    }

    pub(super) fn set_executable(&mut self, path: &str, to: bool) {
        let now = self.tick();
        if let Some(Local { stat, content: Content::File { executable, .. } }) = self.files.get_mut(path) {
            (stat.ctime_ns, *executable) = (now, to);
        }
    }

    pub(super) fn is_empty_folder(&self, path: &str) -> bool {
        self.files.keys().filter(|other| is_within(other, path)).count() == 1
    }
}

pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

pub(super) fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
