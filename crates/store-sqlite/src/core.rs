//! The batch runner: the writing connection and its rules, without any thread.
//!
//! What is known after each kind of failure:
//! - disk full while writing: SQLite appended no commit record, so nothing was committed;
//! - I/O error inside a transaction: dropped, nothing was committed, the connection must not be used again;
//! - I/O error from COMMIT: the commit record may or may not be on disk. The store is reopened, checkpointed whole (which
//!   writes every page of the WAL again and syncs it: pages whose sync failed would otherwise be believed clean), and the
//!   commit count then tells. Only if that fails too is the outcome unknown.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use base::mutants::{self, Mutant};
use base::{Clock, Connection, Heard, Isolation, Job, StoreError, StoreResult, Tx};

use crate::config::SqliteConfig;
use crate::conn::Conn;
use crate::errors::of_engine;
use crate::wal::find_wal_damage;

pub(crate) const META: &str = "CREATE TABLE IF NOT EXISTS store_meta (
    one INTEGER PRIMARY KEY CHECK (one = 1), commits INTEGER NOT NULL, heard INTEGER NOT NULL) STRICT";
/// A new store begins to listen at the calendar's time, so that its moments can be compared with another engine's.
pub(crate) const META_ROW: &str = "INSERT INTO store_meta VALUES (1, 0, ?1) ON CONFLICT DO NOTHING";
const META_READ: &str = "SELECT commits, heard FROM store_meta";
const META_WRITE: &str = "UPDATE store_meta SET commits = ?1, heard = ?2";

/// Listening time: what was saved, and what the process ran since the store was opened. Readers have a copy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeardClock {
    heard_at: i64,
    ran_at_ms: u64,
}

impl HeardClock {
    /// Listening time now.
    pub(crate) fn at(self, clock: &dyn Clock) -> Heard {
        let ran = clock.ran_ms().saturating_sub(self.ran_at_ms);
        Heard(self.heard_at + i64::try_from(ran).unwrap_or(i64::MAX))
    }
}

/// After a batch had to be run again for want of savepoints, so many have them from the start.
const CAREFUL_BATCHES: u32 = 64;

/// The writing side of one store.
///
/// A batch begins without savepoints: most jobs that are refused have only read, and then there is nothing to undo. When
/// one has written and must be undone, the batch is dropped and run again with savepoints, and so are the next ones. That
/// saves two statements per job where it matters, and costs one run in 64 at worst.
pub struct SqliteCore {
    path: PathBuf,
    config: SqliteConfig,
    clock: Arc<dyn Clock>,
    conn: Conn,
    /// The connection saw a fault of the disk; it is replaced before it is used again.
    broken: bool,
    /// Commits that we know to be durable.
    commits: i64,
    heard: HeardClock,
    pages_max: Arc<AtomicU32>,
    pages_max_set: u32,
    /// Whether the open transaction has savepoints, and for how many transactions more there will be some.
    careful: bool,
    careful_left: u32,
}

impl SqliteCore {
    /// Opens or creates the store at `path`.
    ///
    /// # Errors
    /// The file cannot be opened, written or is no store of ours.
    pub fn open(path: &Path, config: SqliteConfig, clock: Arc<dyn Clock>) -> StoreResult<Self> {
        // Opening would drop what stands behind the damage, without a word.
        if let Some(damage) = find_wal_damage(path) {
            return Err(StoreError::Unavailable(format!("{damage}: keep these files and restore a backup")));
        }
        let conn = Conn::open(path, &config, clock.clone(), true)?;
        conn.run(META)?;
        conn.raw.execute(META_ROW, [clock.wall().0]).map_err(|error| of_engine(&error))?;
        settle(&conn)?;
        let (commits, heard) = read_meta(&conn)?;
        Ok(Self {
            path: path.to_owned(),
            config,
            heard: HeardClock { heard_at: heard, ran_at_ms: clock.ran_ms() },
            clock,
            conn,
            broken: false,
            commits,
            pages_max: Arc::new(AtomicU32::new(0)),
            pages_max_set: 0,
            careful: false,
            careful_left: 0,
        })
    }

