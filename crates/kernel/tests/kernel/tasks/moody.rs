//! A store whose disk is full or which cannot be written for a while.

use std::sync::Mutex;

use base::{Engine, Health, Job, Migration, Outcome, Sql, Store, StoreError, StoreResult, Urgency};
use store_sqlite::InlineStore;

/// How the store feels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Good,
    /// Only what ends work is taken.
    Full,
    /// Nothing is written.
    Down,
}

pub struct MoodyStore {
    inner: InlineStore,
    mood: Mutex<Mood>,
}

impl MoodyStore {
    pub fn new(inner: InlineStore) -> Self {
        Self { inner, mood: Mutex::new(Mood::Good) }
    }

    pub fn feel(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    fn mood(&self) -> Mood {
        *self.mood.lock().unwrap()
    }
}

impl Store for MoodyStore {
    fn submit(&self, job: Box<dyn Job>) {
        match self.mood() {
            Mood::Full if job.urgency() == Urgency::Normal => {
                job.done(Outcome::Failed(StoreError::Full("on purpose".into())));
            }
            Mood::Down => job.done(Outcome::Failed(StoreError::Unavailable("on purpose".into()))),
            Mood::Good | Mood::Full => self.inner.submit(job),
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
            Mood::Good => Health::Good,
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
