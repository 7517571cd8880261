//! Whether the store takes work, and when somebody should look whether that is still so.
//!
//! While it is shut, jobs are answered at once and do not pile up. One worker looks at the server again and again, and
//! opens the gate by itself. An idle store is looked at, too, only more rarely: a health page must not be the last to know.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base::{Health, StoreError, Urgency};

/// How often a shut gate is looked at.
const PROBE_US: u64 = 500_000;
/// How often an open gate is looked at through which nobody went.
const IDLE_US: u64 = 5_000_000;
/// After this time somebody else may look, should the one who began not have come back.
const PROBE_LOST_US: u64 = 30_000_000;

/// What the gate lets through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// Everything.
    Good,
    /// Reads, and work that ends work: the server's disk is full.
    Full(String),
    /// Reads: the server takes no writes.
    NoWrites(String),
    /// Nothing.
    Down(String),
}

pub(crate) struct Gate {
    inner: Mutex<Inner>,
    /// When the server last did something for us.
    heard_us: AtomicU64,
}

struct Inner {
    state: State,
    probe_at_us: u64,
}

impl Gate {
    pub(crate) fn new(now_us: u64) -> Self {
        let inner = Inner { state: State::Good, probe_at_us: 0 };
        Self { inner: Mutex::new(inner), heard_us: AtomicU64::new(now_us) }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state(&self) -> State {
        self.inner().state.clone()
    }

    pub(crate) fn health(&self) -> Health {
        match self.state() {
            State::Good => Health::Good,
            State::Full(reason) | State::NoWrites(reason) => Health::ReadOnly(reason),
            State::Down(reason) => Health::Down(reason),
        }
    }

    /// Why a write is refused now, if it is.
    pub(crate) fn refuses_write(&self, urgency: Urgency) -> Option<StoreError> {
        match (&self.inner().state, urgency) {
            (State::Good, _) | (State::Full(_), Urgency::Ending) => None,
            (State::Full(reason), Urgency::Normal) => Some(StoreError::Full(reason.clone())),
            (State::NoWrites(reason) | State::Down(reason), _) => Some(StoreError::Unavailable(reason.clone())),
        }
    }

    /// Why a read is refused now, if it is.
    pub(crate) fn refuses_read(&self) -> Option<StoreError> {
        match &self.inner().state {
            State::Good | State::Full(_) | State::NoWrites(_) => None,
            State::Down(reason) => Some(StoreError::Unavailable(reason.clone())),
        }
    }

    pub(crate) fn shut(&self, reason: &str) {
        self.turn(State::Down(reason.to_owned()));
    }

    pub(crate) fn refuse_writes(&self, reason: &str) {
        self.turn(State::NoWrites(reason.to_owned()));
    }

    pub(crate) fn refuse_growth(&self, reason: &str) {
        self.turn(State::Full(reason.to_owned()));
    }

    fn turn(&self, state: State) {
        let mut inner = self.inner();
        if std::mem::discriminant(&inner.state) != std::mem::discriminant(&state) {
            tell(&state);
            // At once, also when somebody looks already: that one may be waiting on a connection that is dead.
            inner.probe_at_us = 0;
        }
        inner.state = state;
    }

    /// The server did something for us.
    pub(crate) fn hear(&self, now_us: u64) {
        self.heard_us.fetch_max(now_us, Ordering::Relaxed);
    }

    pub(crate) fn heard_lately(&self, now_us: u64) -> bool {
        now_us < self.heard_us.load(Ordering::Relaxed).saturating_add(IDLE_US)
    }

    /// Whether the caller should look at the server now; then it must tell by [`Gate::probed`].
    pub(crate) fn probe_is_due(&self, now_us: u64) -> bool {
        let mut inner = self.inner();
        let is_idle = !self.heard_lately(now_us);
        let is_due = now_us >= inner.probe_at_us && (inner.state != State::Good || is_idle);
        if is_due {
            inner.probe_at_us = now_us.saturating_add(PROBE_LOST_US);
        }
        is_due
    }

    /// What was found.
    pub(crate) fn probed(&self, found: State, now_us: u64) {
        if found == State::Good {
            self.hear(now_us);
        }
        self.turn(found);
        self.inner().probe_at_us = now_us.saturating_add(PROBE_US);
    }

    /// How long an idle worker may wait before it asks whether a probe is due.
    pub(crate) fn patience(&self) -> Duration {
        let us = if self.inner().state == State::Good { IDLE_US } else { PROBE_US };
        Duration::from_micros(us)
    }
}

fn tell(state: &State) {
    match state {
        State::Good => tracing::info!("the store takes reads and writes again"),
        State::Full(reason) => tracing::error!(reason, "the server's disk is full: new work is refused"),
        State::NoWrites(reason) => tracing::error!(reason, "the server takes no writes: they are refused"),
        State::Down(reason) => tracing::error!(reason, "the server cannot be reached: all work is refused"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shut_gate_refuses_and_is_probed_by_one() {
        let gate = Gate::new(0);
        assert!(!gate.probe_is_due(10), "good and lately heard");
        gate.shut("gone");
        assert!(matches!(gate.refuses_write(Urgency::Ending), Some(StoreError::Unavailable(_))));
        assert!(gate.refuses_read().is_some());
        assert!(gate.probe_is_due(10));
        assert!(!gate.probe_is_due(11), "somebody looks already");
        gate.probed(State::Down("gone".into()), 20);
        assert!(!gate.probe_is_due(21) && gate.probe_is_due(20 + PROBE_US));
        gate.probed(State::Good, 30 + PROBE_US);
        assert_eq!(gate.health(), Health::Good);
        assert!(gate.refuses_write(Urgency::Normal).is_none());
    }

    #[test]
    fn a_full_disk_lets_work_end() {
        let gate = Gate::new(0);
        gate.refuse_growth("no room");
        assert_eq!(gate.refuses_write(Urgency::Normal), Some(StoreError::Full("no room".into())));
        assert_eq!(gate.refuses_write(Urgency::Ending), None);
        assert_eq!(gate.refuses_read(), None);
        assert_eq!(gate.health(), Health::ReadOnly("no room".into()));
    }

    #[test]
    fn an_idle_store_is_looked_at() {
        let gate = Gate::new(0);
        assert!(gate.probe_is_due(IDLE_US));
        gate.probed(State::Good, IDLE_US);
        assert!(!gate.probe_is_due(IDLE_US + PROBE_US));
    }

    #[test]
    fn a_probe_that_never_came_back_is_done_by_another() {
        let gate = Gate::new(0);
        gate.shut("gone");
        assert!(gate.probe_is_due(0));
        assert!(gate.probe_is_due(PROBE_LOST_US));
    }
}
