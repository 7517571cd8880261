//! The checkpointer: copies the WAL into the database on its own thread and connection, off the commit path.
//!
//! A passive checkpoint never waits for writer or readers. Under a steady load it never quite catches up, so when the
//! WAL is past its bound the writer is asked to finish the rest between two batches, after which the WAL starts anew.
//!
//! While the WAL grows it is left alone up to half of its bound: pages that are written again and again (ends of tables, indexes of
//! queues) are copied once and not ten times a second. When it grows no more, little is enough to copy.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use base::{Clock, StoreResult};

use crate::config::SqliteConfig;
use crate::conn::Conn;
use crate::errors::of_engine;
use crate::figures::Figures;

/// How often the WAL is looked at.
const LOOK_MS: u64 = 100;
/// Looks between two at what the store takes up.
const LOOKS_PER_FIGURES: u64 = 50;
/// Frames that make a checkpoint worth its syncs when nothing is being written.
const FRAMES_WORTH: i64 = 1_000;
const FRAME_BYTES: u64 = 4_096 + 24;

/// The wish that the writer helps.
#[derive(Default)]
pub(crate) struct Pressure(AtomicBool);

impl Pressure {
    /// Whether help is wished; the wish is then taken as granted.
    pub(crate) fn take(&self) -> bool {
        self.0.load(Ordering::Relaxed) && self.0.swap(false, Ordering::Relaxed)
    }
}

/// Tells the checkpointer to end.
#[derive(Default)]
pub(crate) struct Stop {
    stopped: Mutex<bool>,
    told: Condvar,
}

impl Stop {
    pub(crate) fn stop(&self) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.told.notify_all();
    }

    /// Waits; `true` when it is time to end.
    fn wait(&self) -> bool {
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = Duration::from_millis(LOOK_MS);
        *self.told.wait_timeout_while(stopped, wait, |stopped| !*stopped).unwrap_or_else(PoisonError::into_inner).0
    }
}

pub(crate) struct Checkpointer {
    pub(crate) path: PathBuf,
    pub(crate) config: SqliteConfig,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) stop: Arc<Stop>,
    pub(crate) pressure: Arc<Pressure>,
    pub(crate) figures: Figures,
}

impl Checkpointer {
    /// Runs until it is told to stop. A connection that failed is never used again.
    pub(crate) fn run(self) {
        let (mut conn, mut looks, mut seen) = (None, 0_u64, 0);
        while !self.stop.wait() {
            if looks.is_multiple_of(LOOKS_PER_FIGURES) {
                self.figures.look(&self.path);
            }
            looks += 1;
            let result = match conn.take() {
                Some(conn) => Ok(conn),
                None => Conn::open(&self.path, &self.config, self.clock.clone(), true),
            };
            match result.and_then(|conn| self.look(&conn, &mut seen).map(|()| conn)) {
                Ok(used) => conn = Some(used),
                Err(error) => tracing::warn!(%error, "checkpoint failed; it will be tried again"),
            }
        }
    }

    /// `seen`: what was in the WAL at the look before.
    fn look(&self, conn: &Conn, seen: &mut i64) -> StoreResult<()> {
        let (in_wal, copied) = frames(conn, "PRAGMA wal_checkpoint(NOOP)")?;
        let is_growing = std::mem::replace(seen, in_wal) != in_wal;
        let half = i64::try_from(self.config.wal_max_bytes / FRAME_BYTES / 2).unwrap_or(i64::MAX);
        if in_wal - copied < if is_growing { half.max(FRAMES_WORTH) } else { FRAMES_WORTH } {
            return Ok(());
        }
        let (in_wal, _) = frames(conn, "PRAGMA wal_checkpoint(PASSIVE)")?;
        let bytes = u64::try_from(in_wal).unwrap_or(0) * FRAME_BYTES;
        if bytes > self.config.wal_max_bytes {
            self.pressure.0.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Frames in the WAL, and those of them already in the database.
fn frames(conn: &Conn, pragma: &str) -> StoreResult<(i64, i64)> {
    conn.raw.query_row(pragma, [], |row| Ok((row.get(1)?, row.get(2)?))).map_err(|error| of_engine(&error))
}
