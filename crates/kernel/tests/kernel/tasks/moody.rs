//! A store whose disk is full or which cannot be written for a while.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use base::{Engine, Health, Job, Migration, Outcome, Sql, Store, StoreError, StoreResult, Tx, Urgency, Verdict};
use store_sqlite::InlineStore;

/// How the store feels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Good,
    /// Only what ends work is taken.
    Full,
    /// Nothing is written.
    Down,
    /// Nothing is written, and nobody has noticed yet.
    Away,
    /// What gives tasks back is written, and nobody hears of it.
    Vague,
    /// Claims are taken in and not begun.
    Slow,
}

pub struct MoodyStore {
    inner: InlineStore,
    mood: Mutex<Mood>,
    waiting: Mutex<Vec<Box<dyn Job>>>,
    asked: AtomicUsize,
}

impl MoodyStore {
    pub fn new(inner: InlineStore) -> Self {
        Self { inner, mood: Mutex::new(Mood::Good), waiting: Mutex::default(), asked: AtomicUsize::new(0) }
    }

    /// What was not begun is begun now.
    pub fn feel(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
        let waiting = std::mem::take(&mut *self.waiting.lock().unwrap());
        waiting.into_iter().for_each(|job| self.submit(job));
    }

    /// How often it was asked to write.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    fn mood(&self) -> Mood {
        *self.mood.lock().unwrap()
    }
}

impl Store for MoodyStore {
    fn submit(&self, job: Box<dyn Job>) {
        self.asked.fetch_add(1, Ordering::Relaxed);
        match self.mood() {
            Mood::Full if job.urgency() == Urgency::Normal => {
                job.done(Outcome::Failed(StoreError::Full("on purpose".into())));
            }
            Mood::Down | Mood::Away => job.done(Outcome::Failed(StoreError::Unavailable("on purpose".into()))),
            Mood::Vague if job.name() == "task.release" => self.inner.submit(Box::new(Unheard(job))),
            Mood::Slow if job.name() == "task.claim" => self.waiting.lock().unwrap().push(job),
            Mood::Good | Mood::Full | Mood::Vague | Mood::Slow => self.inner.submit(job),
        }
    }

    fn read(&self, job: Box<dyn Job>) {
        self.inner.read(job);
    }

    fn migrate(&self, plan: &[Migration]) -> StoreResult<()> {
        self.inner.migrate(plan)
    }

    fn prepare(&self, sql: &'static Sql) -> StoreResult<()> {
        self.inner.prepare(sql)
    }

    fn health(&self) -> Health {
        match self.mood() {
            Mood::Good | Mood::Vague | Mood::Away | Mood::Slow => Health::Good,
            Mood::Full => Health::ReadOnly("full".into()),
            Mood::Down => Health::Down("down".into()),
        }
    }

    fn waiting(&self) -> usize {
        0
    }

    fn engine(&self) -> Engine {
        self.inner.engine()
    }

    fn close(&self) {}
}

/// A job of whose end nobody hears.
struct Unheard(Box<dyn Job>);

impl Job for Unheard {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn run(&mut self, tx: &mut dyn Tx) -> Verdict {
        self.0.run(tx)
    }

    fn done(self: Box<Self>, _: Outcome) {
        self.0.done(Outcome::Failed(StoreError::Unknown("on purpose".into())));
    }
}
