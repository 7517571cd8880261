//! Processes of many tasks whose graph was found to be lost: it is made anew in a read, not by whoever needs it. Whoever watches asks for
//! them here; should the server die before, the time of the process comes.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Processes that are kept in mind.
const MOST: usize = 1_000;

/// What a node found in a namespace.
#[derive(Default)]
pub(crate) struct LostGraphs(Mutex<BTreeSet<String>>);

impl LostGraphs {
    /// The graph of a process is lost.
    pub(crate) fn tell(&self, process: &str) {
        let mut lost = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lost.len() < MOST {
            lost.insert(process.to_owned());
        }
    }

    /// All that were told.
    pub(super) fn take(&self) -> BTreeSet<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
