//! A server in memory: it takes a group of changes as the real one does, all that is not denied.
//!
//! A group tells how things are in the end. Of each change it is checked what it was made from; a rename over what the client knew buries that; a deleted
//! folder takes along what the client knew in it.

use std::collections::{BTreeMap, BTreeSet};

use synxpo::names::{self, Policy};

use super::disk::parent;
use crate::model::{Content, FileId, Remote, RemoteTree, Version};
use crate::plan::Ask;

#[derive(Debug, Clone)]
pub(super) struct Server {
    policy: Policy,
    pub(super) tree: RemoteTree,
    pub(super) past: BTreeMap<FileId, Vec<Remote>>,
    ids: u128,
}

/// A group while it is judged.
struct Draft<'s> {
    server: &'s Server,
    told: &'s RemoteTree,
    tree: RemoteTree,
    ids: u128,
    /// Folders by paths as the client has them.
    claimed: BTreeMap<String, FileId>,
    landed: BTreeSet<FileId>,
    doomed: BTreeSet<FileId>,
    /// Those that are on their way hold no slot.
    lifted: BTreeSet<FileId>,
}

impl Server {
    pub(super) fn new(policy: Policy) -> Self {
        Self { policy, tree: RemoteTree::new(), past: BTreeMap::new(), ids: 0 }
    }

    /// As it was before; ids are chance, and so never given again.
    pub(super) fn put_back(&mut self, older: Self) {
        *self = Self { ids: self.ids, ..older };
    }

    /// Which file each change became; none: it was denied.
    pub(super) fn ask(&mut self, asks: &[Ask], told: &RemoteTree) -> Vec<Option<FileId>> {
        let mut taken: Vec<usize> = (0..asks.len()).collect();
        loop {
            let mut draft = Draft::new(self, told);
            let said: Vec<Option<FileId>> = draft.judge(asks, &taken);
            if said.iter().all(Option::is_some) {
                let (tree, ids) = (draft.tree, draft.ids);
                self.commit(tree, ids);
                let mut answer = vec![None; asks.len()];
                taken.iter().zip(said).for_each(|(place, id)| answer[*place] = id);
                return answer;
            }
            taken = taken.iter().zip(said).filter(|(_, said)| said.is_some()).map(|(place, _)| *place).collect();
        }
    }

    fn commit(&mut self, tree: RemoteTree, ids: u128) {
        self.ids = ids;
        for (id, mut row) in tree {
            if self.tree.get(&id) == Some(&row) {
                continue;
            }
            let before = self.tree.get(&id);
            let is_content = before.is_none_or(|before| before.deleted || !before.content.is_same_bytes(&row.content));
            row.version = before.map_or(1, |before| before.version + 1);
            row.content_version = if is_content { row.version } else { row.content_version };
            self.past.entry(id).or_default().push(row.clone());
            self.tree.insert(id, row);
        }
        self.is_well();
    }

    fn is_well(&self) {
        let mut slots = BTreeSet::new();
        for (id, row) in self.tree.iter().filter(|(_, row)| !row.deleted) {
            assert!(slots.insert((row.parent, names::slot(self.policy, &row.name))), "a slot has one: {row:?}");
            self.path(*id);
        }
    }

    pub(super) fn path(&self, id: FileId) -> String {
        let (mut parts, mut at) = (vec![], id);
        while at != FileId::TOP {
            let row = &self.tree[&at];
            assert!(!row.deleted && parts.len() < 100, "{id} has a place");
            parts.push(row.name.as_ref());
            at = row.parent;
        }
        parts.reverse();
        parts.join("/")
    }

    pub(super) fn listing(&self) -> BTreeMap<String, Content> {
        let living = self.tree.iter().filter(|(_, row)| !row.deleted);
        living.map(|(id, row)| (self.path(*id), row.content.clone())).collect()
    }
}

impl<'s> Draft<'s> {
    fn new(server: &'s Server, told: &'s RemoteTree) -> Self {
        let (tree, ids) = (server.tree.clone(), server.ids);
        let (claimed, landed, doomed, lifted) = Default::default();
        Self { server, told, tree, ids, claimed, landed, doomed, lifted }
    }

