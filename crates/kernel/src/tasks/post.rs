//! What a dispatcher knows of one namespace: its desks, and the tasks that it runs there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::{Id, Ran, Wall};

use super::desk::Desk;
use crate::kernel::Namespace;

/// One namespace of a dispatcher.
pub(super) struct Post {
    pub(super) ns: Arc<Namespace>,
    state: Mutex<State>,
}

/// A task's turn at a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    /// Of this attempt.
    pub(super) attempt: i64,
    /// Cycles begun.
    cycles: u32,
    /// When it began.
    since: Ran,
}

/// A task goes on from checkpoint to checkpoint for so many cycles, or for so long; then others have their turn.
const TURN_CYCLES: u32 = 100;
const TURN_MS: u64 = 1_000;

impl Turn {
    pub(super) fn new(attempt: i64, now: Ran) -> Self {
        Self { attempt, cycles: 0, since: now }
    }

    /// Counts a cycle. Says whether another one may follow at once.
    fn begin_cycle(&mut self, now: Ran) -> bool {
        self.cycles += 1;
        self.cycles < TURN_CYCLES && now.since_ms(self.since) < TURN_MS
    }
}

/// What changes.
pub(super) struct State {
    /// By queue.
    pub(super) desks: Vec<Desk>,
    /// Tasks that run here.
    pub(super) running: BTreeMap<Id, Turn>,
    /// Tasks that the store says are ours, which we did not know of at the last look.
    suspects: BTreeSet<(Id, i64)>,
    /// Calendar and running time at the last round.
    pub(super) calendar: Option<(Wall, u64)>,
    /// Rounds that still pull tasks back, after the calendar went back.
    pub(super) pulls: u32,
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
            pulls: 0,
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
    /// A cycle of a task begins. Says whether another one may follow at once.
    pub(super) fn begin_cycle(&mut self, id: Id, now: Ran) -> bool {
        self.running.get_mut(&id).is_none_or(|turn| turn.begin_cycle(now))
    }

    /// An attempt is over. The end of an earlier one that comes late says nothing of the one that runs now.
    pub(super) fn end(&mut self, id: Id, attempt: i64) {
        if self.running.get(&id).is_some_and(|turn| turn.attempt == attempt) {
            self.running.remove(&id);
        }
    }

    /// Of the tasks that the store says are ours, those that we know nothing of for the second time: at the first time their
    /// claim may still have been on its way to us.
    pub(super) fn forgotten(&mut self, owned: &[(Id, i64)]) -> Vec<(Id, i64)> {
        let unknown = |(id, attempt): &&(Id, i64)| self.running.get(id).is_none_or(|turn| turn.attempt != *attempt);
        let unknown: BTreeSet<(Id, i64)> = owned.iter().filter(unknown).copied().collect();
        let forgotten = unknown.intersection(&self.suspects).copied().collect();
        self.suspects = unknown;
        forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_20_a_turn_ends_after_many_cycles_or_after_a_second() {
        let mut quick = Turn::new(1, Ran(5));
        let followed = (0..TURN_CYCLES).filter(|_| quick.begin_cycle(Ran(6))).count();
        assert_eq!(followed, TURN_CYCLES as usize - 1);
        let mut slow = Turn::new(1, Ran(5));
        assert!(slow.begin_cycle(Ran(1_004)) && !slow.begin_cycle(Ran(1_005)));
    }
}
