//! What the client knew: its base, else what its connection was told (FLD-5).

use std::collections::BTreeMap;

use base::{OpResult, mutants};

use super::mutants::{Mutant, on};
use super::{Entry, Planner};
use crate::form;

/// More folders than any path has: a tree that is broken does not hang us.
const ANCESTORS_MAX: usize = 10_000;

/// What a connection was told.
pub(super) struct Told<'t> {
    seq: u64,
    beyond: BTreeMap<&'t str, u64>,
    /// What was looked up.
    looked: BTreeMap<String, Option<Entry>>,
}

/// What a client knew of a file.
pub(super) struct Known {
    /// Its version; 0: nothing.
    pub(super) version: u64,
    /// The file as it was then.
    pub(super) entry: Option<Entry>,
}

/// A path as the client knew it: names from the top, and the ids of the folders among them.
pub(super) struct Chain {
    pub(super) names: Vec<String>,
    pub(super) folders: Vec<String>,
}

impl<'t> Told<'t> {
    pub(super) fn new(told: &'t form::Told) -> Self {
        let beyond = told.beyond.iter().map(|(id, version)| (id.as_str(), *version)).collect();
        Self { seq: told.seq, beyond, looked: BTreeMap::new() }
    }
}

impl Planner<'_> {
    /// What was known of a file that the store has.
    pub(super) fn known(&mut self, entry: &Entry, from: Option<u64>) -> OpResult<Known> {
        let known = match from {
            _ if mutants::on(mutants::Mutant::FoldersBaseUnchecked) => Some(entry.clone()),
            None => self.told_of(entry)?,
            Some(base) if base == entry.version => Some(entry.clone()),
            Some(0) => None,
            // Of a server that was put back: nothing here is what it knew.
            Some(base) if base > entry.version => None,
            Some(base) => self.draft.tree.version(&entry.id, base)?,
        };
        Ok(Known { version: known.as_ref().map_or(0, |entry| entry.version), entry: known })
    }

    /// A file as the connection was told of it.
    pub(super) fn told_of(&mut self, entry: &Entry) -> OpResult<Option<Entry>> {
        let alone = self.known.beyond.get(entry.id.as_str()).copied();
        if entry.seq <= self.known.seq || alone == Some(entry.version) {
            return Ok(Some(entry.clone()));
        }
        if let Some(looked) = self.known.looked.get(&entry.id) {
            return Ok(looked.clone());
        }
        let found = match alone {
            Some(version) => self.draft.tree.version(&entry.id, version)?,
            None => self.draft.tree.as_of(&entry.id, self.known.seq)?,
        };
        self.known.looked.insert(entry.id.clone(), found.clone());
        Ok(found)
    }

    /// Whether a file is as the connection was told.
    pub(super) fn is_as_told(&mut self, entry: &Entry) -> OpResult<bool> {
        Ok(self.told_of(entry)?.is_some_and(|told| told.version == entry.version))
    }

    /// The path of a file as the client knew it.
    pub(super) fn chain(&mut self, known: &Entry) -> OpResult<Chain> {
        let mut chain = Chain { names: vec![known.name.clone()], folders: vec![] };
        let mut parent = known.parent.clone();
        while !parent.is_empty() && chain.folders.len() < ANCESTORS_MAX {
            let Some(folder) = self.draft.was(&parent)? else { break };
            // A folder of which it was not told came with its own file (a missing parent): it is as it is.
            let told = self.told_of(&folder)?.filter(|_| !on(Mutant::PathsAreRenames));
            let folder = told.unwrap_or(folder);
            chain.names.push(folder.name);
            chain.folders.push(folder.id);
            parent = folder.parent;
        }
        chain.names.reverse();
        chain.folders.reverse();
        Ok(chain)
    }

    /// Folders by the paths under which the client has them, as far as the group does not move them: somebody may have moved them since.
    pub(super) fn claim_chains(&mut self) {
        for chain in std::mem::take(&mut self.chains) {
            let is_moved = |id: &String| self.named.contains(id) && !self.landed.contains(id);
            let still = chain.folders.iter().take_while(|id| !is_moved(id)).count();
            for end in 1..=still {
                let path = chain.names[..end].join("/");
                self.claimed.entry(path).or_insert_with(|| chain.folders[end - 1].clone());
            }
        }
    }
}
