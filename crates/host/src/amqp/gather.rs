//! Gathers deliveries into batches: what is there, and a moment longer while others are in flight anyway.

use std::time::Duration;

use base::Delivery;
use tokio::time::Instant;

use super::flights::Batch;

/// How long a delivery waits for others while the sink is busy.
const WAIT: Duration = Duration::from_millis(2);
/// Most deliveries of a batch.
const BATCH_MAX: usize = 500;

/// Deliveries that were not handed on yet.
pub(super) struct Gather {
    tags: Vec<u64>,
    deliveries: Vec<Delivery>,
    max: usize,
    /// When the first of them has waited long enough.
    until: Option<Instant>,
}

impl Gather {
    /// With batches of a quarter of what may be on its way, so that some are made while others are in flight.
    pub(super) fn new(prefetch: u16) -> Self {
        let max = BATCH_MAX.min(usize::from(prefetch) / 4).max(1);
        Self { tags: vec![], deliveries: vec![], max, until: None }
    }

    pub(super) fn add(&mut self, tag: u64, delivery: Delivery) {
        if self.tags.is_empty() {
            self.until = Some(Instant::now() + WAIT);
        }
        self.tags.push(tag);
        self.deliveries.push(delivery);
    }

    pub(super) fn is_full(&self) -> bool {
        self.tags.len() >= self.max
    }

    /// When to hand on what is there; `None` when nothing is.
    pub(super) fn until(&self) -> Option<Instant> {
        self.until
    }

    /// What is there.
    pub(super) fn take(&mut self) -> Option<Batch> {
        self.until = None;
        let (tags, deliveries) = (std::mem::take(&mut self.tags), std::mem::take(&mut self.deliveries));
        (!tags.is_empty()).then(|| Batch { tags, deliveries: deliveries.into() })
    }
}
