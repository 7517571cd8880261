//! The real SQLite core behind a store whose jobs run when the simulation says so, and whose disk fails when it says so.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base::{
    Connection, Engine, Health, Heard, Isolation, Job, Migration, Outcome, Row, Sql, Store, StoreError, StoreResult,
    Tx, Value, run_batch,
};
use store_sqlite::{InlineStore, SqliteConfig, SqliteCore};

use crate::clock::SimClock;
use crate::faults::Faults;
use crate::recording::Twice;
use crate::rng::Rng;

/// What becomes of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ran {
    /// Nothing was waiting.
    Nothing,
    /// So many jobs were run and answered.
    Answered(usize),
    /// The process ended in the middle of it; nobody was answered.
    Crashed,
}

struct State {
    core: Option<SqliteCore>,
    waiting: VecDeque<Box<dyn Job>>,
    reads: VecDeque<Box<dyn Job>>,
}

/// A store that waits to be told.
pub struct SimStore {
    path: PathBuf,
    clock: SimClock,
    queue_max: usize,
    engine: Engine,
    state: Mutex<State>,
    at_once: AtomicBool,
}

impl SimStore {
    /// Opens the store at `path`; at most `queue_max` jobs wait. What is done in another way on another engine is done as on
    /// `engine`, so that it is simulated too.
    pub fn open(path: &Path, clock: SimClock, queue_max: usize, engine: Engine) -> StoreResult<Self> {
        let core = SqliteCore::open(path, config(), Arc::new(clock.clone()))?;
        let state = State { core: Some(core), waiting: VecDeque::new(), reads: VecDeque::new() };
        Ok(Self {
            path: path.to_owned(),
            clock,
            queue_max,
            engine,
            state: Mutex::new(state),
            at_once: AtomicBool::new(false),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs what waits, at most `max` in one batch, with these faults.
    pub fn run(&self, max: usize, faults: &Faults, rng: &mut Rng) -> Ran {
        let mut state = self.state();
        let Some(core) = state.core.take() else { return Ran::Nothing };
        let count = state.waiting.len().min(max);
        let mut jobs: VecDeque<Box<dyn Job>> = state.waiting.drain(..count).collect();
        drop(state);
        let engine = self.engine;
        let mut conn = SimConnection { core, faults, rng, engine, fault: None, poisoned: false, crashed: false };
        let now_us = self.clock.now_us();
        let mut expired = vec![];
        let mut next = || loop {
            let job = jobs.pop_front()?;
            if job.deadline_us() >= now_us {
                return Some(Box::new(Twice(job)) as Box<dyn Job>);
            }
            expired.push(job);
        };
        let finished = match next() {
            Some(first) => run_batch(&mut conn, first, &mut next),
            None => vec![],
        };
        let crashed = conn.crashed;
        let mut state = self.state();
        state.core = Some(conn.core);
        if crashed {
            return Ran::Crashed;
        }
        // A batch that was closed early leaves the rest for the next one.
        while let Some(job) = jobs.pop_back() {
            state.waiting.push_front(job);
        }
        drop(state);
        finished.into_iter().for_each(|(job, outcome)| job.done(outcome));
        expired.into_iter().for_each(|job| job.done(Outcome::Failed(StoreError::Expired)));
        if count == 0 { Ran::Nothing } else { Ran::Answered(count) }
    }

    /// Runs the reads that wait; all of them fail if the store cannot be read.
    pub fn run_reads(&self, is_readable: bool) {
        let reads = std::mem::take(&mut self.state().reads);
        for job in reads {
            match is_readable {
                true => self.run_now(job),
                false => job.done(Outcome::Failed(StoreError::Unavailable("simulated: it cannot be read".into()))),
            }
        }
    }

    fn run_now(&self, mut job: Box<dyn Job>) {
        let mut state = self.state();
        let Some(core) = state.core.as_mut() else { return };
        let outcome = base::run_alone(core, job.as_mut());
        drop(state);
        job.done(outcome);
    }

    /// Whether jobs wait for nobody from now on, and nothing goes wrong with them.
    pub fn work_at_once(&self, at_once: bool) {
        self.at_once.store(at_once, Ordering::Relaxed);
    }

    /// Jobs and reads that wait.
    pub fn is_idle(&self) -> bool {
        let state = self.state();
        state.waiting.is_empty() && state.reads.is_empty()
    }

    /// The process ends: what waits is never heard of again.
    pub fn crash(&self) {
        let mut state = self.state();
        state.core = None;
        state.waiting.clear();
        state.reads.clear();
    }

    /// The store's listening time now.
    pub fn heard_ms(&self) -> Option<i64> {
        self.state().core.as_ref().map(|core| core.heard().0)
    }

    /// Looks at committed state, on a connection of its own.
    pub fn look<T>(&self, look: impl FnOnce(&mut dyn Tx) -> StoreResult<T>) -> StoreResult<T> {
        let mut state = self.state();
        let core = state.core.as_mut().ok_or_else(|| StoreError::Unavailable("the process has ended".into()))?;
        core.begin(Isolation::Serial)?;
        let seen = look(core.tx());
        core.rollback();
        seen
    }
}

/// No syncs: a crash here means that the process ends, and the files keep what was written. Disks that lose what was
/// not synced are the kill harness's and, for files, [`crate::disk`]'s.
fn config() -> SqliteConfig {
    SqliteConfig { sync: false, reserve_bytes: 0, ..SqliteConfig::default() }
}

impl Store for SimStore {
    fn submit(&self, job: Box<dyn Job>) {
        if self.at_once.load(Ordering::Relaxed) {
            return self.run_now(job);
        }
        let mut state = self.state();
        if state.waiting.len() >= self.queue_max {
            drop(state);
            return job.done(Outcome::Failed(StoreError::Overloaded));
        }
        state.waiting.push_back(job);
    }

    fn read(&self, job: Box<dyn Job>) {
        if self.at_once.load(Ordering::Relaxed) {
            return self.run_now(job);
        }
        self.state().reads.push_back(job);
    }

    fn migrate(&self, plan: &[Migration]) -> StoreResult<()> {
        InlineStore::open(&self.path, Arc::new(self.clock.clone()))?.migrate(plan)
    }

    fn prepare(&self, _: &'static Sql) -> StoreResult<()> {
        Ok(())
    }

    fn health(&self) -> Health {
        Health::Good
    }

    fn waiting(&self) -> usize {
        self.state().waiting.len()
    }

    fn engine(&self) -> Engine {
        self.engine
    }

    fn close(&self) {
        self.crash();
    }
}

/// The core with faults between it and the batch.
struct SimConnection<'a> {
    core: SqliteCore,
    faults: &'a Faults,
    rng: &'a mut Rng,
    engine: Engine,
    fault: Option<StoreError>,
    /// Something ran that ends the process.
    poisoned: bool,
    crashed: bool,
}

impl SimConnection<'_> {
    /// The process ends here: the transaction is gone and nothing more is done.
    fn crash(&mut self) -> StoreError {
        self.core.rollback();
        self.crashed = true;
        StoreError::Unavailable("the process has ended".into())
    }

    fn statement_fault(&mut self) -> StoreResult<()> {
        if self.fault.is_some() {
            return Err(StoreError::Poisoned);
        }
        if self.rng.once_in(self.faults.statement_full) {
            let full = StoreError::Full("simulated".into());
            self.fault = Some(full.clone());
            return Err(full);
        }
        Ok(())
    }

    fn commit_fault(&mut self) -> StoreResult<()> {
        let refuse = |conn: &mut Self, error| {
            conn.core.rollback();
            Err(error)
        };
        if self.poisoned || self.rng.once_in(self.faults.crash_before_commit) {
            return Err(self.crash());
        }
        if self.rng.once_in(self.faults.commit_full) {
            return refuse(self, StoreError::Full("simulated at COMMIT".into()));
        }
        if self.rng.once_in(self.faults.commit_conflict) {
            return refuse(self, StoreError::Conflict);
        }
        if self.rng.once_in(self.faults.commit_unknown) && self.rng.once_in(2) {
            return refuse(self, StoreError::Unknown("simulated, not done".into()));
        }
        Ok(())
    }
}

impl Connection for SimConnection<'_> {
    fn begin(&mut self, isolation: Isolation) -> StoreResult<()> {
        if self.crashed {
            return Err(StoreError::Unavailable("the process has ended".into()));
        }
        (self.fault, self.poisoned) = (None, false);
        self.core.begin(isolation)
    }