    fn judge(&mut self, asks: &[Ask], taken: &[usize]) -> Vec<Option<FileId>> {
        let mut said: Vec<Option<FileId>> = taken.iter().map(|place| self.read(&asks[*place])).collect();
        self.claim_told(asks, taken);
        let mut order: Vec<usize> = (0..taken.len()).collect();
        let key = |at: &usize| (asks[taken[*at]].path.matches('/').count(), asks[taken[*at]].id.is_none());
        order.sort_by_key(key);
        for at in order {
            let ask = &asks[taken[at]];
            if said[at].is_some() && !ask.deleted {
                said[at] = self.land(ask);
            }
        }
        for at in 0..taken.len() {
            if let Some(id) = said[at].filter(|_| asks[taken[at]].deleted) {
                self.bury(id);
            }
        }
        said
    }

    /// Whether a change may be, by what it was made from.
    fn read(&mut self, ask: &Ask) -> Option<FileId> {
        let Some(id) = ask.id else { return Some(FileId::TOP) };
        let row = self.server.tree.get(&id)?;
        let known = self.server.past[&id].iter().find(|row| row.version == ask.base)?;
        if ask.deleted {
            self.doomed.insert(id);
            return (row.deleted || known.version == row.version).then_some(id);
        }
        let is_newer = row.content_version > ask.base && !row.deleted;
        let is_same = ask.content.is_same_bytes(&row.content);
        let is_denied = (ask.content_changed && is_newer && !is_same) || (row.deleted && !ask.content_changed);
        let mut row = row.clone();
        if ask.content_changed {
            row.content = ask.content.clone();
        } else if let (Content::File { executable, .. }, Content::File { executable: asked, .. }) =
            (&mut row.content, &ask.content)
            && matches!(&known.content, Content::File { executable: was, .. } if was != asked)
        {
            *executable = *asked;
        }
        self.tree.insert(id, row);
        self.lifted.insert(id);
        (!is_denied).then_some(id)
    }

    /// Paths of the client lead through folders as it was told of them, unless it moved them.
    fn claim_told(&mut self, asks: &[Ask], taken: &[usize]) {
        let moved: BTreeSet<FileId> = taken.iter().filter_map(|place| asks[*place].id).collect();
        for (id, row) in self.told.iter().filter(|(_, row)| !row.deleted && row.content == Content::Folder) {
            let (mut parts, mut at, mut is_moved) = (vec![row.name.as_ref()], row.parent, moved.contains(id));
            while let Some(row) = self.told.get(&at) {
                parts.push(&row.name);
                is_moved |= moved.contains(&at);
                at = row.parent;
            }
            parts.reverse();
            if !is_moved {
                self.claimed.insert(parts.join("/"), *id);
            }
        }
    }

    fn in_slot(&self, parent: FileId, name: &str) -> Option<FileId> {
        let slot = names::slot(self.server.policy, name);
        let is_there = |(id, row): &(&FileId, &Remote)| {
            !row.deleted
                && row.parent == parent
                && !self.lifted.contains(id)
                && names::slot(self.server.policy, &row.name) == slot
        };
        self.tree.iter().find(is_there).map(|(id, _)| *id)
    }

    fn folder(&mut self, path: &str) -> Option<FileId> {
        if path.is_empty() {
            return Some(FileId::TOP);
        }
        if let Some(id) = self.claimed.get(path).filter(|id| !self.tree[*id].deleted) {
            return Some(*id);
        }
        let (above, name) = (self.folder(parent(path))?, path.rsplit('/').next().unwrap_or_default());
        match self.in_slot(above, name) {
            Some(id) => (self.tree[&id].content == Content::Folder).then_some(id),
            None => Some(self.make(above, name, Content::Folder)),
        }
    }

    fn make(&mut self, parent: FileId, name: &str, content: Content) -> FileId {
        self.ids += 1;
        let id = FileId(self.ids);
        let of = Version { parent, name: name.into(), version: 1, content_version: 1, content };
        self.tree.insert(id, Remote { of: of.into(), deleted: false, mtime_us: None });
        self.landed.insert(id);
        id
    }

