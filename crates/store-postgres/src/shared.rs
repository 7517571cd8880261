//! What the store, its workers and its readers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use base::{Clock, Entropy, Job, Outcome, StoreError, StoreResult};

use crate::PostgresConfig;
use crate::bell::Bell;
use crate::counters::Tally;
use crate::figures::Figures;
use crate::gate::Gate;
use crate::link::Address;
use crate::queue::Queue;
use crate::width::Width;

pub(crate) struct Shared {
    pub(crate) config: PostgresConfig,
    pub(crate) address: Address,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) counters: Tally,
    pub(crate) gate: Gate,
    pub(crate) writes: Queue,
    pub(crate) reads: Queue,
    /// How many jobs of different keys share a transaction.
    pub(crate) width: Width,
    /// Words between nodes.
    pub(crate) bell: Bell,
    /// What it takes up.
    pub(crate) figures: Figures,
    /// See [`crate::heard`].
    heard_shift_ms: AtomicI64,
}

impl Shared {
    pub(crate) fn new(
        config: PostgresConfig,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> StoreResult<Arc<Self>> {
        Ok(Arc::new(Self {
            address: Address::new(&config)?,
            counters: Tally::default(),
            gate: Gate::new(clock.monotonic_us()),
            writes: Queue::new(config.queue_max),
            reads: Queue::new(config.queue_max),
            width: Width::new(config.mixed_max),
            bell: Bell::default(),
            figures: Figures::default(),
            heard_shift_ms: AtomicI64::new(0),
            config,
            clock,
            entropy,
        }))
    }

    /// How far the store's listening time is from the server's clock.
    pub(crate) fn heard_shift_ms(&self) -> i64 {
        self.heard_shift_ms.load(Ordering::Relaxed)
    }

    pub(crate) fn shift_heard(&self, shift_ms: i64) {
        self.heard_shift_ms.store(shift_ms, Ordering::Relaxed);
    }

    pub(crate) fn now_us(&self) -> u64 {
        self.clock.monotonic_us()
    }

    /// The server is gone: those that wait are told now, and who comes is told at once.
    pub(crate) fn go_down(&self, reason: &str) {
        self.gate.shut(reason);
        let waiting = self.writes.drain().into_iter().chain(self.reads.drain());
        waiting.for_each(|job| refuse(job, StoreError::Unavailable(reason.to_owned())));
    }

    /// The job, unless its time has passed: then it hears so.
    pub(crate) fn unless_expired(&self, job: Box<dyn Job>) -> Option<Box<dyn Job>> {
        if job.deadline_us() >= self.now_us() {
            return Some(job);
        }
        refuse(job, StoreError::Expired);
        None
    }
}

pub(crate) fn refuse(job: Box<dyn Job>, error: StoreError) {
    job.done(Outcome::Failed(error));
}
