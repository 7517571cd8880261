//! What a namespace keeps in memory for watching over it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::setting::Setting;
use crate::alerts::summary::Summary;
use crate::counters::Counters;
use crate::journal::Later;

/// What a namespace keeps in memory; lost with the process, bounded.
#[derive(Default)]
pub struct Watched {
    /// What was counted and not flushed yet.
    pub counters: Counters,
    /// Lines that wait for the store.
    pub later: Later,
    alerts: Mutex<Summary>,
    /// The settings that are known to be in the store.
    configured: Mutex<Vec<Setting>>,
}

impl Watched {
    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How alerts stood at the last look, a few seconds ago.
    #[must_use]
    pub fn alerts(&self) -> Summary {
        Self::lock(&self.alerts).clone()
    }

    pub(crate) fn looked(&self, summary: Summary) {
        *Self::lock(&self.alerts) = summary;
    }

    pub(crate) fn is_configured(&self, settings: &[Setting]) -> bool {
        *Self::lock(&self.configured) == settings
    }

    pub(crate) fn configured(&self, settings: Vec<Setting>) {
        *Self::lock(&self.configured) = settings;
    }
}
