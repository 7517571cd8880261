//! How long older versions are kept where a directory does not say it.

use std::sync::atomic::{AtomicI64, Ordering};

/// Half a year.
const KEPT_MS: i64 = 180 * 86_400_000;

/// What an operator says.
pub struct Rules {
    kept_ms: AtomicI64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { kept_ms: AtomicI64::new(KEPT_MS) }
    }
}

impl Rules {
    /// Older versions are kept for so long, unless their directory says otherwise.
    pub fn keep(&self, ms: i64) {
        self.kept_ms.store(ms, Ordering::Relaxed);
    }

    /// For how long.
    #[must_use]
    pub fn kept_ms(&self) -> i64 {
        self.kept_ms.load(Ordering::Relaxed)
    }
}
