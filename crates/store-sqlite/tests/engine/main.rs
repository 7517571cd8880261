//! The embedded engine: the contract of all engines, and what only this one can show.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod disk;
mod idle;
mod statements;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};

use base::{Clock, Store};
use host::RealClock;
use store_sqlite::{SqliteConfig, SqliteStore};
use store_suite::Fixture;
use tempfile::TempDir;

/// A database file in a folder of its own.
struct OneFile {
    folder: TempDir,
    clock: Arc<RealClock>,
    /// The store opened last, to bound its size.
    opened: Mutex<Weak<SqliteStore>>,
}

impl OneFile {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder, clock: Arc::new(RealClock::new()), opened: Mutex::default() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("store.db")
    }

    fn open_with(&self, config: SqliteConfig) -> Arc<SqliteStore> {
        let store = SqliteStore::open(&self.path(), config, self.clock.clone()).expect("the store opens");
        let store = Arc::new(store);
        *self.opened.lock().expect("a lock") = Arc::downgrade(&store);
        store
    }
}

impl Fixture for OneFile {
    fn open(&self) -> Arc<dyn Store> {
        self.open_with(SqliteConfig::default())
    }

    fn open_small(&self, queue_max: usize) -> Arc<dyn Store> {
        self.open_with(SqliteConfig { queue_max, ..SqliteConfig::default() })
    }

    fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    /// SQLite's own "full": the database may not grow beyond so many pages.
    fn fill_disk(&self, _: &dyn Store, on: bool) -> bool {
        let store = self.opened.lock().expect("a lock").upgrade().expect("an open store");
        store.set_pages_max(if on { 64 } else { 0 });
        true
    }

    fn full_disk_takes_updates(&self) -> bool {
        true
    }
}

store_suite::contract_tests!(OneFile::new());

#[test]
fn ker_41_the_bundled_sqlite_has_no_wal_reset_bug() {
    assert!(store_sqlite::sqlite_version() >= 3_051_003, "{}", store_sqlite::sqlite_version());
}
