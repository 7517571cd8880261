//! An answer is taken in: judged document by document against what is held now, then written at once.

use std::collections::BTreeMap;

use ::replica::{Content, DocCopy, Head, Held, ItemKey, Unfit, Upgrade, is_news};

use super::ask::{Answer, Ask};
use super::shelf::{Aside, Entry, Write};
use super::{Replica, ReplicaError};

/// What an answer did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// Documents that changed, as class and id; those that are no more among them.
    pub changed: Vec<(String, String)>,
    /// Documents whose part of the answer came too late: they are further, or are not followed any more.
    pub outdated: usize,
    /// Copies of an earlier epoch that were replaced by something else, see [`Replica::set_aside`].
    pub set_aside: usize,
}

/// One document between question and answer.
struct Case<'a> {
    asked: &'a Held,
    asked_epoch: Option<&'a str>,
    /// Of the answer.
    epoch: &'a str,
    entry: Entry,
}

impl Replica {
    /// Takes in what a source answered to `asked`: all of it at once, or nothing.
    ///
    /// # Errors
    /// The answer does not fit the question, or the shelf failed. Everything is as before.
    pub fn take(&mut self, asked: &Ask, answer: Answer) -> Result<Taken, ReplicaError> {
        let Answer { syncs, epoch } = answer;
        let mut upgrades = by_document(syncs)?;
        let (mut taken, mut writes) = (Taken::default(), vec![]);
        for held in &asked.syncs {
            let upgrade = upgrades.remove(&(held.c.clone(), held.id.clone()));
            let entry = self.shelf.entry(&held.c, &held.id)?.filter(|entry| entry.filter == held.filter);
            match entry {
                Some(entry) => {
                    let case = Case { asked: held, asked_epoch: asked.epoch.as_deref(), epoch: &epoch, entry };
                    self.take_one(case, upgrade, &mut taken, &mut writes)?;
                }
                None => taken.outdated += usize::from(upgrade.is_some()),
            }
        }
        if let Some((c, id)) = upgrades.into_keys().next() {
            return Err(ReplicaError::Unasked { c, id });
        }
        if self.shelf.epoch()?.as_ref() != Some(&epoch) {
            writes.push(Write::Epoch(epoch));
        }
        if !writes.is_empty() {
            self.shelf.write(writes)?;
        }
        Ok(taken)
    }

    fn take_one(
        &self,
        case: Case<'_>,
        upgrade: Option<Upgrade>,
        taken: &mut Taken,
        writes: &mut Vec<Write>,
    ) -> Result<(), ReplicaError> {
        let Some(upgrade) = upgrade else {
            writes.extend(case.confirmed().map(Write::put));
            return Ok(());
        };
        if !case.is_welcome(&upgrade)? {
            taken.outdated += 1;
            return Ok(());
        }
        let before = self.shelf.copy(&case.entry.class, &case.entry.id)?;
        let after = DocCopy::apply(before.clone(), upgrade)?;
        if let Some(aside) = case.aside(before.as_ref(), after.as_ref()) {
            taken.set_aside += 1;
            writes.push(Write::SetAside(aside));
        }
        let entry = case.followed_by(after.as_ref());
        taken.changed.push((entry.class.clone(), entry.id.clone()));
        writes.push(Write::document(entry, before.as_ref(), after.as_ref()));
        Ok(())
    }
}

impl Case<'_> {
    /// Whether it still stands where the question was asked.
    fn is_unmoved(&self) -> bool {
        let Entry { head, epoch, .. } = &self.entry;
        let is_epoch = epoch.is_none() || epoch.as_deref() == self.asked_epoch;
        is_epoch && (head.v, head.ct) == (self.asked.v, self.asked.ct)
    }

    /// Whether question and answer are of one epoch.
    fn is_same_epoch(&self) -> bool {
        self.asked_epoch == Some(self.epoch)
    }

    /// Whether what is held now is of the answer's epoch.
    fn is_current(&self) -> bool {
        self.entry.epoch.as_deref() == Some(self.epoch)
    }

    /// The source said nothing: the document is level, or there is none. Across epochs a copy cannot be level; it is left as
    /// it is, of its old epoch, and asked for again.
    fn confirmed(&self) -> Option<Entry> {
        let is_level = self.is_same_epoch() || self.asked.v == 0;
        (self.is_unmoved() && is_level && !self.is_current())
            .then(|| Entry { epoch: Some(self.epoch.to_owned()), ..self.entry.clone() })
    }

    /// Whether the upgrade is to be taken in, or comes too late.
    fn is_welcome(&self, upgrade: &Upgrade) -> Result<bool, Unfit> {
        let Entry { head, over_ct, .. } = self.entry;
        if !self.is_same_epoch() && !upgrade.full && upgrade.v != 0 {
            let (c, id) = (upgrade.c.clone(), upgrade.id.clone());
            return Err(Unfit { c, id, to: upgrade.v, ct: upgrade.ct, held: head.v, held_ct: head.ct });
        }
        if self.is_current() && upgrade.v != 0 && upgrade.ct <= over_ct {
            return Ok(false);
        }
        let is_comparable = self.is_current() && (self.is_same_epoch() || upgrade.full);
        Ok(self.is_unmoved() || (is_comparable && is_news(self.asked, head, upgrade)))
    }

    /// What the source may have lost: the copy of an earlier epoch, unless the new one holds the same.
    fn aside(&self, before: Option<&DocCopy>, after: Option<&DocCopy>) -> Option<Aside> {
        let before = before.filter(|before| Some(existing(before)) != after.map(existing))?;
        let epoch = self.entry.epoch.clone().filter(|epoch| epoch != self.epoch)?;
        Some(Aside { epoch, copy: before.clone() })
    }

    fn followed_by(&self, after: Option<&DocCopy>) -> Entry {
        let before = self.entry.head;
        let head = after.map_or(Head::NOTHING, |copy| copy.head);
        let is_over = before.ct != head.ct;
        // Another epoch may give the same lives again.
        let over_ct = match (self.is_current(), is_over) {
            (false, _) => 0,
            (true, true) => self.entry.over_ct.max(before.ct),
            (true, false) => self.entry.over_ct,
        };
        Entry { epoch: Some(self.epoch.to_owned()), over_ct, head, ..self.entry.clone() }
    }
}

fn existing(copy: &DocCopy) -> BTreeMap<&ItemKey, &Content> {
    copy.items.iter().filter_map(|(key, item)| Some((key, item.content.as_ref()?))).collect()
}

fn by_document(syncs: Vec<Upgrade>) -> Result<BTreeMap<(String, String), Upgrade>, ReplicaError> {
    let mut upgrades = BTreeMap::new();
    for upgrade in syncs {
        if let Some(Upgrade { c, id, .. }) = upgrades.insert((upgrade.c.clone(), upgrade.id.clone()), upgrade) {
            return Err(ReplicaError::Unasked { c, id });
        }
    }
    Ok(upgrades)
}
