//! A message broker as services see it: batches that are offered until their outcome is durable, messages that are confirmed.
//!
//! The host speaks AMQP; the simulator plays the broker. What a broker promises is little: a message may come twice, late and out
//! of order, and one that was not acknowledged comes again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::time::Wall;

/// One message of a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// What was sent.
    pub body: Vec<u8>,
    /// The sender's own name for the message (AMQP `message-id`), the same each time that it comes.
    ///
    /// The time that AMQP may carry beside it is not here: it has full seconds only, in which a door opens and closes.
    pub id: Option<String>,
    /// Whether it may have been offered before, to us or to another node.
    pub redelivered: bool,
}

/// What became of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// Its outcome is durable: it is acknowledged and never comes again.
    Done,
    /// Not now, at no fault of its own (the store is away): it stays unacknowledged and is offered again.
    Again,
}

/// Is told once what became of each delivery of a batch, in their order. One that is dropped untold says [`Taken::Again`] of all.
pub type Settle = Box<dyn FnOnce(Vec<Taken>) + Send>;

/// Takes what a queue delivers.
///
/// A message that cannot be understood is `Done` once that is recorded: `Again` holds up everything behind it.
pub trait Sink: Send + Sync {
    /// Takes a batch. Batches come in the order of the queue, the next one possibly before the last one is settled; none is empty.
    /// Must not block.
    fn take(&self, batch: Arc<[Delivery]>, settle: Settle);

    /// The queue was empty a moment ago, and all that it had delivered until then is done. Told about every five seconds while
    /// that is so.
    fn level(&self);
}

/// Is told once what became of a message: `Ok` when the broker has it and keeps it over a restart, else why that is not known.
pub type Confirm = Box<dyn FnOnce(Result<(), String>) + Send>;

/// Sends messages to queues.
pub trait Publisher: Send + Sync {
    /// Sends a message. Must not block; what finds no room is told at once.
    fn send(&self, queue: &str, body: Vec<u8>, confirm: Confirm);
}

/// How it stands with a broker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrokerState {
    /// Whether there is a working connection.
    pub connected: bool,
    /// Messages that waited in the queue at the last look; unknown before the first.
    pub backlog: Option<u64>,
    /// Deliveries that are not yet done.
    pub in_flight: u64,
    /// Deliveries that were done, or messages that were confirmed, since the start.
    pub done: u64,
    /// What went wrong last, and when.
    pub last_error: Option<(Wall, String)>,
}

/// A [`BrokerState`] that its owner writes and others look at.
#[derive(Debug, Default)]
pub struct BrokerWatch(Mutex<BrokerState>);

impl BrokerWatch {
    /// How it stands now.
    #[must_use]
    pub fn state(&self) -> BrokerState {
        self.lock().clone()
    }

    /// Writes what changed.
    pub fn update(&self, change: impl FnOnce(&mut BrokerState)) {
        change(&mut self.lock());
    }

    /// The connection is gone, or never was.
    pub fn lost(&self, now: Wall, why: &str) {
        self.update(|state| {
            let done = state.done;
            *state = BrokerState { done, last_error: Some((now, why.to_owned())), ..BrokerState::default() };
        });
    }

    fn lock(&self) -> MutexGuard<'_, BrokerState> {
        // Every change leaves it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
