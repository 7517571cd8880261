//! The database of a business, with transactions of its own: what its connector does with messages, and what of that is committed.

use std::collections::{BTreeMap, BTreeSet};

use exchange::process::{MessageResult, Processed};
use serde_json::Value;

use super::known::Key;

/// What is committed in a database.
#[derive(Default)]
pub(super) struct Books {
    /// How often the effect of each message is there.
    pub(super) effects: BTreeMap<Key, u32>,
    /// Messages that were found wrong.
    pub(super) wrong: BTreeSet<Key>,
    /// Processes whose transactions were committed: the marker.
    pub(super) committed: BTreeSet<String>,
    /// Processes of which somebody wrote down that they never committed, which keeps them from doing it.
    pub(super) voided: BTreeSet<String>,
    /// Replies that go out with what was committed, by their ids: to which device, and what.
    pub(super) replies: BTreeMap<String, (usize, Value)>,
}

/// An open transaction.
#[derive(Debug, Clone, Default)]
pub(super) struct Transaction {
    /// For which process.
    pub(super) process: String,
    pub(super) effects: Vec<Key>,
    pub(super) wrong: Vec<Key>,
    /// What is told of each message.
    pub(super) results: Vec<MessageResult>,
    /// Replies: id, to which device, what.
    pub(super) replies: Vec<(String, usize, Value)>,
}

impl Transaction {
    /// Processes a message within a savepoint: unless it goes well, all of it is undone.
    pub(super) fn process(&mut self, key: &Key, result: Processed) {
        let savepoint = self.effects.len();
        self.effects.push(key.clone());
        if result != Processed::Processed {
            self.effects.truncate(savepoint);
        }
        if result == Processed::ProcessedIncorrect {
            self.wrong.push(key.clone());
        }
        let is_bad = result != Processed::Processed;
        self.results.push(MessageResult {
            id: key.1.clone(),
            status: result,
            error_code: is_bad.then_some(335_544_336),
            error_text: is_bad.then(|| format!("{result:?}")),
        });
    }
}

impl Books {
    /// Whether the outcome of a message is committed.
    pub(super) fn is_done(&self, key: &Key) -> bool {
        self.effects.contains_key(key) || self.wrong.contains(key)
    }

    /// Commits, unless somebody wrote down that this process never did.
    ///
    /// # Errors
    /// A message was done before: why.
    pub(super) fn commit(&mut self, work: &Transaction) -> Result<bool, String> {
        if self.voided.contains(&work.process) {
            return Ok(false);
        }
        if let Some(twice) = work.effects.iter().chain(&work.wrong).find(|key| self.is_done(key)) {
            return Err(format!("message {twice:?} is done twice, the second time by process {}", work.process));
        }
        work.effects.iter().for_each(|key| *self.effects.entry(key.clone()).or_default() += 1);
        self.wrong.extend(work.wrong.iter().cloned());
        self.committed.insert(work.process.clone());
        let replies = work.replies.iter().cloned();
        self.replies.extend(replies.map(|(id, device, text)| (id, (device, text))));
        Ok(true)
    }

    /// Finds out whether a process committed. Whoever says that it did not writes that down first, where its own marker would be: so it
    /// can never commit afterwards.
    pub(super) fn outcome(&mut self, process: &str) -> bool {
        let committed = self.committed.contains(process);
        if !committed {
            self.voided.insert(process.to_owned());
        }
        committed
    }
}