    fn land(&mut self, ask: &Ask) -> Option<FileId> {
        let folder = self.folder(parent(&ask.path))?;
        let name = ask.path.rsplit('/').next().unwrap_or_default();
        let id = match ask.id {
            Some(id) => self.land_moved(ask, id, folder, name)?,
            None => self.land_new(ask, folder, name)?,
        };
        if ask.content == Content::Folder {
            self.claimed.insert(ask.path.clone(), id);
        }
        Some(id)
    }

    fn land_moved(&mut self, ask: &Ask, id: FileId, folder: FileId, name: &str) -> Option<FileId> {
        let known = self.server.past[&id].iter().find(|row| row.version == ask.base)?;
        let row = self.tree[&id].clone();
        let is_at = |at: &Remote| at.parent == folder && names::is_same(self.server.policy, &at.name, name);
        let mut to = row.clone();
        let is_orphan = self.tree.get(&row.parent).is_some_and(|folder| folder.deleted);
        if row.deleted || is_orphan || !(is_at(known) || is_at(&row)) {
            if !row.deleted && !is_orphan && (known.parent, &known.name) != (row.parent, &row.name) {
                return None;
            }
            (to.parent, to.name, to.deleted) = (folder, name.into(), false);
        }
        self.make_room(to.parent, &to.name, to.content == Content::Folder)?;
        self.lifted.remove(&id);
        self.landed.insert(id);
        self.tree.insert(id, to);
        (!self.is_within_itself(id)).then_some(id)
    }

    fn is_within_itself(&self, id: FileId) -> bool {
        let mut at = self.tree[&id].parent;
        for _ in 0..100 {
            match self.tree.get(&at) {
                Some(row) if at != id => at = row.parent,
                Some(_) => return true,
                None => return false,
            }
        }
        true
    }

    /// Whoever is in the way goes, if the client knew it and left it alone.
    fn make_room(&mut self, parent: FileId, name: &str, is_folder: bool) -> Option<()> {
        let Some(other) = self.in_slot(parent, name) else { return Some(()) };
        let row = &self.tree[&other];
        let is_known = self.told.get(&other).is_some_and(|told| told.version == row.version);
        let is_kind = (row.content == Content::Folder) == is_folder;
        let may_go = is_known && is_kind && !self.landed.contains(&other) && self.inside(other).is_empty();
        (self.doomed.contains(&other) && self.bury(other) || may_go).then(|| self.bury_one(other))
    }

    fn land_new(&mut self, ask: &Ask, folder: FileId, name: &str) -> Option<FileId> {
        let Some(other) = self.in_slot(folder, name) else { return Some(self.make(folder, name, ask.content.clone())) };
        if self.doomed.contains(&other) {
            return self.bury(other).then(|| self.make(folder, name, ask.content.clone()));
        }
        self.tree[&other].content.is_same_bytes(&ask.content).then_some(other)
    }

    fn bury_one(&mut self, id: FileId) {
        if let Some(row) = self.tree.get_mut(&id) {
            row.deleted = true;
        }
    }

    /// Those that are in a folder and not on their way.
    fn inside(&self, folder: FileId) -> Vec<FileId> {
        let all =
            self.tree.iter().filter(|(id, row)| row.parent == folder && !row.deleted && !self.lifted.contains(id));
        all.map(|(id, _)| *id).collect()
    }

    /// Whether it is gone: what the client did not know stays, and keeps its folder.
    fn bury(&mut self, id: FileId) -> bool {
        if self.tree[&id].deleted || self.landed.contains(&id) {
            return self.tree[&id].deleted;
        }
        let mut is_empty = true;
        for child in self.inside(id) {
            let is_known = self.told.get(&child).is_some_and(|told| told.version == self.tree[&child].version);
            let goes = (is_known || self.doomed.contains(&child)) && !self.landed.contains(&child);
            is_empty &= goes && self.bury(child);
        }
        if is_empty {
            self.bury_one(id);
        }
        is_empty
    }
}
