//! Listening time on a store that nobody writes to.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::{Clock, Store, Wall};
use store_sqlite::{SqliteConfig, SqliteStore};
use store_suite::look;

#[derive(Default)]
struct Running(AtomicU64);

impl Clock for Running {
    fn wall(&self) -> Wall {
        Wall(1_800_000_000_000)
    }
    fn monotonic_us(&self) -> u64 {
        self.ran_ms() * 1000
    }
    fn ran_ms(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A silence must be heard by a read also while nobody commits.
#[test]
fn ker_5_a_read_hears_the_time_now_and_not_that_of_the_last_commit() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(Running::default());
    let store = SqliteStore::open(&folder.path().join("store.db"), SqliteConfig::default(), clock.clone()).unwrap();
    let heard = || look(&store as &dyn Store, |tx| Ok(tx.heard().0));
    let before = heard();
    clock.0.fetch_add(3_600_000, Ordering::Relaxed);
    assert_eq!(heard(), before + 3_600_000);
}
