//! The scheduler behind a lock, where workers wait for jobs.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base::{Isolation, Job, Keys, StoreError};

use crate::scheduler::{Scheduler, Turn};
use crate::threads;

/// Jobs on their way to the workers.
pub(crate) struct Queue {
    inner: Mutex<Inner>,
    changed: Condvar,
}

struct Inner {
    scheduler: Scheduler<Box<dyn Job>>,
    is_closing: bool,
}

/// What a worker does next.
pub(crate) enum Next<'a> {
    Run(Box<dyn Job>, Held<'a>),
    /// Nothing came in time.
    Idle,
    /// Nothing will come any more.
    Stop,
}

/// A turn that is given back also when the worker panics.
pub(crate) struct Held<'a> {
    queue: &'a Queue,
    turn: Option<Turn>,
}

impl Queue {
    pub(crate) fn new(waiting_max: usize) -> Self {
        let inner = Inner { scheduler: Scheduler::new(waiting_max), is_closing: false };
        Self { inner: Mutex::new(inner), changed: Condvar::new() }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a job in, or gives it back with the reason.
    pub(crate) fn submit(&self, job: Box<dyn Job>, keys: Keys, isolation: Isolation) -> Result<(), Refused> {
        let mut inner = self.inner();
        if inner.is_closing {
            return Err(Refused { job, error: StoreError::Unavailable("the store is closed".into()) });
        }
        let runs = match inner.scheduler.push(job, keys, isolation) {
            Ok(runs) => runs,
            Err(job) => return Err(Refused { job, error: StoreError::Overloaded }),
        };
        drop(inner);
        if runs {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// Waits for a job, at most `patience`.
    pub(crate) fn next(&self, patience: Duration) -> Next<'_> {
        let mut inner = self.inner();
        let mut has_waited = false;
        loop {
            if let Some((job, turn)) = inner.scheduler.take() {
                if inner.is_closing && inner.scheduler.len() == 0 {
                    self.changed.notify_all();
                }
                return Next::Run(job, Held { queue: self, turn: Some(turn) });
            }
            if inner.is_closing && inner.scheduler.len() == 0 {
                return Next::Stop;
            }
            if has_waited {
                return Next::Idle;
            }
            inner = threads::wait(&self.changed, inner, patience);
            has_waited = true;
        }
    }

    /// Gives back all that wait.
    pub(crate) fn drain(&self) -> Vec<Box<dyn Job>> {
        let drained = self.inner().scheduler.drain();
        self.changed.notify_all();
        drained
    }

    /// Takes no more jobs; workers stop when nothing waits.
    pub(crate) fn close(&self) {
        self.inner().is_closing = true;
        self.changed.notify_all();
    }

    pub(crate) fn len(&self) -> usize {
        self.inner().scheduler.len()
    }
}

/// A job that was not taken in.
pub(crate) struct Refused {
    pub(crate) job: Box<dyn Job>,
    pub(crate) error: StoreError,
}

impl Held<'_> {
    /// Another job for the same transaction: of the same key, or else any if more than `spare` are ready.
    pub(crate) fn more(&mut self, spare: usize) -> Option<Box<dyn Job>> {
        let turn = self.turn.as_mut()?;
        let mut inner = self.queue.inner();
        let job = inner.scheduler.take_same_key(turn).or_else(|| inner.scheduler.take_other(turn, spare))?;
        if inner.is_closing && inner.scheduler.len() == 0 {
            self.queue.changed.notify_all();
        }
        Some(job)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        let freed = self.queue.inner().scheduler.finish(turn);
        for _ in 0..freed {
            self.queue.changed.notify_one();
        }
    }
}
