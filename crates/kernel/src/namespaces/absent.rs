//! The store of a namespace that is known but cannot be opened now: everybody is told so, and nobody waits.

use base::{Engine, Health, Job, Migration, Outcome, Sql, Store, StoreError, StoreResult};

/// A store that is not there.
pub struct AbsentStore {
    engine: Engine,
    reason: String,
}

impl AbsentStore {
    /// A store of this engine that cannot be opened for this reason.
    #[must_use]
    pub fn new(engine: Engine, reason: impl Into<String>) -> Self {
        Self { engine, reason: reason.into() }
    }

    fn error(&self) -> StoreError {
        StoreError::Unavailable(self.reason.clone())
    }
}

impl Store for AbsentStore {
    fn submit(&self, job: Box<dyn Job>) {
        job.done(Outcome::Failed(self.error()));
    }

    fn read(&self, job: Box<dyn Job>) {
        self.submit(job);
    }

    fn migrate(&self, _: &[Migration]) -> StoreResult<()> {
        Err(self.error())
    }

    fn prepare(&self, _: &'static Sql) -> StoreResult<()> {
        Err(self.error())
    }

    fn health(&self) -> Health {
        Health::Down(self.reason.clone())
    }

    fn waiting(&self) -> usize {
        0
    }

    fn engine(&self) -> Engine {
        self.engine
    }

    fn close(&self) {}
}
