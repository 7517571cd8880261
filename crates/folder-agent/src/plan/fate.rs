//! What is to become of each living file of the server, as far as this disk is concerned.

use std::collections::BTreeSet;

use super::mutants::{Mutant, on};
use super::work::Work;
use crate::model::{FileId, Remote};

/// What is to become of a living file of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It lies here where the server has it.
    Here,
    /// It lies elsewhere here, and is to be where the server has it.
    Moved,
    /// It was moved here, and the server is to be asked to move it.
    Kept,
    /// It is to be brought here.
    Missing,
    /// It was deleted here, and the server is to be asked to delete it.
    Gone,
    /// Nothing can be said of it now.
    Left,
}

impl Work<'_> {
    pub(super) fn judge(&mut self) {
        let living = self.remote.iter().filter(|(_, remote)| !remote.deleted);
        self.fates = living.map(|(id, remote)| (*id, self.find_fate(*id, remote))).collect();
        self.judge_folders();
    }

    fn find_fate(&self, id: FileId, remote: &Remote) -> Fate {
        if !self.there.has_place(id) || !self.is_seen(remote.content.kind()) {
            return Fate::Left;
        }
        let synced = self.synced.get(&id);
        let Some(place) = self.here.at.get(&id).copied() else {
            let is_unchanged = |version| version == remote.version || on(Mutant::DeletesUnseen);
            return match synced {
                Some(_) if self.undecided.contains(&id) => Fate::Left,
                Some(synced) if is_unchanged(synced.version) => Fate::Gone,
                Some(_) | None => Fate::Missing,
            };
        };
        let is_kept = |parent, name: &str| parent == remote.parent && self.here.is_same_name(name, &remote.name);
        if !self.is_read(place) || self.here.nodes[place].kind() != remote.content.kind() {
            Fate::Left
        } else if self.is_in_place(place, remote.parent, &remote.name) {
            Fate::Here
        } else if !self.is_parked(place) && synced.is_some_and(|synced| is_kept(synced.parent, &synced.name)) {
            Fate::Kept
        } else {
            Fate::Moved
        }
    }

    /// A folder that was deleted here comes back if something of the server is to be in it, and waits if something may.
    fn judge_folders(&mut self) {
        let needed = self.above_all(|fate| matches!(fate, Fate::Here | Fate::Moved | Fate::Missing));
        let waiting = self.above_all(|fate| fate == Fate::Left);
        for (id, fate) in self.fates.iter_mut().filter(|(_, fate)| **fate == Fate::Gone) {
            if needed.contains(id) {
                *fate = Fate::Missing;
            } else if waiting.contains(id) {
                *fate = Fate::Left;
            }
        }
    }

    /// The folders above all files of some fates.
    fn above_all(&self, is: impl Fn(Fate) -> bool) -> BTreeSet<FileId> {
        let mut above = BTreeSet::new();
        for (id, _) in self.fates.iter().filter(|(id, fate)| is(**fate) && self.there.has_place(**id)) {
            for folder in self.there.above(*id) {
                // Whatever is above one that is known is known, too; and one that was moved here leaves those above it.
                if self.fate(folder) == Fate::Kept || !above.insert(folder) {
                    break;
                }
            }
        }
        above
    }
}