    /// Whether the last fault has not been got over yet.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// The connection is not to be trusted any more: it is replaced before it is used again.
    pub(crate) fn distrust(&mut self) {
        self.broken = true;
    }

    /// A handle to bound the database's size in pages (0 for no bound), from any thread; used from the next batch on.
    #[must_use]
    pub fn pages_max(&self) -> Arc<AtomicU32> {
        self.pages_max.clone()
    }

    /// Listening time now.
    #[must_use]
    pub fn heard(&self) -> Heard {
        if mutants::on(Mutant::HeardIsWall) {
            return Heard(self.clock.wall().0);
        }
        self.heard.at(self.clock.as_ref())
    }

    pub(crate) fn heard_clock(&self) -> HeardClock {
        self.heard
    }

    /// Listening time when the open transaction began.
    #[must_use]
    pub fn heard_at_begin(&self) -> Heard {
        self.conn.heard
    }

    /// Replaces the connection after a fault. Nothing acknowledged may be missing afterwards.
    ///
    /// # Errors
    /// The disk still refuses, or acknowledged commits are gone.
    pub fn reopen(&mut self) -> StoreResult<()> {
        let conn = Conn::open(&self.path, &self.config, self.clock.clone(), true)?;
        settle(&conn)?;
        let (commits, _) = read_meta(&conn)?;
        if commits < self.commits {
            let lost = self.commits - commits;
            return Err(StoreError::Unavailable(format!("{lost} acknowledged commits are missing from the disk")));
        }
        tracing::warn!(path = %self.path.display(), commits, known = self.commits, "store reopened after a fault");
        self.conn = conn;
        self.commits = commits;
        self.broken = false;
        self.pages_max_set = 0;
        Ok(())
    }

