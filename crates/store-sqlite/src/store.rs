//! The store: threads around the core. This is the one place of the engine that spawns.
#![expect(clippy::disallowed_methods, reason = "an engine owns its writer, reader and checkpoint threads")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use base::{Clock, Engine, Health, Job, Migration, Sql, Store, StoreError, StoreFigures, StoreResult};

use crate::checkpoint::{Checkpointer, Pressure, Stop};
use crate::config::SqliteConfig;
use crate::conn::Conn;
use crate::core::{HeardClock, SqliteCore};
use crate::errors::of_statement;
use crate::figures::Figures;
use crate::hang::Hang;
use crate::migrate;
use crate::queue::Queue;
use crate::readers::Reader;
use crate::reserve::Reserve;
use crate::writer::{SharedHealth, Writer};

/// An embedded store in one file.
pub struct SqliteStore {
    path: PathBuf,
    config: SqliteConfig,
    clock: Arc<dyn Clock>,
    writes: Arc<Queue>,
    reads: Arc<Queue>,
    health: SharedHealth,
    stop: Arc<Stop>,
    pages_max: Arc<AtomicU32>,
    heard: HeardClock,
    progress: Arc<AtomicU64>,
    figures: Figures,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl SqliteStore {
    /// Opens or creates the store at `path` and starts its threads.
    ///
    /// # Errors
    /// The file cannot be opened, written or is no store of ours.
    pub fn open(path: &Path, config: SqliteConfig, clock: Arc<dyn Clock>) -> StoreResult<Self> {
        let core = SqliteCore::open(path, config.clone(), clock.clone())?;
        let store = Self {
            path: path.to_owned(),
            writes: Arc::new(Queue::new(config.queue_max)),
            reads: Arc::new(Queue::new(config.queue_max)),
            health: SharedHealth::new(),
            stop: Arc::default(),
            pages_max: core.pages_max(),
            heard: core.heard_clock(),
            progress: Arc::default(),
            figures: Figures::default(),
            threads: Mutex::default(),
            config,
            clock,
        };
        store.start(core)?;
        Ok(store)
    }

    /// Bounds the size of the database in pages of 4 KiB; 0 for no bound. SQLite answers "full" beyond it.
    pub fn set_pages_max(&self, pages: u32) {
        self.pages_max.store(pages, Ordering::Relaxed);
    }

    fn start(&self, core: SqliteCore) -> StoreResult<()> {
        let pressure = Arc::new(Pressure::default());
        let reserve = Reserve::beside(&self.path, self.config.reserve_bytes);
        if let Err(error) = reserve.make() {
            tracing::warn!(%error, "no room for the reserve; work cannot be ended if the disk fills up");
        }
        let (queue, clock, health) = (self.writes.clone(), self.clock.clone(), self.health.clone());
        let (pressure_felt, progress, hang) = (pressure.clone(), self.progress.clone(), Hang::beside(&self.path));
        let writer =
            Writer { core, queue, clock, health, reserve, pressure: pressure_felt, progress, hang, looked_us: 0 };
        self.spawn("sqlite-writer", &self.writes, move || writer.run())?;
        for _ in 0..self.config.readers.max(1) {
            let reader = self.reader();
            self.spawn("sqlite-reader", &self.reads, move || reader.run())?;
        }
        let checkpointer = self.checkpointer(pressure);
        self.spawn("sqlite-checkpoint", &Arc::new(Queue::new(0)), move || checkpointer.run())
    }

    fn reader(&self) -> Reader {
        let (path, config, clock) = (self.path.clone(), self.config.clone(), self.clock.clone());
        Reader { path, config, clock, queue: self.reads.clone(), conn: None, heard: self.heard }
    }

    fn checkpointer(&self, pressure: Arc<Pressure>) -> Checkpointer {
        let (path, config, clock) = (self.path.clone(), self.config.clone(), self.clock.clone());
        let (stop, figures) = (self.stop.clone(), self.figures.clone());
        Checkpointer { path, config, clock, stop, pressure, figures }
    }

    /// A thread that, whatever becomes of it, leaves nobody waiting in its queue.
    fn spawn(&self, name: &str, queue: &Arc<Queue>, run: impl FnOnce() + Send + 'static) -> StoreResult<()> {
        let guard = RefuseOnPanic(queue.clone());
        let body = move || {
            run();
            drop(guard);
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(body);
        let thread = thread.map_err(|error| StoreError::Unavailable(format!("no thread: {error}")))?;
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        Ok(())
    }
}

struct RefuseOnPanic(Arc<Queue>);

impl Drop for RefuseOnPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.refuse_all("a thread of the store has ended by a bug");
        }
    }
}

impl Store for SqliteStore {
    fn submit(&self, job: Box<dyn Job>) {
        self.writes.push(job);
    }

    fn read(&self, job: Box<dyn Job>) {
        self.reads.push(job);
    }

    fn migrate(&self, plan: &[Migration]) -> StoreResult<()> {
        let conn = Conn::open(&self.path, &self.config, self.clock.clone(), true)?;
        migrate::migrate(&conn, plan)
    }

    fn prepare(&self, sql: &'static Sql) -> StoreResult<()> {
        let conn = Conn::open(&self.path, &self.config, self.clock.clone(), false)?;
        conn.raw.prepare(sql.text).map(drop).map_err(|error| of_statement(sql, &error))
    }

    fn health(&self) -> Health {
        self.health.get()
    }

    fn waiting(&self) -> usize {
        self.writes.len()
    }

    fn progress(&self) -> u64 {
        self.progress.load(Ordering::Relaxed)
    }

    fn engine(&self) -> Engine {
        Engine::Sqlite
    }

    fn figures(&self) -> StoreFigures {
        self.figures.get()
    }

    fn close(&self) {
        self.reads.end();
        self.stop.stop();
        self.writes.end();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // The last handle may be dropped by a job on one of these threads, which cannot wait for itself.
            if thread.thread().id() != thread::current().id() && thread.join().is_err() {
                tracing::error!("a thread of the store ended by a bug");
            }
        }
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.close();
    }
}
