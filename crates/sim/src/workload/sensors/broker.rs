//! A broker: a durable queue whose consumer has some messages at a time. What is not acknowledged when the connection ends is
//! delivered again, in order and before everything else.

use std::collections::VecDeque;

use crate::rng::Rng;

use super::voice::{Manner, Said};

/// Messages that a consumer has at a time.
const PREFETCH: usize = 12;

/// The queue.
#[derive(Default)]
pub(super) struct Broker {
    waiting: VecDeque<Said>,
    /// What the consumer has, and its number of that.
    delivered: Vec<Said>,
    delivery: u64,
    /// Until when nobody can reach it.
    pub(super) away_until_us: u64,
}

impl Broker {
    /// A sensor publishes. One that tells its signals apart may publish twice, if no confirmation came; those with times may also
    /// come in another order, because they took different ways.
    pub(super) fn publish(&mut self, said: Said, manner: Manner, rng: &mut Rng) {
        let doubled = manner != Manner::Plain && rng.once_in(6);
        let late = if manner == Manner::Timed && rng.once_in(5) { 1 + rng.below(4) } else { 0 };
        let at = self.waiting.len().saturating_sub(usize::try_from(late).unwrap_or(0));
        if doubled {
            self.waiting.push_back(said.clone());
        }
        self.waiting.insert(at.min(self.waiting.len()), said);
    }

    /// Whether nothing waits and nothing is delivered.
    pub(super) fn is_drained(&self) -> bool {
        self.waiting.is_empty() && self.delivered.is_empty()
    }

    /// Delivers, if the consumer has nothing now.
    pub(super) fn deliver(&mut self) -> Option<(u64, Vec<Said>)> {
        if self.waiting.is_empty() || !self.delivered.is_empty() {
            return None;
        }
        let many = self.waiting.len().min(PREFETCH);
        self.delivered = self.waiting.drain(..many).collect();
        self.delivery += 1;
        Some((self.delivery, self.delivered.clone()))
    }

    /// The consumer acknowledges a delivery; nothing, if its connection ended since.
    pub(super) fn acknowledge(&mut self, delivery: u64) -> Vec<Said> {
        if delivery != self.delivery { vec![] } else { std::mem::take(&mut self.delivered) }
    }

    /// The connection ends.
    pub(super) fn cut(&mut self) {
        self.delivery += 1;
        std::mem::take(&mut self.delivered).into_iter().rev().for_each(|said| self.waiting.push_front(said));
    }
}
