//! A replica as the source of one that lags more.
//!
//! Unlike the reference it may lag itself, and it follows only some documents. What it cannot answer rightly it refuses, one
//! document at a time, so that the others are not held up.

use ::replica::{Ahead, Held, Upgrade};

use super::ask::{Answer, Ask};
use super::shelf::Entry;
use super::{Replica, ReplicaError};

/// What a replica answers as a source.
#[derive(Debug, Clone, PartialEq)]
pub struct Relayed {
    /// To be taken in by whoever asked, after [`Relayed::answered`] was applied to its question.
    pub answer: Answer,
    /// What it cannot answer; to be asked elsewhere.
    pub refused: Vec<Refused>,
}

/// A document that a replica cannot answer for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Class of the document.
    pub c: String,
    /// Its id.
    pub id: String,
    /// Why.
    pub why: Refusal,
}

/// Why a replica cannot answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It does not follow the document.
    NotFollowed,
    /// It sees the document through another filter.
    OtherFilter,
    /// Its own copy is not of its current epoch, or was never asked for.
    Unknown,
    /// The one that asks is further.
    Ahead,
}

impl Relayed {
    /// The question without what was refused: what the answer is an answer to.
    #[must_use]
    pub fn answered(&self, ask: &Ask) -> Ask {
        let is_refused =
            |held: &Held| self.refused.iter().any(|refused| (&refused.c, &refused.id) == (&held.c, &held.id));
        let syncs = ask.syncs.iter().filter(|held| !is_refused(held)).cloned().collect();
        Ask { syncs, epoch: ask.epoch.clone() }
    }
}

impl Replica {
    /// Answers somebody who lags more; `None` before this replica itself was answered for the first time.
    ///
    /// Somebody of another epoch gets full copies, as from the reference. Which of two epochs is the later one cannot be
    /// told from their names: a chain has to be one, each asking the same source.
    ///
    /// # Errors
    /// The shelf failed.
    pub fn answer(&self, ask: &Ask) -> Result<Option<Relayed>, ReplicaError> {
        let Some(epoch) = self.shelf.epoch()? else { return Ok(None) };
        let same_epoch = ask.epoch.as_ref() == Some(&epoch);
        let (mut syncs, mut refused) = (vec![], vec![]);
        for held in &ask.syncs {
            match self.answer_one(held, &epoch, same_epoch)? {
                Ok(upgrade) => syncs.extend(upgrade),
                Err(why) => refused.push(Refused { c: held.c.clone(), id: held.id.clone(), why }),
            }
        }
        Ok(Some(Relayed { answer: Answer { syncs, epoch }, refused }))
    }

    fn answer_one(&self, held: &Held, epoch: &str, same_epoch: bool) -> Result<Answered, ReplicaError> {
        let Some(entry) = self.shelf.entry(&held.c, &held.id)? else { return Ok(Err(Refusal::NotFollowed)) };
        if entry.filter != held.filter {
            return Ok(Err(Refusal::OtherFilter));
        }
        if entry.epoch.as_deref() != Some(epoch) {
            return Ok(Err(Refusal::Unknown));
        }
        let answered = match self.shelf.copy(&held.c, &held.id)? {
            Some(copy) => copy.relay_for(held, same_epoch).map_err(|Ahead { .. }| Refusal::Ahead),
            None => answer_without(&entry, held, same_epoch),
        };
        Ok(answered)
    }
}

/// An upgrade, or nothing if level.
type Answered = Result<Option<Upgrade>, Refusal>;

/// There is no document, as far as is known here: that ends the lives that were seen to end, and no later one.
fn answer_without(entry: &Entry, held: &Held, same_epoch: bool) -> Answered {
    if held.v <= 0 {
        return Ok(None);
    }
    if same_epoch && held.ct > entry.over_ct {
        return Err(Refusal::Ahead);
    }
    Ok(Some(Upgrade::deleted(&held.c, &held.id)))
}
