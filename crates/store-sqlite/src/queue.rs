//! A bounded queue of jobs, oldest first, with an end.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base::{Job, Outcome, StoreError, Ticket};

/// What a taker gets.
pub(crate) enum Taken {
    /// The oldest jobs, at least one.
    Jobs(VecDeque<Box<dyn Job>>),
    /// Nothing came within the time.
    Nothing,
    /// Nothing will come any more.
    Ended,
}

struct State {
    jobs: VecDeque<Box<dyn Job>>,
    ended: bool,
}

impl State {
    fn first(&mut self, max: usize) -> VecDeque<Box<dyn Job>> {
        if self.jobs.len() <= max {
            return std::mem::take(&mut self.jobs);
        }
        let rest = self.jobs.split_off(max);
        std::mem::replace(&mut self.jobs, rest)
    }
}

/// The queue.
pub(crate) struct Queue {
    state: Mutex<State>,
    came: Condvar,
    max: usize,
}

impl Queue {
    pub(crate) fn new(max: usize) -> Self {
        let state = Mutex::new(State { jobs: VecDeque::new(), ended: false });
        Self { state, came: Condvar::new(), max }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a job, or answers it at once if it cannot be queued.
    pub(crate) fn push(&self, job: Box<dyn Job>) {
        let mut state = self.lock();
        let refusal = match &*state {
            state if state.ended => Some(StoreError::Unavailable("the store is closed".into())),
            state if state.jobs.len() >= self.max => Some(StoreError::Overloaded),
            _ => None,
        };
        if let Some(error) = refusal {
            drop(state);
            return job.done(Outcome::Failed(error));
        }
        state.jobs.push_back(Ticket::of(job));
        drop(state);
        self.came.notify_one();
    }

    /// Waits for the oldest jobs, `max` at most: many under one lock, because callers fight for it too.
    pub(crate) fn take(&self, wait: Duration, max: usize) -> Taken {
        let state = self.lock();
        let idle = |state: &mut State| state.jobs.is_empty() && !state.ended;
        let (mut state, _) = self.came.wait_timeout_while(state, wait, idle).unwrap_or_else(PoisonError::into_inner);
        match state.first(max) {
            jobs if !jobs.is_empty() => Taken::Jobs(jobs),
            _ if state.ended => Taken::Ended,
            _ => Taken::Nothing,
        }
    }

    /// The oldest jobs, `max` at most, without waiting.
    pub(crate) fn try_take(&self, max: usize) -> VecDeque<Box<dyn Job>> {
        self.lock().first(max)
    }

    /// Nothing more may come; what is queued is still taken.
    pub(crate) fn end(&self) {
        self.lock().ended = true;
        self.came.notify_all();
    }

    /// Ends and answers what is queued: the last resort of a taker that cannot go on.
    pub(crate) fn refuse_all(&self, reason: &str) {
        self.end();
        for job in self.try_take(usize::MAX) {
            job.done(Outcome::Failed(StoreError::Unavailable(reason.to_owned())));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().jobs.len()
    }
}
