//! What is to be brought, and what to be asked for, once this disk is where the server's tree says.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::fate::Fate;
use super::mutants::{Mutant, on};
use super::work::{Bytes, Work, bit};
use super::{Ask, Fetch};
use crate::disk::Expected;
use crate::model::{Content, FileId, Kind, Remote};

impl Work<'_> {
    pub(super) fn fetch_all(&mut self) {
        let files = self.remote.iter().filter(|(_, remote)| remote.content.kind() == Kind::File);
        let fetches: Vec<Fetch> = files.filter_map(|(id, remote)| self.fetch(*id, remote)).collect();
        self.plan.fetches = fetches;
    }

    fn fetch(&self, id: FileId, remote: &Remote) -> Option<Fetch> {
        let (path, expected) = match self.fate(id) {
            Fate::Missing => {
                let parent = *self.here.at.get(&remote.parent)?;
                let is_free = self.here.in_slot(parent, &remote.name).is_empty();
                (is_free.then(|| self.here.path_in(parent, &remote.name))?, Expected::Nothing)
            }
            Fate::Here | Fate::Kept => {
                let place = *self.here.at.get(&id)?;
                let is_there = match self.bytes(place, remote) {
                    Bytes::There => true,
                    Bytes::Both => on(Mutant::KeepsNoCopy),
                    Bytes::Same | Bytes::Here => false,
                };
                let node = &self.here.nodes[place];
                (is_there.then(|| node.path.to_owned())?, Expected::File(node.stat()))
            }
            Fate::Moved | Fate::Gone | Fate::Left => return None,
        };
        let content = remote.content.clone();
        (!self.stuck.contains(&path)).then_some(Fetch { id, path, expected, version: remote.version, content })
    }

    /// Files that were deleted come first: another may take their place. Folders that were deleted come last: what was in them may have been moved out,
    /// and whoever deletes a folder takes along what is in it.
    pub(super) fn ask_all(&mut self) {
        let (folders, files) = self.removals();
        self.plan.removes_there = files.len();
        self.plan.asks = files;
        let mut is_asked_in = vec![true; self.here.nodes.len()];
        let mut held = BTreeSet::new();
        for place in 1..self.here.nodes.len() {
            is_asked_in[place] = is_asked_in[self.here.nodes[place].parent] && self.is_asked_in(place);
            let ask = self.ask(place).filter(|_| is_asked_in[self.here.nodes[place].parent]);
            if ask.is_none() {
                held.extend(self.here.nodes[place].id.filter(|id| self.fate(*id) == Fate::Kept));
            }
            self.plan.asks.extend(ask);
        }
        let held: BTreeSet<FileId> = held.iter().flat_map(|id| self.there.above(*id)).collect();
        self.plan.asks.extend(folders.into_iter().filter(|folder| folder.id.is_none_or(|id| !held.contains(&id))));
    }

    /// Folders, the deepest first, and files.
    fn removals(&self) -> (Vec<Ask>, Vec<Ask>) {
        let gone = self.fates.iter().filter(|(_, fate)| **fate == Fate::Gone);
        let mut asks: Vec<Ask> = gone.filter_map(|(id, _)| self.removal(*id)).collect();
        asks.sort_by_cached_key(|ask| (Reverse(ask.path.split('/').count()), ask.path.clone()));
        asks.into_iter().partition(|ask| ask.content == Content::Folder)
    }

    fn removal(&self, id: FileId) -> Option<Ask> {
        let (remote, synced) = (self.remote.get(&id)?, self.synced.get(&id)?);
        let base = if on(Mutant::ForgetsBase) || on(Mutant::DeletesUnseen) { remote.version } else { synced.version };
        let content = remote.content.clone();
        let path = self.there.path(id);
        Some(Ask { id: Some(id), path, base, deleted: true, content, content_changed: false, stat: None })
    }

    /// Whether what is in a folder can be asked for: the folder is there, or new.
    fn is_asked_in(&self, place: usize) -> bool {
        let node = &self.here.nodes[place];
        match node.id {
            Some(id) => self.is_read(place) && self.there.has_place(id),
            None => self.is_read(place) && self.is_open(place, None),
        }
    }

    /// Whether nobody on the server keeps this slot.
    fn is_open(&self, place: usize, id: Option<FileId>) -> bool {
        let name = &self.here.nodes[place].name;
        let Some(holder) = self.here.parent_id(place).and_then(|parent| self.there.in_slot(parent, name)) else {
            return true;
        };
        let is_leaving = match self.fate(holder) {
            Fate::Kept | Fate::Gone => true,
            Fate::Here | Fate::Moved | Fate::Missing | Fate::Left => on(Mutant::TakesOver),
        };
        is_leaving || Some(holder) == id
    }

    fn ask(&self, place: usize) -> Option<Ask> {
        let node = &self.here.nodes[place];
        if !self.is_read(place) || self.is_parked(place) || !self.is_open(place, node.id) {
            return None;
        }
        let (content_changed, base) = match (node.id, self.remote_of(place)) {
            (Some(id), Some(remote)) => (self.change(id, place, remote)?, self.base(id, remote)),
            (Some(_), None) => return None,
            (None, _) => (node.kind() != Kind::Folder, 0),
        };
        let (id, path, content, stat) = (node.id, node.path.to_owned(), self.content(place), Some(node.stat()));
        Some(Ask { id, path, base, deleted: false, content, content_changed, stat })
    }

    fn base(&self, id: FileId, remote: &Remote) -> u64 {
        match self.synced.get(&id).filter(|_| !on(Mutant::ForgetsBase)) {
            Some(synced) => synced.version,
            None => remote.version,
        }
    }

    /// Whether a file that the server has or had was changed here, and if so, whether its bytes were.
    fn change(&self, id: FileId, place: usize, remote: &Remote) -> Option<bool> {
        if remote.deleted {
            return (remote.content.kind() != Kind::Folder && self.is_edited(place)).then_some(true);
        }
        let bytes = self.bytes(place, remote);
        let is_edited = bytes == Bytes::Here || (bytes == Bytes::Both && on(Mutant::ForgetsBase));
        // A content that is fetched brings its own bit.
        let is_bit = bytes != Bytes::There && bit(&self.content(place)) != bit(&remote.content);
        match self.fate(id) {
            Fate::Kept => Some(is_edited),
            Fate::Here => (is_edited || is_bit).then_some(is_edited),
            Fate::Moved | Fate::Missing | Fate::Gone | Fate::Left => None,
        }
    }
}
