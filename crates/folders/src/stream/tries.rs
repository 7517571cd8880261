//! From which version a change was made whose client does not say so (FLD-5): what the connection had been told when it first asked
//! for this very change. FIRST_TRY_TIME tells that it is the same. What it was told since does not count: a client that is told
//! to ask again, because somebody else is done, would otherwise overwrite what that one wrote.

use std::collections::{BTreeMap, VecDeque};

use super::known::Known;
use super::limits::REMEMBERED_MAX;
use crate::form::Asked;

/// What was told when a change was first asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Snapshot {
    pub(super) seq: u64,
    pub(super) version: Option<u64>,
}

/// Directory, and the id or else the path.
type Key = (String, String);

/// Changes that were asked for and are not made yet.
#[derive(Debug, Default)]
pub(super) struct Tries {
    first: BTreeMap<Key, (i64, Snapshot)>,
    order: VecDeque<Key>,
}

impl Tries {
    /// What was told when this was first asked for, which may be now.
    pub(super) fn snapshot(&mut self, directory: &str, asked: &Asked, known: &Known) -> Snapshot {
        let now = known.snapshot(asked.id.as_deref().unwrap_or_default());
        if asked.base.is_some() || asked.try_us == 0 {
            return now;
        }
        let key = key(directory, asked);
        match self.first.get(&key) {
            Some((try_us, first)) if *try_us == asked.try_us => *first,
            Some(_) => {
                self.first.insert(key, (asked.try_us, now));
                now
            }
            None => {
                self.remember(key, asked.try_us, now);
                now
            }
        }
    }

    fn remember(&mut self, key: Key, try_us: i64, snapshot: Snapshot) {
        if self.order.len() >= REMEMBERED_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.first.remove(&oldest);
        }
        self.first.insert(key.clone(), (try_us, snapshot));
        self.order.push_back(key);
    }

    /// It is made.
    pub(super) fn done(&mut self, directory: &str, asked: &Asked) {
        self.first.remove(&key(directory, asked));
    }
}

fn key(directory: &str, asked: &Asked) -> Key {
    (directory.to_owned(), asked.id.clone().unwrap_or_else(|| asked.path.clone()))
}
