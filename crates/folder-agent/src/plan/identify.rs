//! Which file of this disk is which of those that were synced (FLD-15, FLD-17).
//!
//! A file stays what it was at its path if its inode is there, or one that nobody had: editors save by putting a new file in the place of the old one.
//! Else it is where its inode is. Folders come first, from the top: what is in a folder is looked for where that folder lies now.

use std::collections::{BTreeMap, VecDeque};

use synxpo::names;

use super::here::{State, TOP};
use super::work::{Work, is_moved};
use crate::model::{Content, FileId, Kind, Synced};

/// Who had, and who has, which inode.
struct Inodes {
    /// Files that were synced and are not found yet.
    had: BTreeMap<u64, Vec<FileId>>,
    /// Files of this disk.
    has: BTreeMap<u64, Vec<usize>>,
}

impl Work<'_> {
    pub(super) fn identify(&mut self) {
        self.leave_alone();
        self.find_parked();
        self.find_folders();
        self.find_files();
        self.merge_new();
        self.set_aside();
    }

    fn leave_alone(&mut self) {
        for node in self.here.nodes.iter_mut().skip(1) {
            let is_seen = self.view.links || node.kind() != Kind::Symlink;
            if !is_seen || self.stuck.contains(node.path) {
                node.state = State::Left;
            }
        }
    }

    /// Whoever waited for its place when a plan broke off: its name says which file it is.
    fn find_parked(&mut self) {
        for place in 1..self.here.nodes.len() {
            let node = &self.here.nodes[place];
            let id = node.name.strip_prefix(names::OWN_NAME).and_then(|rest| rest.strip_prefix('-'));
            let Some(id) = id.filter(|_| node.parent == TOP).and_then(FileId::read) else { continue };
            if self.synced.get(&id).is_some_and(|synced| synced.content.kind() == node.kind()) {
                self.here.assign(id, place);
            }
        }
    }

    fn find_folders(&mut self) {
        let inodes = self.inodes(true);
        let mut inside: BTreeMap<FileId, Vec<FileId>> = BTreeMap::new();
        for (id, synced) in self.synced {
            inside.entry(synced.parent).or_default().push(*id);
        }
        let orphans = self.synced.iter().filter(|(_, synced)| !self.is_known(synced.parent)).map(|(id, _)| *id);
        let mut queue: VecDeque<FileId> = orphans.collect();
        queue.extend(inside.get(&FileId::TOP).into_iter().flatten());
        while let Some(id) = queue.pop_front() {
            let Some(synced) = self.synced.get(&id).filter(|synced| synced.content == Content::Folder) else {
                continue;
            };
            let known = inside.get(&id).map_or(&[][..], Vec::as_slice);
            if !self.here.at.contains_key(&id)
                && let Some(place) = self.find_folder(id, synced, &inside, &inodes)
            {
                self.here.assign(id, place);
            }
            queue.extend(known);
        }
    }

    fn is_known(&self, parent: FileId) -> bool {
        parent == FileId::TOP || self.synced.contains_key(&parent)
    }

    fn find_folder(
        &self,
        id: FileId,
        synced: &Synced,
        inside: &BTreeMap<FileId, Vec<FileId>>,
        inodes: &Inodes,
    ) -> Option<usize> {
        let expected = self.expected(synced);
        if expected.is_some_and(|place| self.here.nodes[place].stat().inode == synced.stat.inode) {
            return expected;
        }
        let elsewhere = inodes.has.get(&synced.stat.inode).into_iter().flatten().copied();
        let mut elsewhere = elsewhere.filter(|place| self.is_free(*place) && self.shares(*place, id, inside));
        if let Some(place) = elsewhere.next() {
            return Some(place);
        }
        // Nobody else's folder was moved here.
        let is_moved_here = |place: usize| {
            let owners = inodes.had.get(&self.here.nodes[place].stat().inode).into_iter().flatten();
            owners.copied().any(|owner| owner != id && self.is_nowhere(owner) && self.shares(place, owner, inside))
        };
        expected.filter(|place| !is_moved_here(*place))
    }

    /// Whether a folder has at least one of those that were in it, if any were: inodes are used again.
    fn shares(&self, place: usize, id: FileId, inside: &BTreeMap<FileId, Vec<FileId>>) -> bool {
        let known = inside.get(&id).map_or(&[][..], Vec::as_slice);
        let has = |child: &Synced| self.here.find(place, &child.name, child.content.kind()).is_some();
        known.is_empty() || known.iter().filter_map(|id| self.synced.get(id)).any(has)
    }

    fn is_nowhere(&self, id: FileId) -> bool {
        !self.here.at.contains_key(&id)
    }

    fn is_free(&self, place: usize) -> bool {
        let node = &self.here.nodes[place];
        node.id.is_none() && self.is_seen(node.kind())
    }

    /// The file of the same kind that lies where this one was, in its folder wherever that lies now.
    fn expected(&self, synced: &Synced) -> Option<usize> {
        let parent = *self.here.at.get(&synced.parent)?;
        let kind = synced.content.kind();
        let found = self.here.find(parent, &synced.name, kind)?;
        (self.here.nodes[found].kind() == kind && self.is_free(found)).then_some(found)
    }

    /// Of those that are not found yet.
    fn inodes(&self, folders: bool) -> Inodes {
        let mut inodes = Inodes { had: BTreeMap::new(), has: BTreeMap::new() };
        for (id, synced) in self.synced {
            if (synced.content == Content::Folder) == folders && self.is_nowhere(*id) {
                inodes.had.entry(synced.stat.inode).or_default().push(*id);
            }
        }
        for (place, node) in self.here.nodes.iter().enumerate().skip(1) {
            if (node.kind() == Kind::Folder) == folders && self.is_free(place) {
                inodes.has.entry(node.stat().inode).or_default().push(place);
            }
        }
        inodes
    }

    fn find_files(&mut self) {
        let files = |synced: &Synced| synced.content != Content::Folder;
        for (id, synced) in self.synced.iter().filter(|(_, synced)| files(synced)) {
            let expected = self.expected(synced).filter(|_| self.is_nowhere(*id));
            let kept = expected.filter(|place| self.here.nodes[*place].stat().inode == synced.stat.inode);
            kept.into_iter().for_each(|place| self.here.assign(*id, place));
        }
        let inodes = self.inodes(false);
        self.find_saved(&inodes);
        self.find_moved(&inodes);
        // Of two names of one file only one was taken: the other may be somebody's new content.
        self.find_saved(&inodes);
        self.find_undecided(&inodes);
    }

    /// Those in whose place a new file was put. Whether one was may hang on another: where a file was put aside and written anew, whoever lay where it was
    /// put has a new content, too.
    fn find_saved(&mut self, inodes: &Inodes) {
        let mut queue: VecDeque<FileId> = inodes.had.values().flatten().copied().collect();
        let expected = queue.iter().filter_map(|id| Some((self.expected(self.synced.get(id)?)?, *id)));
        let expected: BTreeMap<usize, FileId> = expected.collect();
        while let Some(id) = queue.pop_front() {
            let Some(synced) = self.synced.get(&id).filter(|_| self.is_nowhere(id)) else { continue };
            let Some(place) = self.expected(synced).filter(|place| !self.may_be_another(*place, id, inodes)) else {
                continue;
            };
            self.here.assign(id, place);
            let left = inodes.has.get(&synced.stat.inode).into_iter().flatten();
            queue.extend(left.filter_map(|place| expected.get(place)));
        }
    }

    /// Whether a file may be another one that was moved here.
    fn may_be_another(&self, place: usize, id: FileId, inodes: &Inodes) -> bool {
        let Some(local) = self.here.nodes[place].local else { return false };
        let owners = inodes.had.get(&local.stat.inode).into_iter().flatten();
        let others = owners.filter(|owner| **owner != id && self.is_nowhere(**owner));
        let mut others = others.filter_map(|owner| self.synced.get(owner));
        others.any(|synced| is_moved(local, synced) != Some(false))
    }

    fn find_moved(&mut self, inodes: &Inodes) {
        for id in inodes.had.values().flatten() {
            let Some(synced) = self.synced.get(id).filter(|_| self.is_nowhere(*id)) else { continue };
            let place = self.elsewhere(synced, inodes).find(|place| self.is_it(*place, synced) == Some(true));
            place.into_iter().for_each(|place| self.here.assign(*id, place));
        }
    }

    /// Those that may be what is not read yet.
    fn find_undecided(&mut self, inodes: &Inodes) {
        for id in inodes.had.values().flatten() {
            let Some(synced) = self.synced.get(id).filter(|_| self.is_nowhere(*id)) else { continue };
            let is_unread = self.elsewhere(synced, inodes).any(|place| self.is_it(place, synced).is_none());
            if is_unread || self.expected(synced).is_some() {
                self.undecided.insert(*id);
            }
        }
    }

    fn elsewhere<'i>(&'i self, synced: &Synced, inodes: &'i Inodes) -> impl Iterator<Item = usize> + 'i {
        let places = inodes.has.get(&synced.stat.inode).into_iter().flatten().copied();
        places.filter(|place| self.is_free(*place))
    }

    fn is_it(&self, place: usize, synced: &Synced) -> Option<bool> {
        let node = &self.here.nodes[place];
        let local = node.local?;
        // Its folder became a new one: nothing says where it was but its name.
        let is_orphan = !self.is_known(synced.parent) && self.here.is_same_name(&node.name, &synced.name);
        let is_same = local.stat.inode == synced.stat.inode && node.kind() == synced.content.kind();
        if is_orphan && is_same { Some(true) } else { is_moved(local, synced) }
    }

    /// What is new here and there at one place: folders become one, and so do files that hold the same (FLD-10, FLD-14).
    fn merge_new(&mut self) {
        for place in 1..self.here.nodes.len() {
            let Some(parent) = self.here.parent_id(place).filter(|_| self.is_free(place)) else { continue };
            let node = &self.here.nodes[place];
            let Some(id) = self.there.in_slot(parent, &node.name).filter(|id| self.is_new_here(*id)) else { continue };
            let is_same = self.remote.get(&id).is_some_and(|remote| self.content(place).is_same_bytes(&remote.content));
            if is_same {
                self.here.assign(id, place);
            }
        }
    }

    /// Whether a file of the server is to be brought here.
    fn is_new_here(&self, id: FileId) -> bool {
        let version = self.remote.get(&id).map(|remote| remote.version);
        let is_changed = self.synced.get(&id).is_none_or(|synced| Some(synced.version) != version);
        is_changed && self.is_nowhere(id) && !self.undecided.contains(&id) && self.there.has_place(id)
    }

    /// What is not read and not as it was synced.
    fn set_aside(&mut self) {
        for place in 1..self.here.nodes.len() {
            let Some(local) = self.here.nodes[place].local.filter(|_| self.is_read(place)) else { continue };
            let is_unread = matches!(local.content, Content::File { hash: None, .. });
            let is_kept = self.synced_of(place).is_some_and(|synced| synced.stat == local.stat);
            if is_unread && !is_kept {
                self.here.nodes[place].state = State::Unread;
                self.plan.aside.push(self.here.nodes[place].path.to_owned());
            }
        }
    }
}
