//! What both sides have already, or lack already; and what needs no room: links that lead elsewhere now, executable bits.

use super::Step;
use super::fate::Fate;
use super::here::State;
use super::mutants::{Mutant, on};
use super::work::{Bytes, Work, bit};
use crate::disk::Expected;
use crate::model::{Content, FileId, Remote};

impl Work<'_> {
    pub(super) fn adopt_all(&mut self) {
        self.forget_all();
        for place in 1..self.here.nodes.len() {
            let Some(id) = self.here.nodes[place].id.filter(|_| self.is_read(place)) else { continue };
            let Some(remote) = self.remote.get(&id).filter(|remote| !remote.deleted) else { continue };
            match self.fate(id) {
                Fate::Here | Fate::Kept => self.adopt(id, place, remote),
                Fate::Moved | Fate::Missing | Fate::Gone | Fate::Left => {}
            }
        }
    }

    fn forget_all(&mut self) {
        for (id, synced) in self.synced.iter().filter(|(_, synced)| self.view.links || is_no_link(&synced.content)) {
            let place = self.here.at.get(id).copied();
            // Versions never go down but on a server that was put back: what is here may be all there is of it.
            let is_other =
                |remote: &Remote| remote.content.kind() != synced.content.kind() || remote.version < synced.version;
            match (self.remote.get(id), place) {
                (None, place) => self.forget_missing(*id, place),
                (Some(remote), place) if is_other(remote) => self.forget_missing(*id, place),
                (Some(remote), None) if remote.deleted && !self.undecided.contains(id) => {
                    self.plan.steps.push(Step::Forget { id: *id });
                }
                (Some(_), _) => {}
            }
        }
    }

    /// What the server does not tell of is not deleted (FLD-13): if it is here, it is a new file. The next plan finds where it belongs.
    fn forget_missing(&mut self, id: FileId, place: Option<usize>) {
        let Some(place) = place else {
            self.plan.steps.push(Step::Forget { id });
            return;
        };
        if on(Mutant::RemovesMissing) {
            let (path, stat) = (self.here.path(place), self.here.nodes[place].stat());
            self.plan.steps.push(Step::Remove { id, path, stat });
            return;
        }
        self.plan.steps.push(Step::Forget { id });
        self.here.unassign(place);
        self.here.nodes[place].state = State::Left;
    }

    fn adopt(&mut self, id: FileId, place: usize, remote: &Remote) {
        match self.bytes(place, remote) {
            Bytes::Same => self.adopt_same(id, place, remote),
            Bytes::There => self.make_link(id, place, remote),
            Bytes::Here => self.set_executable(id, place, remote),
            Bytes::Both => {}
        }
    }

    fn adopt_same(&mut self, id: FileId, place: usize, remote: &Remote) {
        self.set_executable(id, place, remote);
        let is_same = self.fate(id) == Fate::Here && bit(&self.content(place)) == bit(&remote.content);
        if is_same && !self.is_adopted(place, remote) {
            let path = self.here.path(place);
            self.plan.steps.push(Step::Adopt { id, path });
        }
    }

    fn is_adopted(&self, place: usize, remote: &Remote) -> bool {
        self.synced_of(place).is_some_and(|synced| {
            let is_place = (synced.parent, &synced.name) == (remote.parent, &remote.name);
            let is_version = (synced.version, synced.content_version) == (remote.version, remote.content_version);
            let is_here = synced.stat == self.here.nodes[place].stat() && bit(&synced.content) == bit(&remote.content);
            is_place && is_version && is_here
        })
    }

    fn make_link(&mut self, id: FileId, place: usize, remote: &Remote) {
        if let Content::Symlink(target) = &remote.content {
            let (path, target) = (self.here.path(place), target.clone());
            let expected = Expected::File(self.here.nodes[place].stat());
            self.plan.steps.push(Step::MakeLink { id, path, target, expected });
        }
    }

    /// The bit that changed on the server, or that nobody knows to have changed here.
    fn set_executable(&mut self, id: FileId, place: usize, remote: &Remote) {
        let executable = bit(&remote.content);
        let is_there = self.synced_of(place).is_none_or(|synced| bit(&synced.content) != executable);
        if is_there && bit(&self.content(place)) != executable {
            let (path, stat) = (self.here.path(place), self.here.nodes[place].stat());
            self.bits.push(Step::SetExecutable { id, path, stat, executable });
        }
    }
}

/// Everything but a link.
fn is_no_link(content: &Content) -> bool {
    !matches!(content, Content::Symlink(_))
}
