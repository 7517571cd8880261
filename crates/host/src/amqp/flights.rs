//! Batches that were handed to the sink of one session, and their answers.
//!
//! Each session has its own: what a sink says of a batch after its connection is gone reaches nobody.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Delivery, Settle, Sink, Taken};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Deliveries with their tags.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    pub(super) tags: Vec<u64>,
    pub(super) deliveries: Arc<[Delivery]>,
}

/// A batch that came back.
#[derive(Debug, Default)]
pub(super) struct Settled {
    pub(super) done: Vec<u64>,
    /// What must be offered again.
    pub(super) again: Option<Batch>,
}

/// Batches in flight.
pub(super) struct Flights {
    out: BTreeMap<u64, Batch>,
    next: u64,
    answer: UnboundedSender<(u64, Vec<Taken>)>,
    answers: UnboundedReceiver<(u64, Vec<Taken>)>,
}

impl Flights {
    pub(super) fn new() -> Self {
        let (answer, answers) = unbounded_channel();
        Self { out: BTreeMap::new(), next: 0, answer, answers }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Hands a batch to the sink.
    pub(super) fn begin(&mut self, sink: &dyn Sink, batch: Batch) {
        let deliveries = batch.deliveries.clone();
        self.next += 1;
        self.out.insert(self.next, batch);
        sink.take(deliveries, promise(self.next, self.answer.clone()));
    }

    /// The next batch that comes back.
    pub(super) async fn settled(&mut self) -> Settled {
        // Never the end: we hold one of the senders ourselves.
        let (number, taken) = self.answers.recv().await.unwrap_or_default();
        self.settle(number, &taken)
    }

    /// Another one that came back already.
    pub(super) fn settled_already(&mut self) -> Option<Settled> {
        let (number, taken) = self.answers.try_recv().ok()?;
        Some(self.settle(number, &taken))
    }

    fn settle(&mut self, number: u64, taken: &[Taken]) -> Settled {
        self.out.remove(&number).map(|batch| part(batch, taken)).unwrap_or_default()
    }
}

/// Parts a batch by what was said; of whom nothing was said, nothing is known.
fn part(batch: Batch, taken: &[Taken]) -> Settled {
    let is_done = |at: usize| taken.get(at) == Some(&Taken::Done);
    let (done, again): (Vec<usize>, Vec<usize>) = (0..batch.tags.len()).partition(|at| is_done(*at));
    let tags = |places: &[usize]| places.iter().map(|at| batch.tags[*at]).collect::<Vec<_>>();
    let rest = match again.len() {
        0 => None,
        count if count == batch.tags.len() => Some(batch.clone()),
        _ => {
            let deliveries = again.iter().map(|at| batch.deliveries[*at].clone()).collect();
            Some(Batch { tags: tags(&again), deliveries })
        }
    };
    Settled { done: tags(&done), again: rest }
}

/// Told or dropped, it answers once.
fn promise(number: u64, answer: UnboundedSender<(u64, Vec<Taken>)>) -> Settle {
    let mut promise = Promise { number, answer: Some(answer) };
    Box::new(move |taken| promise.keep(taken))
}

struct Promise {
    number: u64,
    answer: Option<UnboundedSender<(u64, Vec<Taken>)>>,
}

impl Promise {
    fn keep(&mut self, taken: Vec<Taken>) {
        if let Some(answer) = self.answer.take() {
            // Nobody listens any more when the connection is gone.
            let _ = answer.send((self.number, taken));
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        self.keep(vec![]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(tags: &[u64]) -> Batch {
        let delivery = |tag: &u64| Delivery { body: tag.to_le_bytes().into(), id: None, redelivered: false };
        Batch { tags: tags.into(), deliveries: tags.iter().map(delivery).collect() }
    }

    #[test]
    fn sen_2_a_batch_is_parted_by_what_was_said_of_it() {
        let Settled { done, again } = part(batch(&[4, 5, 6]), &[Taken::Done, Taken::Again, Taken::Done]);
        let again = again.unwrap();
        assert_eq!((done, again.tags), (vec![4, 6], vec![5]));
        assert_eq!(again.deliveries[..], batch(&[5]).deliveries[..]);
        let Settled { done, again } = part(batch(&[4, 5]), &[Taken::Done]);
        assert_eq!((done, again.unwrap().tags), (vec![4], vec![5]), "nothing was said of the second");
        assert!(part(batch(&[4]), &[Taken::Done]).again.is_none());
    }

    #[test]
    fn sen_2_an_answer_that_is_dropped_says_again() {
        struct Forgetful;
        impl Sink for Forgetful {
            fn take(&self, _: Arc<[Delivery]>, _: Settle) {}
            fn level(&self) {}
        }
        let mut flights = Flights::new();
        flights.begin(&Forgetful, batch(&[1, 2]));
        assert!(!flights.is_empty());
        let settled = flights.settled_already().unwrap();
        assert_eq!((settled.done, settled.again.unwrap().tags), (vec![], vec![1, 2]));
        assert!(flights.is_empty());
    }
}
