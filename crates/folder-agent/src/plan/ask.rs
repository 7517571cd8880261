//! What is to be brought, and what to be asked for, once this disk is where the server's tree says.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::fate::Fate;
use super::here::TOP;
use super::mutants::{Mutant, on};
use super::work::{Bytes, Work, bit};
use super::{Ask, Fetch};
use crate::disk::Expected;
use crate::model::{Content, FileId, Kind, Remote};

/// What can be asked for.
struct Asked {
    /// Files here.
    places: BTreeSet<usize>,
    /// Files that are not here any more.
    gone: BTreeSet<FileId>,
}

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
        let asked = self.asked();
        let mut gone: Vec<Ask> = asked.gone.iter().filter_map(|id| self.removal(*id)).collect();
        gone.sort_by_cached_key(|ask| (Reverse(ask.path.split('/').count()), ask.path.clone()));
        let (folders, files): (Vec<Ask>, Vec<Ask>) = gone.into_iter().partition(|ask| ask.content == Content::Folder);
        self.plan.removes_there = files.len();
        let changes: Vec<Ask> = asked.places.iter().filter_map(|place| self.ask(*place)).collect();
        self.plan.asks = [files, changes, folders].concat();
    }

    /// What can be asked for together. Whoever takes the place of another needs that one to leave it by the same group: else the server would take it for
    /// a file that was renamed onto another, and bury that. So whatever hangs on what cannot be asked for is left out, until nothing is.
    fn asked(&self) -> Asked {
        let places = (1..self.here.nodes.len()).filter(|place| self.ask(*place).is_some());
        let gone = self.fates.iter().filter(|(_, fate)| **fate == Fate::Gone).map(|(id, _)| *id);
        let mut asked = Asked { places: places.collect(), gone: gone.collect() };
        loop {
            let before = (asked.places.len(), asked.gone.len());
            let is_held = |id: FileId, fate| matches!(fate, Fate::Kept | Fate::Moved) && !self.is_leaving(id, &asked);
            let kept = self.fates.iter().filter(|(id, fate)| is_held(**id, **fate));
            let held: BTreeSet<FileId> = kept.flat_map(|(id, _)| self.there.above(*id)).collect();
            asked.gone.retain(|id| !held.contains(id));
            let shut: BTreeSet<usize> =
                asked.places.iter().copied().filter(|place| self.is_shut(*place, &asked)).collect();
            asked.places.retain(|place| !shut.contains(place));
            if before == (asked.places.len(), asked.gone.len()) {
                return asked;
            }
        }
    }

    /// Whether a file is asked to leave its place.
    fn is_leaving(&self, id: FileId, asked: &Asked) -> bool {
        match self.fate(id) {
            Fate::Kept if on(Mutant::TakesOver) => true,
            Fate::Kept => self.here.at.get(&id).is_some_and(|place| asked.places.contains(place)),
            Fate::Gone => asked.gone.contains(&id),
            Fate::Here | Fate::Moved | Fate::Missing | Fate::Left => false,
        }
    }

    /// Whether a file would lie where another stays, or in a folder that the server would not find under this path.
    fn is_shut(&self, place: usize, asked: &Asked) -> bool {
        let mut folder = self.here.nodes[place].parent;
        while folder != TOP {
            let node = &self.here.nodes[folder];
            let is_known = match node.id.map(|id| (id, self.fate(id))) {
                None | Some((_, Fate::Kept)) => asked.places.contains(&folder),
                Some((id, Fate::Here | Fate::Moved | Fate::Missing | Fate::Gone | Fate::Left)) => {
                    self.there.has_place(id)
                }
            };
            if !is_known {
                return true;
            }
            folder = node.parent;
        }
        !self.is_open(place, asked)
    }

    /// Whether nobody on the server keeps this slot.
    fn is_open(&self, place: usize, asked: &Asked) -> bool {
        let node = &self.here.nodes[place];
        let holder = self.here.parent_id(place).and_then(|parent| self.there.in_slot(parent, &node.name));
        holder.is_none_or(|holder| Some(holder) == node.id || self.is_leaving(holder, asked))
    }

    fn removal(&self, id: FileId) -> Option<Ask> {
        let (remote, synced) = (self.remote.get(&id)?, self.synced.get(&id)?);
        let base = if on(Mutant::ForgetsBase) || on(Mutant::DeletesUnseen) { remote.version } else { synced.version };
        let content = remote.content.clone();
        let path = self.there.path(id);
        Some(Ask { id: Some(id), path, base, deleted: true, content, content_changed: false, stat: None })
    }

    fn ask(&self, place: usize) -> Option<Ask> {
        let node = &self.here.nodes[place];
        if !self.is_read(place) || self.is_parked(place) {
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

    /// What a change is made from. Of a file that lives the newest version is known: it lies where the server has it, or had it until it was moved here,
    /// and a content of the server that is not here yet is fetched first. Its tombstone is not: an edit that does not know of it revives the file.
    fn base(&self, id: FileId, remote: &Remote) -> u64 {
        let synced = self.synced.get(&id).filter(|_| remote.deleted);
        synced.map_or(remote.version, |synced| synced.version)
    }

    /// Whether a file that the server has or had was changed here, and if so, whether its bytes were.
    fn change(&self, id: FileId, place: usize, remote: &Remote) -> Option<bool> {
        if remote.deleted {
            return (remote.content.kind() != Kind::Folder && self.is_edited(place)).then_some(true);
        }
        let is_edited = match self.bytes(place, remote) {
            Bytes::There => return None,
            Bytes::Both => on(Mutant::ForgetsBase),
            Bytes::Here => true,
            Bytes::Same => false,
        };
        let is_bit = bit(&self.content(place)) != bit(&remote.content);
        match self.fate(id) {
            Fate::Kept => Some(is_edited),
            Fate::Here => (is_edited || is_bit).then_some(is_edited),
            Fate::Moved | Fate::Missing | Fate::Gone | Fate::Left => None,
        }
    }
}
