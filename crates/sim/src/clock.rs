//! Simulated time: one monotonic line on which everything happens, and a calendar that jumps.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use base::{Clock, Wall};

/// 2026-01-01T00:00:00Z.
const START_MS: i64 = 1_767_225_600_000;

#[derive(Default)]
struct Hands {
    us: AtomicU64,
    calendar_off_ms: AtomicI64,
    paused_ms: AtomicU64,
}

/// The simulated clock; clones show the same time.
#[derive(Clone, Default)]
pub struct SimClock(Arc<Hands>);

impl SimClock {
    /// Moves on to a moment; never back.
    pub fn advance_to(&self, us: u64) {
        self.0.us.fetch_max(us, Ordering::Relaxed);
    }

    /// Microseconds since the beginning.
    pub fn now_us(&self) -> u64 {
        self.0.us.load(Ordering::Relaxed)
    }

    /// The calendar jumps.
    pub fn jump(&self, ms: i64) {
        self.0.calendar_off_ms.fetch_add(ms, Ordering::Relaxed);
    }

    /// The process stood still for so long, until now.
    pub fn paused(&self, ms: u64) {
        self.0.paused_ms.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Clock for SimClock {
    fn wall(&self) -> Wall {
        let ms = i64::try_from(self.now_us() / 1000).unwrap_or(i64::MAX);
        Wall(START_MS + ms + self.0.calendar_off_ms.load(Ordering::Relaxed))
    }

    fn monotonic_us(&self) -> u64 {
        self.now_us()
    }

    fn ran_ms(&self) -> u64 {
        (self.now_us() / 1000).saturating_sub(self.0.paused_ms.load(Ordering::Relaxed))
    }
}
