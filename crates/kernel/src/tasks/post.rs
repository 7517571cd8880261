//! What a dispatcher knows of one namespace: its desks, and the tasks that it runs there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::{Id, Wall};

use super::desk::Desk;
use crate::kernel::Namespace;

/// One namespace of a dispatcher.
pub(super) struct Post {
    pub(super) ns: Arc<Namespace>,
    state: Mutex<State>,
}

/// What changes.
pub(super) struct State {
    /// By queue.
    pub(super) desks: Vec<Desk>,
    /// Tasks that run here, with their attempt.
    pub(super) running: BTreeMap<Id, i64>,
    /// Tasks that the store says are ours, which we did not know of at the last look.
    suspects: BTreeSet<(Id, i64)>,
    /// Calendar and running time at the last round.
    pub(super) calendar: Option<(Wall, u64)>,
    /// Something was not begun because the namespace was closed.
    pub(super) shut: bool,
    /// Rounds so far.
    pub(super) rounds: u64,
}

impl Post {
    pub(super) fn new(ns: Arc<Namespace>, workers: &[usize]) -> Self {
        let desks = workers.iter().map(|workers| Desk::new(*workers)).collect();
        let state = State {
            desks,
            running: BTreeMap::new(),
            suspects: BTreeSet::new(),
            calendar: None,
            shut: false,
            rounds: 0,
        };
        Self { ns, state: Mutex::new(state) }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // Every step leaves it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The desk of a queue; `None` for a queue that we have no workers for.
    pub(super) fn with_desk<T>(&self, queue: i64, with: impl FnOnce(&mut Desk) -> T) -> Option<T> {
        let queue = usize::try_from(queue).ok()?;
        self.state().desks.get_mut(queue).map(with)
    }
}

impl State {
    /// Of the tasks that the store says are ours, those that we know nothing of for the second time: at the first time their
    /// claim may still have been on its way to us.
    pub(super) fn forgotten(&mut self, owned: &[(Id, i64)]) -> Vec<(Id, i64)> {
        let unknown = |(id, attempt): &&(Id, i64)| self.running.get(id) != Some(attempt);
        let unknown: BTreeSet<(Id, i64)> = owned.iter().filter(unknown).copied().collect();
        let forgotten = unknown.intersection(&self.suspects).copied().collect();
        self.suspects = unknown;
        forgotten
    }
}
