//! The tree of the server. It is told in pieces, and by somebody else: a folder may be missing, deleted, or in itself.

use std::collections::BTreeMap;

use synxpo::names::{self, Policy};

use crate::model::{FileId, Kind, RemoteTree};

/// All files of the server.
pub(super) struct There<'a> {
    policy: Policy,
    remote: &'a RemoteTree,
    /// The living file of a slot.
    slots: BTreeMap<(FileId, String), FileId>,
    /// Whether a folder and all above it live, up to the top.
    whole: BTreeMap<FileId, bool>,
}

impl<'a> There<'a> {
    pub(super) fn new(remote: &'a RemoteTree, policy: Policy) -> Self {
        let mut there = Self { policy, remote, slots: BTreeMap::new(), whole: BTreeMap::from([(FileId::TOP, true)]) };
        for (id, file) in remote.iter().filter(|(_, file)| !file.deleted) {
            there.slots.entry((file.parent, names::slot(policy, &file.name))).or_insert(*id);
            there.find_whole(file.parent);
        }
        there
    }

    fn find_whole(&mut self, id: FileId) {
        let mut trail = vec![];
        let mut at = id;
        let is_whole = loop {
            if let Some(known) = self.whole.get(&at) {
                break *known;
            }
            // What is in itself finds this.
            self.whole.insert(at, false);
            trail.push(at);
            match self.remote.get(&at).filter(|file| !file.deleted && file.content.kind() == Kind::Folder) {
                Some(file) => at = file.parent,
                None => break false,
            }
        };
        self.whole.extend(trail.into_iter().map(|id| (id, is_whole)));
    }

    /// Whether a file lives, and has a place: its folders live, too.
    pub(super) fn has_place(&self, id: FileId) -> bool {
        let file = self.remote.get(&id).filter(|file| !file.deleted);
        file.is_some_and(|file| self.whole.get(&file.parent).copied().unwrap_or(false))
    }

    /// The living file of a slot.
    pub(super) fn in_slot(&self, parent: FileId, name: &str) -> Option<FileId> {
        self.slots.get(&(parent, names::slot(self.policy, name))).copied()
    }

    /// The folders above a file that has a place, the nearest first.
    pub(super) fn above(&self, id: FileId) -> impl Iterator<Item = FileId> + use<'a> {
        let remote = self.remote;
        let parent = move |id: &FileId| remote.get(id).map(|file| file.parent).filter(|id| *id != FileId::TOP);
        std::iter::successors(parent(&id), parent)
    }

    /// The path of a file that has a place.
    pub(super) fn path(&self, id: FileId) -> String {
        let ids = std::iter::once(id).chain(self.above(id));
        let mut names: Vec<&str> = ids.filter_map(|id| self.remote.get(&id)).map(|file| &*file.name).collect();
        names.reverse();
        names.join("/")
    }
}
