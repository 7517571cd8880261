//! The writer thread: takes what is queued, runs it as one batch, answers everybody after COMMIT.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base::limits::{BATCH_MAX, BATCH_US};
use base::{Clock, Health, Job, Outcome, StoreError, Urgency, run_batch};

use crate::checkpoint::Pressure;
use crate::core::SqliteCore;
use crate::hang::Hang;
use crate::queue::{Queue, Taken};
use crate::reserve::Reserve;

/// How often an idle or troubled writer looks whether things are better.
const LOOK_MS: u64 = 500;

/// What everyone may see of the store's state.
#[derive(Clone)]
pub(crate) struct SharedHealth(Arc<Mutex<Health>>);

impl SharedHealth {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Health::Good)))
    }

    pub(crate) fn get(&self) -> Health {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, health: Health) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::discriminant(&*held) != std::mem::discriminant(&health) {
            tracing::warn!(from = ?*held, to = ?health, "store health changed");
        }
        *held = health;
    }
}

/// Who may run now, looked at once per batch. In trouble only the look runs into the fault, not every caller; and what is
/// left of the room on a full disk is for work that ends something, also in a batch that such work has opened.
struct Gate {
    health: Health,
    is_broken: bool,
}

impl Gate {
    fn admit(&self, job: &dyn Job, now_us: u64) -> Result<(), StoreError> {
        if now_us > job.deadline_us() {
            return Err(StoreError::Expired);
        }
        match &self.health {
            Health::Good => Ok(()),
            Health::ReadOnly(_) if job.urgency() == Urgency::Ending && !self.is_broken => Ok(()),
            Health::ReadOnly(reason) if !self.is_broken => Err(StoreError::Full(reason.clone())),
            Health::ReadOnly(reason) | Health::Down(reason) => Err(StoreError::Unavailable(reason.clone())),
        }
    }
}

pub(crate) struct Writer {
    pub(crate) core: SqliteCore,
    pub(crate) queue: Arc<Queue>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) health: SharedHealth,
    pub(crate) reserve: Reserve,
    pub(crate) pressure: Arc<Pressure>,
    /// Rises with every look and every batch.
    pub(crate) progress: Arc<AtomicU64>,
    pub(crate) hang: Hang,
    pub(crate) looked_us: u64,
}

