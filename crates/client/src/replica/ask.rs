//! What is sent to a source and what comes back; large sets are asked for in several calls.

use std::collections::BTreeMap;

use ::replica::{Held, Upgrade};
use serde::{Deserialize, Serialize};

use super::{Replica, ReplicaError};

/// Documents that a source takes in one call.
pub const SYNCS_MAX: usize = 1_000;
/// JSON of them in one call: half of what a body may have, the rest is for the operation's own parameter.
const SYNCS_BYTES_MAX: usize = base::limits::BODY_MAX / 2;

/// What a replica holds of some documents, all of one epoch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// Per document.
    #[serde(default)]
    pub syncs: Vec<Held>,
    /// The epoch that these versions are of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<String>,
}

/// What a source answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// For the documents that are not level.
    #[serde(default)]
    pub syncs: Vec<Upgrade>,
    /// The source's epoch.
    pub epoch: String,
}

impl Ask {
    /// For a source that goes on answering as documents change: what the next of its answers is an answer to, and moves this
    /// question on to where that answer leads. What was answered to the first question is no answer to it any more.
    pub fn step(&mut self, answer: &Answer) -> Self {
        let mut asked = vec![];
        for held in &mut self.syncs {
            let upgrade = answer.syncs.iter().find(|upgrade| (&upgrade.c, &upgrade.id) == (&held.c, &held.id));
            let Some(Upgrade { v, ct, dt, .. }) = upgrade else { continue };
            asked.push(held.clone());
            (held.v, held.ct, held.dt) = (*v, *ct, *dt);
        }
        let epoch = self.epoch.replace(answer.epoch.clone());
        Self { syncs: asked, epoch }
    }

    /// The question about what the source looked at, and that about what it left out. What is not in an answer counts as level, so the
    /// latter must not be taken for answered.
    pub(crate) fn parted(&self, left: &[(String, String)]) -> (Self, Self) {
        let is_left = |held: &&Held| left.iter().any(|(class, id)| (class, id) == (&held.c, &held.id));
        let (again, answered) = self.syncs.iter().cloned().partition(|held| is_left(&held));
        (Self { syncs: answered, epoch: self.epoch.clone() }, Self { syncs: again, epoch: self.epoch.clone() })
    }

    /// Both halves of a question about several documents; `None` if there is only one.
    pub(crate) fn halves(&self) -> Option<[Self; 2]> {
        let (first, second) = self.syncs.split_at(self.syncs.len() / 2);
        let half = |syncs: &[Held]| Self { syncs: syncs.to_vec(), epoch: self.epoch.clone() };
        (!first.is_empty()).then(|| [half(first), half(second)])
    }
}

impl Replica {
    /// What to ask the source so that all documents become level: as few calls as the limits allow.
    ///
    /// # Errors
    /// The shelf failed.
    pub fn asks(&self) -> Result<Vec<Ask>, ReplicaError> {
        let current = self.shelf.epoch()?;
        let mut by_epoch: BTreeMap<Option<String>, Vec<Held>> = BTreeMap::new();
        for entry in self.shelf.entries()? {
            let epoch = entry.epoch.clone().or_else(|| current.clone());
            by_epoch.entry(epoch).or_default().push(entry.held());
        }
        let asks = by_epoch
            .into_iter()
            .flat_map(|(epoch, held)| split(held).into_iter().map(move |syncs| Ask { syncs, epoch: epoch.clone() }));
        Ok(asks.collect())
    }

    /// What to ask together with an operation about the documents that it may change: those of them that are followed and of the
    /// current epoch, as many as one call takes. The others wait for the next [`Replica::asks`].
    ///
    /// # Errors
    /// The shelf failed.
    pub fn ask_about<'a>(&self, documents: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Ask, ReplicaError> {
        let epoch = self.shelf.epoch()?;
        let mut syncs: Vec<Held> = vec![];
        for (class, id) in documents {
            let entry = self.shelf.entry(class, id)?.filter(|entry| entry.epoch.is_none() || entry.epoch == epoch);
            let is_named = syncs.iter().any(|held| (held.c.as_str(), held.id.as_str()) == (class, id));
            syncs.extend(entry.filter(|_| !is_named).map(|entry| entry.held()));
        }
        let first = split(syncs).into_iter().next();
        Ok(Ask { syncs: first.unwrap_or_default(), epoch })
    }
}

fn split(held: Vec<Held>) -> Vec<Vec<Held>> {
    let (mut calls, mut bytes) = (vec![], 0);
    for held in held {
        let length = serde_json::to_string(&held).map_or(0, |text| text.len() + 1);
        match calls.last_mut() {
            Some(call) if Vec::len(call) < SYNCS_MAX && bytes + length <= SYNCS_BYTES_MAX => call.push(held),
            _ => {
                calls.push(vec![held]);
                bytes = 0;
            }
        }
        bytes += length;
    }
    calls
}
