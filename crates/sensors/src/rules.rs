//! What an operator may set, for all namespaces together (`home.common::<Rules>()`).

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// How long history is kept, if nothing else is said: a year.
const HISTORY_KEPT_MS: i64 = 365 * 86_400_000;

/// The rules.
#[derive(Debug)]
pub struct Rules {
    /// Whether every accepted signal is written down, not only those that changed something (`sensors.history`).
    all_signals: AtomicBool,
    /// How long history, events and attempts are kept.
    history_ms: AtomicI64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { all_signals: AtomicBool::new(false), history_ms: AtomicI64::new(HISTORY_KEPT_MS) }
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
}
