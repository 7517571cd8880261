//! Whoever brought signals is told once, when all of theirs are settled.

use std::sync::{Arc, Mutex, PoisonError};

use base::OpResult;

use crate::judging::Outcome;

/// Told what became of each signal, in their order, from any thread; must return quickly.
pub type Settled = Box<dyn FnOnce(Vec<OpResult<Outcome>>) + Send>;

/// Signals that were brought together.
pub(super) struct Ticket(Mutex<Open>);

struct Open {
    outcomes: Vec<Option<OpResult<Outcome>>>,
    left: usize,
    done: Option<Settled>,
}

impl Ticket {
    pub(super) fn new(many: usize, done: Settled) -> Arc<Self> {
        let open = Open { outcomes: (0..many).map(|_| None).collect(), left: many, done: Some(done) };
        let ticket = Arc::new(Self(Mutex::new(open)));
        // Nothing was brought: nothing will come.
        ticket.settle_all(vec![]);
        ticket
    }

    pub(super) fn settle(&self, place: usize, outcome: OpResult<Outcome>) {
        self.settle_all(vec![(place, outcome)]);
    }

    pub(super) fn settle_all(&self, settled: Vec<(usize, OpResult<Outcome>)>) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (place, outcome) in settled {
            open.left -= usize::from(open.outcomes[place].is_none());
            open.outcomes[place] = Some(outcome);
        }
        if open.left > 0 {
            return;
        }
        let (done, outcomes) = (open.done.take(), std::mem::take(&mut open.outcomes));
        drop(open);
        if let Some(done) = done {
            done(outcomes.into_iter().flatten().collect());
        }
    }
}
