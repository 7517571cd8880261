//! The same core without threads: every job runs at once on the caller's thread. For the simulator and for tests of
//! operations, which want one thread and one order.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::{Clock, Engine, Health, Job, Migration, Sql, Store, StoreResult, run_alone};

use crate::config::SqliteConfig;
use crate::core::SqliteCore;
use crate::errors::of_statement;
use crate::migrate;
use crate::writer::answer;

/// A store that runs each job when it is submitted.
pub struct InlineStore(Mutex<SqliteCore>);

impl InlineStore {
    /// Opens or creates the store at `path`.
    ///
    /// # Errors
    /// The file cannot be opened or written.
    pub fn open(path: &Path, clock: Arc<dyn Clock>) -> StoreResult<Self> {
        Ok(Self(Mutex::new(SqliteCore::open(path, SqliteConfig::default(), clock)?)))
    }

    /// A store in memory.
    ///
    /// # Errors
    /// SQLite has no memory.
    pub fn in_memory(clock: Arc<dyn Clock>) -> StoreResult<Self> {
        Self::open(Path::new(":memory:"), clock)
    }

    fn core(&self) -> MutexGuard<'_, SqliteCore> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for InlineStore {
    fn submit(&self, mut job: Box<dyn Job>) {
        // The core is free again before the job hears: it may submit the next one from there.
        let outcome = run_alone(&mut *self.core(), job.as_mut());
        answer(job, outcome);
    }

    fn read(&self, job: Box<dyn Job>) {
        self.submit(job);
    }

    fn migrate(&self, plan: &[Migration]) -> StoreResult<()> {
        migrate::migrate(self.core().conn(), plan)
    }

    fn prepare(&self, sql: &'static Sql) -> StoreResult<()> {
        self.core().conn().raw.prepare(sql.text).map(drop).map_err(|error| of_statement(sql, &error))
    }

    fn health(&self) -> Health {
        Health::Good
    }

    fn waiting(&self) -> usize {
        0
    }

    fn engine(&self) -> Engine {
        Engine::Sqlite
    }

    fn close(&self) {}
}
