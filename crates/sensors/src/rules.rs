//! What an operator may set, for all namespaces together (`home.common::<Rules>()`).

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use base::Reach;
use kernel::Home;

/// How long history is kept, if nothing else is said: a year.
const HISTORY_KEPT_MS: i64 = 365 * 86_400_000;

/// The rules.
#[derive(Debug)]
pub struct Rules {
    /// Whether every accepted signal is written down, not only those that changed something (`sensors.history`).
    all_signals: AtomicBool,
    /// How long history, events and attempts are kept.
    history_ms: AtomicI64,
    /// Whether clients may be told at addresses that are not of the public internet (`outbound.allow_private`).
    allow_private: AtomicBool,
}

impl Default for Rules {
    fn default() -> Self {
        let history_ms = AtomicI64::new(HISTORY_KEPT_MS);
        Self { all_signals: AtomicBool::new(false), history_ms, allow_private: AtomicBool::new(false) }
    }
}

impl Rules {
    /// Sets what is written down, and for how long.
    pub fn set_history(&self, all_signals: bool, kept_ms: i64) {
        self.all_signals.store(all_signals, Ordering::Relaxed);
        self.history_ms.store(kept_ms, Ordering::Relaxed);
    }

    /// Whether every accepted signal is written down.
    #[must_use]
    pub fn all_signals(&self) -> bool {
        self.all_signals.load(Ordering::Relaxed)
    }

    /// How long history is kept.
    #[must_use]
    pub fn history_ms(&self) -> i64 {
        self.history_ms.load(Ordering::Relaxed)
    }

    /// Sets whether clients may be told at addresses that are not of the public internet.
    pub fn set_allow_private(&self, allow: bool) {
        self.allow_private.store(allow, Ordering::Relaxed);
    }

    /// Whether they may. Only what is plain from a URL is judged by this; the address that is connected to is judged again by
    /// whoever connects.
    #[must_use]
    pub fn allow_private(&self) -> bool {
        self.allow_private.load(Ordering::Relaxed)
    }
}

/// Where clients of a namespace may be told.
pub(crate) fn reach(home: &Home) -> Reach {
    match (home.common::<Rules>().allow_private(), home.temporary) {
        (true, _) => Reach::All,
        (false, true) => Reach::Near,
        (false, false) => Reach::Public,
    }
}
