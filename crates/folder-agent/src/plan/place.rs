//! Brings files, links and folders to where the server has them (FLD-15 to FLD-17). Folders before what is in them; whoever lies in a place that another
//! is to take leaves it first; where that goes round in a circle, one waits under a name of our own at the top.

use std::borrow::Cow;

use synxpo::names;

use super::Step;
use super::fate::Fate;
use super::here::{Node, State, TOP};
use super::work::Work;
use crate::disk::Expected;
use crate::model::{Content, FileId, Remote};

/// Who waits for whom waits at most so deep: longer chains are cut, as circles are.
const DEPTH_MAX: usize = 1_000;

/// Whether a file lies where it belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placed {
    Yes,
    /// It waits for itself.
    Circle,
    /// It cannot, for now.
    No,
}

impl<'a> Work<'a> {
    pub(super) fn place_all(&mut self) {
        // Whoever had to wait for others has its turn again, as long as anything moves.
        loop {
            let before = self.plan.steps.len();
            let wanted = self.fates.iter().filter(|(id, fate)| self.is_to_be_placed(**id, **fate));
            let wanted: Vec<FileId> = wanted.map(|(id, _)| *id).collect();
            for id in wanted {
                self.place(id, 0);
            }
            if self.plan.steps.len() == before {
                return;
            }
        }
    }

    /// Contents are fetched later.
    fn is_to_be_placed(&self, id: FileId, fate: Fate) -> bool {
        let is_file = || self.remote.get(&id).is_none_or(|remote| matches!(remote.content, Content::File { .. }));
        match fate {
            Fate::Moved => true,
            Fate::Missing => !is_file(),
            Fate::Here | Fate::Kept | Fate::Gone | Fate::Left => false,
        }
    }

    fn place(&mut self, id: FileId, depth: usize) -> Placed {
        match (self.fate(id), self.remote.get(&id)) {
            (Fate::Moved | Fate::Missing, _) => {}
            // A folder that has to come back needs those above it.
            (Fate::Gone, _) => drop(self.fates.insert(id, Fate::Missing)),
            // It lies in its folder, wherever that lies.
            (Fate::Here, Some(remote)) => return self.place(remote.parent, depth),
            (Fate::Here | Fate::Kept | Fate::Left, _) => {
                return if self.here.at.contains_key(&id) { Placed::Yes } else { Placed::No };
            }
        }
        if depth > DEPTH_MAX || !self.placing.insert(id) {
            return Placed::Circle;
        }
        let placed = self.try_place(id, depth + 1);
        self.placing.remove(&id);
        placed
    }

    fn try_place(&mut self, id: FileId, depth: usize) -> Placed {
        let Some(remote) = self.remote.get(&id) else { return Placed::No };
        match self.place(remote.parent, depth) {
            Placed::Yes => {}
            other @ (Placed::Circle | Placed::No) => return other,
        }
        let Some(parent) = self.here.at.get(&remote.parent).copied() else { return Placed::No };
        if self.stuck.contains(&self.here.path_in(parent, &remote.name)) {
            return Placed::No;
        }
        match self.leave_circle(id, parent, depth).then(|| self.make_room(id, parent, remote, depth)) {
            Some(Placed::Yes) => self.put(id, parent, remote),
            Some(other @ (Placed::Circle | Placed::No)) => other,
            None => Placed::No,
        }
    }

    /// Whoever is to go into a folder that lies in it waits until that one is out of it. Of two folders that were moved into each other, one here and one
    /// there, the server's move counts, and the one that was moved here goes back.
    fn leave_circle(&mut self, id: FileId, parent: usize, depth: usize) -> bool {
        let Some(place) = self.here.at.get(&id).copied() else { return true };
        while self.here.is_within(parent, place) {
            let is_out =
                |work: &mut Self, id: Option<FileId>| id.is_some_and(|id| work.place(id, depth) == Placed::Yes);
            let moved = self.first_within(parent, place, Fate::Moved);
            if is_out(self, moved) {
                continue;
            }
            let Some(kept) = self.first_within(parent, place, Fate::Kept) else { return false };
            self.fates.insert(kept, Fate::Moved);
            if !is_out(self, Some(kept)) {
                self.fates.insert(kept, Fate::Kept);
                return false;
            }
        }
        true
    }

