//! For how long changes are kept, as the configuration says.

use std::sync::atomic::{AtomicI64, Ordering};

/// How long changes of documents are kept, for all namespaces of a kernel together.
#[derive(Debug)]
pub struct HistoryRule(AtomicI64);

impl Default for HistoryRule {
    fn default() -> Self {
        Self(AtomicI64::new(Self::AGE_MS))
    }
}

impl HistoryRule {
    /// 90 days.
    pub const AGE_MS: i64 = 90 * 86_400_000;

    /// Keeps changes for so long; 0 writes none down, and lets go what was written.
    pub fn set_age_ms(&self, age_ms: i64) {
        self.0.store(age_ms, Ordering::Relaxed);
    }

    pub(super) fn age_ms(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}
