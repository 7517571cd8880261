//! What the server deleted (FLD-12, FLD-13): files whose content is what was synced, and folders in which nothing is left.

use super::Step;
use super::fate::Fate;
use super::mutants::{Mutant, on};
use super::work::Work;
use crate::model::{Kind, Remote};

/// What becomes of a file here; of a folder, of all that is in it: whatever comes last here counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rest {
    /// It is removed.
    Goes,
    /// It is moved to where the server has it.
    Leaves,
    /// Nothing can be said of it now.
    Waits,
    /// It stays.
    Stays,
}

impl Work<'_> {
    pub(super) fn remove_all(&mut self) {
        let mut within = vec![Rest::Goes; self.here.nodes.len()];
        // From the last path to the first: what is in a folder comes before it.
        for place in (1..within.len()).rev() {
            let rest = self.remove(place, within[place]);
            let parent = self.here.nodes[place].parent;
            within[parent] = within[parent].max(rest);
        }
    }

    fn remove(&mut self, place: usize, within: Rest) -> Rest {
        if !self.is_read(place) {
            return Rest::Waits;
        }
        let node = &self.here.nodes[place];
        let (Some(id), Some(remote)) = (node.id, self.remote_of(place)) else { return Rest::Stays };
        if remote.deleted {
            return self.remove_deleted(place, remote, within);
        }
        match self.fate(id) {
            Fate::Moved => Rest::Leaves,
            Fate::Left => Rest::Waits,
            Fate::Here | Fate::Kept | Fate::Missing | Fate::Gone => Rest::Stays,
        }
    }

    fn remove_deleted(&mut self, place: usize, remote: &Remote, within: Rest) -> Rest {
        let is_folder = remote.content.kind() == Kind::Folder;
        let rest = match is_folder {
            true => within,
            false if self.is_edited(place) && !on(Mutant::RemovesEdited) => Rest::Stays,
            false => Rest::Goes,
        };
        let Some(id) = self.here.nodes[place].id else { return rest };
        match rest {
            Rest::Goes => {
                let (path, stat) = (self.here.path(place), self.here.nodes[place].stat());
                self.plan.steps.push(Step::Remove { id, path, stat });
                self.plan.removes_here += usize::from(!is_folder);
                self.here.remove(place);
            }
            // Something in it stays, so it is a new folder.
            Rest::Stays if is_folder => {
                self.plan.steps.push(Step::Forget { id });
                self.here.unassign(place);
            }
            Rest::Leaves => {
                self.emptying.insert(place);
            }
            Rest::Stays | Rest::Waits => {}
        }
        rest
    }
}