impl Writer {
    /// Runs until the queue has ended and is empty. A panic of the engine itself fails the jobs that it held (they hear
    /// that nobody knows), and the store is reopened.
    pub(crate) fn run(mut self) {
        loop {
            match catch_unwind(AssertUnwindSafe(|| self.step())) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => self.panicked(),
            }
        }
        if let Err(error) = self.core.finish() {
            tracing::warn!(%error, "the store was not closed cleanly; nothing committed is lost");
        }
    }

    /// Says whether there may be more to do.
    fn step(&mut self) -> bool {
        self.hang.here();
        self.progress.fetch_add(1, Ordering::Relaxed);
        match self.queue.take(Duration::from_millis(LOOK_MS), BATCH_MAX) {
            Taken::Jobs(jobs) => self.work(jobs),
            Taken::Nothing => {}
            Taken::Ended => return false,
        }
        self.progress.fetch_add(1, Ordering::Relaxed);
        self.look();
        true
    }

    fn panicked(&mut self) {
        tracing::error!("the writer panicked; the store is being reopened");
        self.core.distrust();
        self.health.set(Health::ReadOnly("the engine failed; the store is being reopened".into()));
    }

    /// Works off what was taken, batch by batch.
    fn work(&mut self, mut jobs: VecDeque<Box<dyn Job>>) {
        while let Some(job) = jobs.pop_front() {
            match self.gate().admit(job.as_ref(), self.clock.monotonic_us()) {
                Ok(()) => self.batch(job, &mut jobs),
                Err(error) => answer(job, Outcome::Failed(error)),
            }
        }
    }

    fn gate(&self) -> Gate {
        Gate { health: self.health.get(), is_broken: self.core.is_broken() }
    }

    /// One commit: `first`, what was taken with it, and what comes while it runs, until the batch is full or its time over.
    fn batch(&mut self, first: Box<dyn Job>, taken: &mut VecDeque<Box<dyn Job>>) {
        let begun_us = self.clock.monotonic_us();
        let (queue, clock, gate) = (self.queue.clone(), self.clock.clone(), self.gate());
        let (mut count, mut refused) = (1, vec![]);
        let mut more = || {
            while count < BATCH_MAX && clock.monotonic_us() < begun_us + BATCH_US {
                if taken.is_empty() {
                    *taken = queue.try_take(BATCH_MAX - count);
                }
                let job = taken.pop_front()?;
                match gate.admit(job.as_ref(), begun_us) {
                    Ok(()) => {
                        count += 1;
                        return Some(job);
                    }
                    Err(error) => refused.push((job, error)),
                }
            }
            None
        };
        let finished = run_batch(&mut self.core, first, &mut more);
        self.progress.fetch_add(1, Ordering::Relaxed);
        self.measure(begun_us, finished.len());
        self.judge(finished.iter().map(|(_, outcome)| outcome));
        finished.into_iter().for_each(|(job, outcome)| answer(job, outcome));
        self.core.commit_late();
        refused.into_iter().for_each(|(job, error)| answer(job, Outcome::Failed(error)));
        self.relieve();
    }

    fn measure(&self, begun_us: u64, jobs: usize) {
        let seconds = Duration::from_micros(self.clock.monotonic_us() - begun_us).as_secs_f64();
        metrics::histogram!("fastness_store_commit_seconds", "engine" => "sqlite").record(seconds);
        metrics::counter!("fastness_store_commits_total", "engine" => "sqlite").increment(1);
        metrics::counter!("fastness_store_operations_total", "engine" => "sqlite").increment(jobs as u64);
    }

    fn judge<'a>(&self, mut outcomes: impl Iterator<Item = &'a Outcome>) {
        if self.core.is_broken() {
            self.reserve.give_up();
            self.health.set(Health::ReadOnly("the disk refuses writes; the store is being reopened".into()));
        } else if let Some(Outcome::Failed(StoreError::Full(reason))) =
            outcomes.find(|outcome| matches!(outcome, Outcome::Failed(StoreError::Full(_))))
        {
            self.reserve.give_up();
            self.health.set(Health::ReadOnly(reason.clone()));
        }
    }

    /// In trouble, tries now and then whether it is over; callers are refused meanwhile without touching the disk.
    fn look(&mut self) {
        let now_us = self.clock.monotonic_us();
        if self.health.get() == Health::Good || now_us < self.looked_us + LOOK_MS * 1000 {
            return;
        }
        self.looked_us = now_us;
        if self.core.is_broken()
            && let Err(error) = self.core.reopen()
        {
            return tracing::warn!(%error, "the store cannot be reopened yet");
        }
        match self.reserve.make() {
            Ok(()) => self.health.set(Health::Good),
            Err(error) => self.health.set(Health::ReadOnly(format!("no room for the reserve: {error}"))),
        }
    }

    /// Helps the checkpointer when the WAL outgrows its bound: little is left to copy then, and the WAL starts anew.
    fn relieve(&mut self) {
        if self.pressure.take()
            && let Err(error) = self.core.checkpoint()
        {
            tracing::warn!(%error, "checkpoint failed");
        }
    }
}

/// Tells a job its outcome; a panic in there is the caller's, not the store's.
pub(crate) fn answer(job: Box<dyn Job>, outcome: Outcome) {
    let name = job.name();
    if catch_unwind(AssertUnwindSafe(|| job.done(outcome))).is_err() {
        tracing::error!(job = name, "the receiver of an outcome panicked");
    }
}
