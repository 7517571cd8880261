//! Copies of documents outside, in a chain: the first asks the server, each further one asks the one before it.

use std::collections::BTreeMap;

use base::{OpError, OpResult, Tx, codes};
use documents::{Looks, SYNC, SyncOf, Synced, full};
use kernel::{Caller, Properties, Reading};
use replica::{DocCopy, Held, Upgrade};

use super::classes::DocName;

/// How long the chain is.
pub(super) const LENGTH: usize = 3;

/// A chain of replicas of some documents.
pub(super) struct Replicas {
    docs: Vec<DocName>,
    chain: Vec<BTreeMap<DocName, DocCopy>>,
    epoch: Option<String>,
}

impl Replicas {
    pub(super) fn of(docs: Vec<DocName>) -> Self {
        Self { docs, chain: vec![BTreeMap::new(); LENGTH], epoch: None }
    }

    /// The version of a document that the first one holds.
    pub(super) fn version(&self, doc: &DocName) -> Option<i64> {
        self.chain[0].get(doc).map(|copy| copy.head.v)
    }

    /// Forgets what it may forget.
    pub(super) fn forget_tombstones(&mut self, place: usize) {
        self.chain[place].values_mut().for_each(|copy| copy.advance(copy.head.v));
    }

    /// One of the chain asks its source.
    ///
    /// # Errors
    /// The source refused, or the copy is another than the source afterwards.
    pub(super) fn sync(&mut self, place: usize, tx: &mut dyn Tx) -> OpResult<()> {
        if place == 0 { self.ask_server(tx) } else { self.ask_replica(place) }
    }

    fn held(&self, place: usize, doc: &DocName) -> Held {
        self.chain[place].get(doc).map_or_else(|| Held::nothing(&doc.0, &doc.1), DocCopy::held)
    }

    fn take(&mut self, place: usize, doc: &DocName, upgrade: Upgrade) -> OpResult<()> {
        let copies = &mut self.chain[place];
        let held = copies.remove(doc);
        let copy = DocCopy::apply(held, upgrade).map_err(|unfit| wrong(&unfit.to_string()))?;
        copies.extend(copy.map(|copy| (doc.clone(), copy)));
        Ok(())
    }

    fn ask_server(&mut self, tx: &mut dyn Tx) -> OpResult<()> {
        for doc in self.docs.clone() {
            let (caller, properties, held) = (Caller::public(), Properties::default(), vec![self.held(0, &doc)]);
            let (epoch, filters, looks) = (self.epoch.clone(), BTreeMap::new(), Looks::default());
            let of = SyncOf { caller, properties, held, epoch, filters, looks };
            match read(tx, &of) {
                // Its class is declared with the first document.
                Err(error) if error.code == documents::codes::NCLASS => continue,
                Err(error) => return Err(error),
                Ok(synced) => {
                    self.epoch = Some(synced.epoch);
                    synced.syncs.into_iter().try_for_each(|upgrade| self.take(0, &doc, upgrade))?;
                }
            }
            self.compare(0, &doc, full(tx, &doc.0, &doc.1)?.map(|full| full.copy))?;
        }
        Ok(())
    }

    fn ask_replica(&mut self, place: usize) -> OpResult<()> {
        for doc in self.docs.clone() {
            let held = self.held(place, &doc);
            let source = self.chain[place - 1].get(&doc).cloned();
            let upgrade = match &source {
                Some(source) => source.upgrade_for(&held, true).map_err(|ahead| wrong(&ahead.to_string()))?,
                None => Some(Upgrade::deleted(&doc.0, &doc.1)),
            };
            upgrade.into_iter().try_for_each(|upgrade| self.take(place, &doc, upgrade))?;
            self.compare(place, &doc, source)?;
        }
        Ok(())
    }

    /// A copy is what its source is; tombstones may be missing as far as its `dt` says so.
    fn compare(&self, place: usize, doc: &DocName, source: Option<DocCopy>) -> OpResult<()> {
        let copy = self.chain[place].get(doc);
        let known = |of: &DocCopy, dt: i64| {
            let mut of = of.clone();
            of.items.retain(|_, item| item.content.is_some() || item.v > dt);
            (of.head.v, of.head.ct, of.items)
        };
        let dt = copy.map_or(0, |copy| copy.head.dt).max(source.as_ref().map_or(0, |source| source.head.dt));
        let (found, expected) = (copy.map(|copy| known(copy, dt)), source.as_ref().map(|source| known(source, dt)));
        if found == expected {
            return Ok(());
        }
        Err(wrong(&format!("replica {place} of {doc:?} is {found:?}, its source is {expected:?}")))
    }
}

fn read(tx: &mut dyn Tx, of: &SyncOf) -> OpResult<Synced> {
    match &SYNC.run {
        Reading::Plain(run) => run(tx, of),
        Reading::AtHome(_) => Err(wrong("the query needs a home")),
    }
}

fn wrong(text: &str) -> OpError {
    OpError::new(codes::BDETECTED, text)
}