    fn savepoint(&mut self) -> StoreResult<()> {
        self.fault = None;
        self.core.savepoint()
    }

    fn release(&mut self) -> StoreResult<()> {
        self.core.release()
    }

    fn undo(&mut self) -> StoreResult<()> {
        self.core.undo()
    }

    fn commit(&mut self) -> StoreResult<()> {
        self.commit_fault()?;
        self.core.commit()?;
        if self.rng.once_in(self.faults.crash_after_commit) {
            self.crashed = true;
        } else if self.rng.once_in(self.faults.commit_unknown) {
            return Err(StoreError::Unknown("simulated, done".into()));
        }
        Ok(())
    }

    fn rollback(&mut self) {
        self.core.rollback();
    }

    fn tx(&mut self) -> &mut dyn Tx {
        self
    }

    fn first_error(&self) -> Option<StoreError> {
        self.fault.clone().or_else(|| self.core.first_error())
    }

    /// A full disk drops the whole transaction.
    fn is_open(&self) -> bool {
        self.fault.is_none() && self.core.is_open()
    }

    fn again(&mut self, error: &StoreError, runs: u32) -> bool {
        !self.crashed && *error == StoreError::Conflict && runs < 3
    }

    fn is_late(&self, job: &dyn Job) -> bool {
        self.core.is_late(job)
    }
}

impl Tx for SimConnection<'_> {
    fn query(&mut self, sql: &'static Sql, args: &[Value<'_>], rows_max: usize) -> StoreResult<Vec<Row>> {
        self.statement_fault()?;
        self.core.tx().query(sql, args, rows_max)
    }

    fn execute(&mut self, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<u64> {
        self.statement_fault()?;
        self.core.tx().execute(sql, args)
    }

    fn write(&mut self, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<()> {
        self.statement_fault()?;
        self.poisoned |= sql.name == crate::chores::POISON.name;
        self.core.tx().write(sql, args)
    }

    fn heard(&self) -> Heard {
        self.core.heard_at_begin()
    }

    fn engine(&self) -> Engine {
        self.engine
    }
}
