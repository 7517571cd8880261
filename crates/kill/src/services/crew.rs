//! What those who work know of each other: whether it is over, and how far each service got.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A service, as whoever counts knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trade {
    Documents,
    Attachments,
    Exchange,
    Workflow,
    Sensors,
    Folders,
}

impl Trade {
    pub(super) const ALL: [Self; 6] =
        [Self::Documents, Self::Attachments, Self::Exchange, Self::Workflow, Self::Sensors, Self::Folders];
}

/// Shared by all.
#[derive(Default)]
pub(super) struct Crew {
    is_over: AtomicBool,
    done: [AtomicU64; Trade::ALL.len()],
}

impl Crew {
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    pub(super) fn ring(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// One more was done from its beginning to its end.
    pub(super) fn did(&self, trade: Trade) {
        self.done[trade as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// How many were done, in the order of [`Trade::ALL`].
    pub(super) fn done(&self) -> [u64; Trade::ALL.len()] {
        self.done.each_ref().map(|done| done.load(Ordering::Relaxed))
    }
}