    /// Copies what is in the WAL into the database, as far as readers let us, without waiting for them.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn checkpoint(&mut self) -> StoreResult<()> {
        self.conn.run("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Saves the listening time and empties the WAL, at a clean end.
    ///
    /// # Errors
    /// The disk refuses; nothing committed is lost by that.
    pub fn finish(&mut self) -> StoreResult<()> {
        self.begin(Isolation::Serial)?;
        self.commit()?;
        self.conn.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    pub(crate) fn conn(&self) -> &Conn {
        &self.conn
    }

    /// Bounds the size as wished. SQLite never lowers the bound below the present size.
    fn apply_pages_max(&mut self) -> StoreResult<()> {
        let wished = self.pages_max.load(Ordering::Relaxed);
        if wished == self.pages_max_set {
            return Ok(());
        }
        let pages = if wished == 0 { u32::MAX - 1 } else { wished };
        self.conn
            .raw
            .query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
            .map_err(|e| of_engine(&e))?;
        self.pages_max_set = wished;
        Ok(())
    }

    /// Commits, and counts it.
    fn commit_now(&mut self) -> StoreResult<()> {
        self.conn.unmetered();
        let heard = self.heard().0;
        let meta = |conn: &Conn| {
            let mut statement = conn.raw.prepare_cached(META_WRITE)?;
            statement.execute((self.commits + 1, heard))
        };
        let written = meta(&self.conn).map_err(|error| of_engine(&error));
        if let Err(error) = written.and_then(|_| self.conn.run("COMMIT")) {
            return self.commit_failed(error);
        }
        self.commits += 1;
        Ok(())
    }

    /// The COMMIT of the mutant that answers first; without it none is ever left open here.
    pub(crate) fn commit_late(&mut self) {
        if mutants::on(Mutant::AckBeforeCommit) && !self.conn.raw.is_autocommit() {
            let _ = self.commit_now();
        }
    }

    /// Judges a COMMIT that failed.
    fn commit_failed(&mut self, error: StoreError) -> StoreResult<()> {
        if matches!(error, StoreError::Full(_)) {
            self.rollback();
            return Err(error);
        }
        if mutants::on(Mutant::SyncErrorTakenForDone) {
            self.rollback();
            return Ok(());
        }
        self.broken = true;
        tracing::error!(path = %self.path.display(), %error, "commit failed; reopening the store");
        let expected = self.commits + 1;
        match self.reopen() {
            Ok(()) if self.commits == expected => Ok(()),
            Ok(()) => Err(StoreError::Unavailable(format!("verified not committed: {error}"))),
            Err(again) => Err(StoreError::Unknown(format!("{error}; then {again}"))),
        }
    }

    fn mark_if_fault(&mut self) {
        self.broken |= matches!(self.conn.first_error(), Some(StoreError::Unavailable(_)));
    }
}

/// Empties the WAL into the database and syncs it, waiting for readers: from here on everything visible is durable.
fn settle(conn: &Conn) -> StoreResult<()> {
    let busy: i64 = conn
        .raw
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        .map_err(|error| of_engine(&error))?;
    if busy == 0 { Ok(()) } else { Err(StoreError::Unavailable("the WAL cannot be emptied: a reader holds it".into())) }
}

fn read_meta(conn: &Conn) -> StoreResult<(i64, i64)> {
    conn.raw.query_row(META_READ, [], |row| Ok((row.get(0)?, row.get(1)?))).map_err(|error| of_engine(&error))
}

impl Connection for SqliteCore {
    fn begin(&mut self, _: Isolation) -> StoreResult<()> {
        self.commit_late();
        if self.broken {
            self.reopen()?;
        }
        self.apply_pages_max()?;
        self.conn.fresh();
        self.careful = self.careful_left > 0;
        self.careful_left = self.careful_left.saturating_sub(1);
        let begun = self.conn.run("BEGIN IMMEDIATE");
        self.broken |= begun.is_err();
        self.conn.heard = self.heard();
        begun
    }

    fn savepoint(&mut self) -> StoreResult<()> {
        self.conn.fresh();
        if self.careful { self.conn.run("SAVEPOINT op") } else { Ok(()) }
    }

    fn release(&mut self) -> StoreResult<()> {
        if self.careful { self.conn.run("RELEASE op") } else { Ok(()) }
    }

    fn undo(&mut self) -> StoreResult<()> {
        if !self.conn.wrote() && !self.careful {
            return Ok(());
        }
        if !self.careful {
            self.careful_left = CAREFUL_BATCHES;
            return Err(StoreError::Conflict);
        }
        self.conn.unmetered();
        self.conn.run("ROLLBACK TO op")?;
        self.conn.run("RELEASE op")
    }

    fn commit(&mut self) -> StoreResult<()> {
        if mutants::on(Mutant::AckBeforeCommit) { Ok(()) } else { self.commit_now() }
    }

    fn rollback(&mut self) {
        self.mark_if_fault();
        self.conn.unmetered();
        if !self.conn.raw.is_autocommit() && self.conn.run("ROLLBACK").is_err() {
            self.broken = true;
        }
    }

    fn tx(&mut self) -> &mut dyn Tx {
        &mut self.conn
    }

    fn first_error(&self) -> Option<StoreError> {
        self.conn.first_error().cloned()
    }

    fn is_open(&self) -> bool {
        let faulty = matches!(self.conn.first_error(), Some(StoreError::Unavailable(_)));
        !faulty && !self.conn.raw.is_autocommit()
    }

    /// One writer: nothing comes between. A conflict is our own wish to run the batch again with savepoints.
    fn again(&mut self, error: &StoreError, runs: u32) -> bool {
        *error == StoreError::Conflict && runs == 1
    }

    /// SQLite drops the whole transaction when it ends a writing statement that is over its budget.
    fn dooms(&self, error: &StoreError) -> bool {
        matches!(error, StoreError::Budget(_))
    }

    fn is_late(&self, job: &dyn Job) -> bool {
        self.clock.monotonic_us() > job.deadline_us()
    }
}
