//! What was written down stays written down, in the store or in the archive, as it was: no calendar makes it old, and nothing leaves
//! the store before the archive has it.

use std::collections::{BTreeMap, BTreeSet};

use super::clients::Clients;
use super::seen::{Committed, Past, Try};
use crate::archive::TryKey;

/// Everything that was ever seen.
#[derive(Default)]
pub(super) struct Keeper {
    rows: BTreeMap<String, Past>,
    /// Tries that had ended.
    tries: BTreeMap<TryKey, Try>,
}

impl Keeper {
    /// What must hold of history and tries.
    ///
    /// # Errors
    /// What does not.
    pub(super) fn check(&mut self, now: &Committed, clients: &Clients) -> Result<(), String> {
        if let Some(differs) = &now.differs {
            return Err(differs.clone());
        }
        self.check_rows(now)?;
        self.check_tries(now, clients)?;
        check_numbers(now, clients)
    }

    fn check_rows(&mut self, now: &Committed) -> Result<(), String> {
        let here: BTreeMap<&str, &Past> = now.history.iter().map(|past| (past.id.as_str(), past)).collect();
        if let Some(gone) = self.rows.values().find(|past| here.get(past.id.as_str()) != Some(past)) {
            return Err(format!("{gone:?} was written down, now there is {:?}", here.get(gone.id.as_str())));
        }
        self.rows.extend(now.history.iter().map(|past| (past.id.clone(), past.clone())));
        Ok(())
    }

    fn check_tries(&mut self, now: &Committed, clients: &Clients) -> Result<(), String> {
        let key = |one: &Try| (one.client.clone(), one.seq, one.number, one.at);
        let here: BTreeMap<TryKey, &Try> = now.tries.iter().map(|one| (key(one), one)).collect();
        let kept = self.tries.iter().filter(|(_, one)| !clients.removed.contains(&one.client));
        for (key, one) in kept {
            if here.get(key) != Some(&one) {
                return Err(format!("{one:?} had ended, now there is {:?}", here.get(key)));
            }
        }
        self.tries.extend(now.tries.iter().filter(|one| one.has_ended()).map(|one| (key(one), one.clone())));
        Ok(())
    }
}

/// Every try that an event counts is there, and no other.
fn check_numbers(now: &Committed, clients: &Clients) -> Result<(), String> {
    let mut numbers: BTreeMap<(&str, i64), BTreeSet<i64>> = BTreeMap::new();
    for one in &now.tries {
        numbers.entry((&one.client, one.seq)).or_default().insert(one.number);
    }
    for event in now.events.iter().filter(|event| !clients.removed.contains(&event.client)) {
        let made = numbers.get(&(event.client.as_str(), event.seq)).cloned().unwrap_or_default();
        if !made.iter().copied().eq(1..=event.tries) {
            return Err(format!("its tries are {made:?}: {event:?}"));
        }
    }
    Ok(())
}
