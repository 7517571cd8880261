//! Who has no right to its place gets a conflict name (FLD-11, FLD-14, FLD-18): a content that was changed on both sides; whatever lies where the server's
//! tree claims the place for another; the second of two twins. Nothing is removed to make room.

use synxpo::names;

use super::Step;
use super::fate::Fate;
use super::mutants::{Mutant, on};
use super::work::{Bytes, Work};
use crate::model::FileId;

/// What was found where a plan broke off, and is nobody's.
const RECOVERED: &str = "recovered";

/// Who may stay in a slot that nobody on the server claims: the first of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Right {
    /// It was moved here.
    Moved,
    /// It was edited here, and deleted there.
    Edited,
    /// It is new.
    New,
}

impl Work<'_> {
    pub(super) fn yield_all(&mut self) {
        if on(Mutant::KeepsNoCopy) {
            return;
        }
        for place in 1..self.here.nodes.len() {
            if self.is_conflict(place) || (self.is_parked(place) && self.right(place).is_some()) {
                self.yield_place(place);
            }
        }
        for place in self.without_room() {
            self.yield_place(place);
        }
    }

    /// Whether a content was changed on both sides.
    fn is_conflict(&self, place: usize) -> bool {
        let Some(id) = self.here.nodes[place].id.filter(|_| self.is_read(place)) else { return false };
        let is_both = || self.remote.get(&id).is_some_and(|remote| self.bytes(place, remote) == Bytes::Both);
        match self.fate(id) {
            Fate::Here | Fate::Moved | Fate::Kept => is_both() && !on(Mutant::ForgetsBase),
            Fate::Missing | Fate::Gone | Fate::Left => false,
        }
    }

    /// By which right a file lies where the server does not have it; none: it lies there by the server's, or is about to leave.
    fn right(&self, place: usize) -> Option<Right> {
        let node = &self.here.nodes[place];
        if !self.is_read(place) {
            return None;
        }
        let Some(remote) = self.remote_of(place) else { return Some(Right::New) };
        if remote.deleted {
            let is_file = remote.content.kind() != crate::model::Kind::Folder;
            return (is_file && self.is_edited(place)).then_some(Right::Edited);
        }
        let is_kept = node.id.is_some_and(|id| self.fate(id) == Fate::Kept);
        is_kept.then_some(Right::Moved)
    }

    /// Whether a file lies where the server does not have it, and is not about to leave.
    pub(super) fn has_own_right(&self, place: usize) -> bool {
        self.right(place).is_some()
    }

    fn without_room(&self) -> Vec<usize> {
        let mut without = vec![];
        for ((parent, _), twins) in &self.here.slots {
            if twins.iter().all(|twin| self.right(*twin).is_none()) {
                continue;
            }
            let Some(name) = twins.first().map(|twin| &self.here.nodes[*twin].name) else { continue };
            let claim = self.here.nodes[*parent].id.and_then(|parent| self.claim(parent, name));
            if claim.is_none() && twins.len() < 2 {
                continue;
            }
            let mut staying: Vec<(Right, &str, usize)> = twins
                .iter()
                .filter_map(|twin| Some((self.right(*twin)?, &*self.here.nodes[*twin].name, *twin)))
                .collect();
            staying.sort_unstable();
            let room = usize::from(claim.is_none());
            without.extend(staying.into_iter().skip(room).map(|(_, _, twin)| twin));
        }
        without
    }

    /// The file of the server that is to lie in a slot here.
    fn claim(&self, parent: FileId, name: &str) -> Option<FileId> {
        let id = self.there.in_slot(parent, name)?;
        match self.fate(id) {
            Fate::Here | Fate::Moved | Fate::Missing => Some(id),
            Fate::Kept | Fate::Gone | Fate::Left => None,
        }
    }

    pub(super) fn yield_place(&mut self, place: usize) {
        let (from, stat) = (self.here.path(place), self.here.nodes[place].stat());
        let id = self.here.nodes[place].id;
        if on(Mutant::RemovesTheWay) {
            self.plan.steps.push(Step::Remove { id: id.unwrap_or_default(), path: from, stat });
            return;
        }
        let parent = self.here.nodes[place].parent;
        let name = self.free_name(place, parent);
        let to = self.here.path_in(parent, &name);
        self.here.rename(place, parent, &name);
        match id.filter(|id| self.fate(*id) == Fate::Kept && !self.is_conflict(place)) {
            Some(id) => self.plan.steps.push(Step::Move { id, from, stat, to, into: None }),
            None => {
                self.plan.steps.push(Step::Copy { from, stat, to });
                self.renounce(place);
            }
        }
    }

    /// What yielded is a new file: whoever it was is looked for again by the next plan.
    fn renounce(&mut self, place: usize) {
        if let Some(id) = self.here.nodes[place].id {
            self.plan.steps.push(Step::Forget { id });
            self.fates.entry(id).and_modify(|fate| *fate = Fate::Left);
            self.here.unassign(place);
        }
    }

    /// A conflict name that is free on both sides.
    fn free_name(&self, place: usize, parent: usize) -> String {
        let name = match self.is_parked(place) {
            true => self.remote_of(place).map_or(RECOVERED, |remote| &remote.name),
            false => &self.here.nodes[place].name,
        };
        let folder = self.here.nodes[parent].id;
        let is_free = |name: &String| {
            let is_there = folder.is_some_and(|folder| self.there.in_slot(folder, name).is_some());
            !is_there && self.here.in_slot(parent, name).is_empty()
        };
        let names = (1..).map(|nth| names::conflict(name, self.view.device, self.view.date, nth));
        let mut names = names.filter(is_free);
        names.next().unwrap_or_default()
    }
}
