//! What a namespace keeps in memory for watching over it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use base::Wall;

use super::setting::Setting;
use crate::alerts::summary::Summary;
use crate::counters::{Counters, TASK};
use crate::journal::Later;
use crate::overview::StuckCounts;

/// What a namespace keeps in memory; lost with the process, bounded.
#[derive(Default)]
pub struct Watched {
    /// What was counted and not flushed yet.
    pub counters: Counters,
    /// Lines that wait for the store.
    pub later: Later,
    alerts: Mutex<Summary>,
    stuck: Mutex<StuckCounts>,
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

    /// What was stuck at the last look, a few seconds ago.
    #[must_use]
    pub fn stuck(&self) -> StuckCounts {
        *Self::lock(&self.stuck)
    }

    pub(crate) fn counted_stuck(&self, counts: StuckCounts) {
        *Self::lock(&self.stuck) = counts;
    }

    /// Whether tasks that are overdue wait while this node has begun none of any kind for a minute: nothing moves.
    #[must_use]
    pub fn stands_still(&self, now: Wall) -> bool {
        self.stuck().tasks > 0 && self.counters.is_idle(TASK, now)
    }

    pub(crate) fn is_configured(&self, settings: &[Setting]) -> bool {
        *Self::lock(&self.configured) == settings
    }

    pub(crate) fn configured(&self, settings: Vec<Setting>) {
        *Self::lock(&self.configured) = settings;
    }
}
