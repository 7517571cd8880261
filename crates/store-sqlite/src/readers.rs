//! Reader threads: snapshots of committed state, never behind the writer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base::limits::READ_US;
use base::{Clock, Connection, Heard, Isolation, Job, Outcome, StoreError, StoreResult, Tx, run_alone};

use crate::config::SqliteConfig;
use crate::conn::Conn;
use crate::core::HeardClock;
use crate::queue::{Queue, Taken};
use crate::writer::answer;

pub(crate) struct Reader {
    pub(crate) path: PathBuf,
    pub(crate) config: SqliteConfig,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) conn: Option<Conn>,
    pub(crate) heard: HeardClock,
}

impl Reader {
    /// Runs until the queue has ended and is empty; a panic of the engine costs the one job its answer.
    pub(crate) fn run(mut self) {
        loop {
            match catch_unwind(AssertUnwindSafe(|| self.step())) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => tracing::error!("a reader panicked; it goes on with a new connection"),
            }
        }
    }

    fn step(&mut self) -> bool {
        match self.queue.take(Duration::from_secs(60), 1) {
            Taken::Jobs(jobs) => jobs.into_iter().for_each(|job| self.read(job)),
            Taken::Nothing => {}
            Taken::Ended => return false,
        }
        true
    }

    fn read(&mut self, mut job: Box<dyn Job>) {
        if self.clock.monotonic_us() > job.deadline_us() {
            return answer(job, Outcome::Failed(StoreError::Expired));
        }
        let outcome = self.snapshot(job.as_mut());
        answer(job, outcome);
    }

    fn snapshot(&mut self, job: &mut dyn Job) -> Outcome {
        let opened = match self.conn.take() {
            Some(conn) => Ok(conn),
            None => Conn::open(&self.path, &self.config, self.clock.clone(), false),
        };
        let mut snapshot = match opened {
            Ok(conn) => {
                let until_us = self.clock.monotonic_us() + READ_US;
                Snapshot { conn, heard: self.heard.at(self.clock.as_ref()), until_us }
            }
            Err(error) => return Outcome::Failed(error),
        };
        let outcome = run_alone(&mut snapshot, job);
        // A connection that saw a fault of the disk is not used again.
        let faulty = matches!(outcome, Outcome::Failed(StoreError::Unavailable(_)));
        self.conn = (!faulty).then_some(snapshot.conn);
        outcome
    }
}

/// A reading transaction. There is nothing to commit: keeping and undoing are the same.
struct Snapshot {
    conn: Conn,
    /// Live, not that of the last commit: silence is heard also while nobody writes.
    heard: Heard,
    until_us: u64,
}

impl Connection for Snapshot {
    fn begin(&mut self, _: Isolation) -> StoreResult<()> {
        self.conn.fresh_until(self.until_us);
        self.conn.heard = self.heard;
        self.conn.run("BEGIN")
    }

    fn savepoint(&mut self) -> StoreResult<()> {
        Ok(())
    }

    fn release(&mut self) -> StoreResult<()> {
        Ok(())
    }

    fn undo(&mut self) -> StoreResult<()> {
        Ok(())
    }

    fn commit(&mut self) -> StoreResult<()> {
        self.rollback();
        Ok(())
    }

    fn rollback(&mut self) {
        self.conn.unmetered();
        if let Err(error) = self.conn.run("ROLLBACK") {
            tracing::debug!(%error, "a read ended badly");
        }
    }

    fn tx(&mut self) -> &mut dyn Tx {
        &mut self.conn
    }

    fn first_error(&self) -> Option<StoreError> {
        self.conn.first_error().cloned()
    }

    fn is_open(&self) -> bool {
        !self.conn.raw.is_autocommit()
    }

    fn again(&mut self, _: &StoreError, _: u32) -> bool {
        false
    }

    fn is_late(&self, _: &dyn Job) -> bool {
        false
    }
}