    /// The first folder of a fate, from one up to another in which it lies.
    fn first_within(&self, from: usize, top: usize, fate: Fate) -> Option<FileId> {
        let above = std::iter::successors(Some(from), |at| Some(self.here.nodes[*at].parent));
        let ids = above.take_while(|at| *at != top).filter_map(|at| self.here.nodes[at].id);
        ids.into_iter().find(|id| self.fate(*id) == fate)
    }

    fn make_room(&mut self, id: FileId, parent: usize, remote: &Remote, depth: usize) -> Placed {
        let own = self.here.at.get(&id).copied();
        let others = self.here.in_slot(parent, &remote.name).iter().copied().filter(|other| Some(*other) != own);
        for other in others.collect::<Vec<usize>>() {
            match self.send_away(other, depth) {
                Placed::Yes => {}
                other @ (Placed::Circle | Placed::No) => return other,
            }
        }
        Placed::Yes
    }

    fn send_away(&mut self, other: usize, depth: usize) -> Placed {
        // The place was another's to take until a folder had to come back to it.
        if self.has_own_right(other) {
            self.yield_place(other);
            return Placed::Yes;
        }
        let Some(id) = self.here.nodes[other].id.filter(|_| self.is_read(other)) else { return Placed::No };
        if self.emptying.contains(&other) {
            return self.park(id, other);
        }
        match self.fate(id) {
            Fate::Moved => match self.place(id, depth) {
                Placed::Circle => self.park(id, other),
                placed @ (Placed::Yes | Placed::No) => placed,
            },
            Fate::Here | Fate::Kept | Fate::Missing | Fate::Gone | Fate::Left => Placed::No,
        }
    }

    /// Puts a file where nothing of anybody lies. Its own turn comes later.
    fn park(&mut self, id: FileId, place: usize) -> Placed {
        let name = format!("{}-{id}", names::OWN_NAME);
        match self.here.in_slot(TOP, &name).is_empty() {
            true => self.step_to(id, place, (TOP, &name), None),
            false => Placed::No,
        }
    }

    fn step_to(&mut self, id: FileId, place: usize, (parent, name): (usize, &str), into: Option<FileId>) -> Placed {
        let (from, stat) = (self.here.path(place), self.here.nodes[place].stat());
        let to = self.here.path_in(parent, name);
        self.plan.steps.push(Step::Move { id, from, stat, to, into });
        self.here.rename(place, parent, name);
        Placed::Yes
    }

    fn put(&mut self, id: FileId, parent: usize, remote: &'a Remote) -> Placed {
        if let Some(place) = self.here.at.get(&id).copied() {
            if self.here.is_within(parent, place) {
                return Placed::No;
            }
            self.fates.insert(id, Fate::Here);
            return self.step_to(id, place, (parent, &remote.name), Some(remote.parent));
        }
        let path = self.here.path_in(parent, &remote.name);
        let step = match &remote.content {
            Content::Folder => Step::MakeFolder { id, path },
            Content::Symlink(target) => {
                Step::MakeLink { id, path, target: target.clone(), expected: Expected::Nothing }
            }
            Content::File { .. } => return Placed::No,
        };
        self.plan.steps.push(step);
        self.fates.insert(id, Fate::Here);
        let name = Cow::Borrowed(&*remote.name);
        self.here.add(Node { path: "", name, parent, local: None, id: Some(id), state: State::Read });
        self.here.at.insert(id, self.here.nodes.len() - 1);
        Placed::Yes
    }
}
