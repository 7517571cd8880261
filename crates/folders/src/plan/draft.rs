//! The tree as it will be: what the store has, and what the plan changes on top of it.

use std::collections::{BTreeMap, BTreeSet};

use base::OpResult;

use super::{Entry, Tree};
use crate::names::{Policy, slot};

pub(super) struct Draft<'t> {
    pub(super) tree: &'t mut dyn Tree,
    pub(super) policy: Policy,
    /// As the store has it; `None`: not in this directory.
    was: BTreeMap<String, Option<Entry>>,
    /// As it will be, if that differs.
    now: BTreeMap<String, Entry>,
    /// Slots that were looked at or changed.
    slots: BTreeMap<(String, String), Option<String>>,
    /// Files that left their place and did not land yet.
    away: BTreeSet<String>,
}

impl<'t> Draft<'t> {
    pub(super) fn new(tree: &'t mut dyn Tree) -> Self {
        let policy = tree.names();
        let (was, now) = (BTreeMap::new(), BTreeMap::new());
        Self { tree, policy, was, now, slots: BTreeMap::new(), away: BTreeSet::new() }
    }

    pub(super) fn was(&mut self, id: &str) -> OpResult<Option<Entry>> {
        if let Some(known) = self.was.get(id) {
            return Ok(known.clone());
        }
        let found = self.tree.entry(id)?;
        self.was.insert(id.to_owned(), found.clone());
        Ok(found)
    }

    pub(super) fn now(&mut self, id: &str) -> OpResult<Option<Entry>> {
        match self.now.get(id) {
            Some(now) => Ok(Some(now.clone())),
            None => self.was(id),
        }
    }

    /// It is not in the store yet.
    pub(super) fn is_new(&self, id: &str) -> bool {
        self.now.contains_key(id) && self.was.get(id).is_none_or(Option::is_none)
    }

    /// Who lives in a slot.
    pub(super) fn at(&mut self, parent: &str, name: &str) -> OpResult<Option<Entry>> {
        let key = self.key(parent, name);
        if !self.slots.contains_key(&key) {
            let found = if self.is_new(parent) { None } else { self.tree.at(parent, &key.1)? };
            let id = found.map(|entry| self.saw(entry));
            self.slots.insert(key.clone(), id);
        }
        match self.slots[&key].clone() {
            Some(id) => self.now(&id),
            None => Ok(None),
        }
    }

    fn saw(&mut self, entry: Entry) -> String {
        let id = entry.id.clone();
        self.was.entry(id.clone()).or_insert(Some(entry));
        id
    }

    fn key(&self, parent: &str, name: &str) -> (String, String) {
        (parent.to_owned(), slot(self.policy, name))
    }

    /// Changes what is not about its place.
    pub(super) fn amend(&mut self, entry: Entry) {
        self.now.insert(entry.id.clone(), entry);
    }

    /// It is as told from now on: its slot is free before, or its own.
    pub(super) fn put(&mut self, entry: Entry) -> OpResult<()> {
        if let Some(before) = self.now(&entry.id)? {
            self.leave(&before);
        }
        self.away.remove(&entry.id);
        if !entry.deleted {
            let key = self.key(&entry.parent, &entry.name);
            let before = self.slots.insert(key, Some(entry.id.clone()));
            assert!(before.flatten().is_none_or(|id| id == entry.id), "a slot is taken when it is free");
        }
        self.now.insert(entry.id.clone(), entry);
        Ok(())
    }

    /// It is on its way to another place.
    pub(super) fn detach(&mut self, entry: &Entry) {
        self.leave(entry);
        self.away.insert(entry.id.clone());
    }

    fn leave(&mut self, entry: &Entry) {
        if entry.deleted {
            return;
        }
        let key = self.key(&entry.parent, &entry.name);
        // A slot that nobody looked at is as the store has it: there it is.
        if self.slots.get(&key).is_none_or(|holder| holder.as_deref() == Some(&*entry.id)) {
            self.slots.insert(key, None);
        }
    }

    /// Who holds the slot that a file had in the store.
    pub(super) fn holder_of_former_slot(&self, was: &Entry) -> Option<&str> {
        self.slots.get(&self.key(&was.parent, &was.name))?.as_deref()
    }

    /// Who lives in a folder, and whether that is all: of what the store has at most so many are looked at.
    pub(super) fn children(&mut self, parent: &str, most: usize) -> OpResult<(Vec<Entry>, bool)> {
        let stored = if self.is_new(parent) { vec![] } else { self.tree.children(parent, most + 1)? };
        let is_all = stored.len() <= most;
        let mut ids: BTreeSet<String> = stored.into_iter().map(|entry| self.saw(entry)).collect();
        ids.extend(self.now.values().filter(|entry| entry.parent == parent).map(|entry| entry.id.clone()));
        let mut living = vec![];
        for id in ids {
            let entry = self.now(&id)?.filter(|entry| !entry.deleted && entry.parent == parent);
            living.extend(entry.filter(|entry| !self.away.contains(&entry.id)));
        }
        Ok((living, is_all))
    }

    /// All that were changed.
    pub(super) fn changed(&self) -> impl Iterator<Item = &Entry> {
        self.now.values()
    }
}
