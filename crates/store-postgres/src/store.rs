//! The store itself: threads around the shared parts.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use base::{
    Clock, Ear, Engine, Entropy, Health, Job, Keys, Migration, Sql, Store, StoreError, StoreFigures, StoreResult,
    Ticket,
};

use crate::PostgresConfig;
use crate::bell;
use crate::counters::Counters;
use crate::desk::Desk;
use crate::queue::Refused;
use crate::session::{Mode, Session};
use crate::shared::{Shared, refuse};
use crate::threads;
use crate::worker;

/// One namespace in one PostgreSQL schema.
pub struct PostgresStore {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// Kept between calls, for a test prepares hundreds of texts.
    desk: Mutex<Option<Desk>>,
}

impl PostgresStore {
    /// Connects, creates the schema if it is missing and may be created, and starts the threads.
    ///
    /// # Errors
    /// The configuration is wrong, the schema is missing, or the server cannot be reached. Later the store waits for the server by itself.
    pub fn open(config: PostgresConfig, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> StoreResult<Self> {
        let shared = Shared::new(config, clock, entropy)?;
        threads::apart(|| {
            let desk = Desk::open(&shared)?;
            match shared.config.creates_schema {
                true => desk.create_schema(&shared)?,
                false => desk.find_schema(&shared)?,
            }
            shared.shift_heard(desk.heard_shift_ms(&shared)?);
            let store = Self { shared, threads: Mutex::new(Vec::new()), desk: Mutex::new(Some(desk)) };
            // A failure drops the store, which stops the threads that were started.
            store.start_threads().map(|()| store)
        })
    }

    /// Renames the schema of a store that is not open any more, to keep its data aside. False if there is none, so that a
    /// repeat is harmless; blocks.
    ///
    /// # Errors
    /// The configuration is wrong or the server cannot be reached.
    pub fn set_aside(
        config: PostgresConfig,
        to: &str,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> StoreResult<bool> {
        PostgresConfig { schema: to.to_owned(), ..config.clone() }.check().map_err(StoreError::Unavailable)?;
        let shared = Shared::new(config, clock, entropy)?;
        threads::apart(|| Desk::open(&shared)?.rename_schema(&shared, to))
    }

    /// Drops a schema with all that is in it; one that is not there is no error.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn destroy(config: PostgresConfig, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> StoreResult<()> {
        let shared = Shared::new(config, clock, entropy)?;
        threads::apart(|| Desk::open(&shared)?.drop_schema(&shared))
    }

    /// What it did since it was opened.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.shared.counters.sums()
    }

    fn start_threads(&self) -> StoreResult<()> {
        let Shared { config, .. } = &*self.shared;
        for number in 0..config.workers {
            self.start_thread(format!("pg-write-{number}"), Mode::Write)?;
        }
        for number in 0..config.readers {
            self.start_thread(format!("pg-read-{number}"), Mode::Read)?;
        }
        Ok(())
    }

    fn start_thread(&self, name: String, mode: Mode) -> StoreResult<()> {
        let session = Session::new(Arc::clone(&self.shared), mode)?;
        let thread = threads::start(name, move || worker::serve(session))?;
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        Ok(())
    }

    fn start_bell(&self) -> StoreResult<()> {
        let shared = Arc::clone(&self.shared);
        let serve = move || bell::serve(shared).unwrap_or_else(|error| tracing::warn!(%error, "no wake-ups"));
        let thread = threads::start("pg-bell".into(), serve)?;
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        Ok(())
    }

    /// Work on the desk's connection; one that was kept may have broken meanwhile, then once more on a new one.
    fn at_desk(&self, work: impl Fn(&Desk) -> StoreResult<()> + Sync) -> StoreResult<()> {
        // All of it apart, for a desk's runtime must not even be dropped inside another one.
        threads::apart(|| {
            let mut place = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(desk) = place.take() {
                let done = work(&desk);
                if !matches!(done, Err(StoreError::Unavailable(_))) {
                    *place = Some(desk);
                    return done;
                }
            }
            work(place.insert(Desk::open(&self.shared)?))
        })
    }
}

impl Store for PostgresStore {
    fn submit(&self, job: Box<dyn Job>) {
        if let Some(error) = self.shared.gate.refuses_write(job.urgency()) {
            return refuse(job, error);
        }
        let (keys, isolation) = (job.keys().clone(), job.isolation());
        if let Err(Refused { job, error }) = self.shared.writes.submit(Ticket::of(job), keys, isolation) {
            refuse(job, error);
        }
    }

    fn read(&self, job: Box<dyn Job>) {
        if let Some(error) = self.shared.gate.refuses_read() {
            return refuse(job, error);
        }
        let isolation = job.isolation();
        if let Err(Refused { job, error }) = self.shared.reads.submit(Ticket::of(job), Keys::NONE, isolation) {
            refuse(job, error);
        }
    }

    fn migrate(&self, plan: &[Migration]) -> StoreResult<()> {
        let applied_at = self.shared.clock.wall().0;
        self.at_desk(|desk| desk.migrate(plan, applied_at))
    }

    fn prepare(&self, sql: &'static Sql) -> StoreResult<()> {
        self.at_desk(|desk| desk.prepare(sql))
    }

    fn health(&self) -> Health {
        self.shared.gate.health()
    }

    fn waiting(&self) -> usize {
        self.shared.writes.len()
    }

    fn progress(&self) -> u64 {
        let Counters { operations, commits, retries } = self.counters();
        operations + commits + retries
    }

    fn engine(&self) -> Engine {
        Engine::Postgres
    }

    fn figures(&self) -> StoreFigures {
        self.shared.figures.get()
    }

    fn notify(&self, word: &str) {
        self.shared.bell.ring(word);
    }

    fn listen(&self, ear: Ear) {
        if self.shared.bell.add_ear(ear)
            && let Err(error) = self.start_bell()
        {
            tracing::warn!(%error, "wake-ups of other nodes are not heard: work found by looking only");
        }
    }

    fn close(&self) {
        self.shared.bell.stop();
        self.shared.writes.close();
        self.shared.reads.close();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        let me = std::thread::current().id();
        // The last handle may be dropped by a job's answer, on one of these threads: it ends after it answered.
        for thread in threads.into_iter().filter(|thread| thread.thread().id() != me) {
            if thread.join().is_err() {
                tracing::error!("a thread of the store panicked");
            }
        }
        // Nobody is left to serve what a thread that died may have left behind.
        let left = self.shared.writes.drain().into_iter().chain(self.shared.reads.drain());
        left.for_each(|job| refuse(job, StoreError::Unavailable("the store is closed".into())));
        let _ = threads::apart(|| {
            drop(self.desk.lock().unwrap_or_else(PoisonError::into_inner).take());
            Ok(())
        });
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.close();
    }
}
