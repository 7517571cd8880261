//! Full and broken disks, as far as they can be had without privileges; the rest is in the server's fault tests.
#![expect(clippy::disallowed_methods, reason = "these tests damage files on purpose")]

use std::fs;
use std::sync::Arc;
use std::sync::mpsc::channel;

use base::{Connection, Isolation, Migration, Outcome, Sql, Store, StoreError, Tx, Verdict, args};
use host::RealClock;
use store_sqlite::{SqliteConfig, SqliteCore, SqliteStore};
use store_suite::{Fixture, Work, change, look, work};

use crate::OneFile;

static INSERT: Sql = Sql::new("test.insert", "INSERT INTO item (body) VALUES (?1)");
static COUNT: Sql = Sql::new("test.count", "SELECT COUNT(*) FROM item");
const ITEMS: &[Migration] =
    &[Migration { service: "test", version: 1, text: "CREATE TABLE item (body {blob} NOT NULL) {strict}" }];

fn insert_alone(core: &mut SqliteCore) {
    core.begin(Isolation::Serial).unwrap();
    core.tx().write(&INSERT, args![&[7u8; 100]]).unwrap();
    core.commit().unwrap();
}

#[test]
fn ker_41_a_reopened_store_that_lost_acknowledged_commits_is_refused() {
    let fixture = OneFile::new();
    fixture.open().migrate(ITEMS).unwrap();
    let old = fixture.folder.path().join("old.db");
    fs::copy(fixture.path(), &old).unwrap();
    let mut core = SqliteCore::open(&fixture.path(), SqliteConfig::default(), Arc::new(RealClock::new())).unwrap();
    insert_alone(&mut core);
    assert_eq!(core.reopen(), Ok(()), "nothing is missing");
    insert_alone(&mut core);
    fs::remove_file(fixture.path()).unwrap();
    fs::remove_file(fixture.path().with_extension("db-wal")).unwrap();
    fs::rename(&old, fixture.path()).unwrap();
    let refused = core.reopen();
    assert!(
        matches!(&refused, Err(StoreError::Unavailable(why)) if why.contains("2 acknowledged commits")),
        "{refused:?}"
    );
}

#[test]
fn ker_41_a_file_that_is_no_database_is_refused() {
    let fixture = OneFile::new();
    fs::write(fixture.path(), "this is not a database, but it is long enough to look at ".repeat(100)).unwrap();
    let opened = SqliteStore::open(&fixture.path(), SqliteConfig::default(), fixture.clock());
    assert!(matches!(opened.err(), Some(StoreError::Unavailable(_))));
}

#[test]
fn ker_31_the_reserve_lies_on_the_disk_from_the_start() {
    let fixture = OneFile::new();
    let config = SqliteConfig { reserve_bytes: 300_000, ..SqliteConfig::default() };
    let store = fixture.open_with(config);
    assert_eq!(fs::metadata(fixture.path().with_extension("reserve")).unwrap().len(), 300_000);
    store.close();
}

/// Cell D13: the WAL stays bounded though the load never pauses.
#[test]
fn the_wal_stays_bounded_under_load() {
    const WAL_MAX: u64 = 4 << 20;
    let fixture = OneFile::new();
    let store = fixture.open_with(SqliteConfig { wal_max_bytes: WAL_MAX, ..SqliteConfig::default() });
    store.migrate(ITEMS).unwrap();
    let wal = fixture.path().with_extension("db-wal");
    let mut largest = 0;
    for _ in 0..600 {
        change(store.as_ref(), |tx: &mut dyn Tx| {
            (0..10).try_for_each(|_| tx.write(&INSERT, args![[7u8; 10_000].as_slice()]))
        });
        largest = largest.max(fs::metadata(&wal).map_or(0, |meta| meta.len()));
    }
    assert_eq!(look(store.as_ref(), |tx| Ok(tx.query_one(&COUNT, args![])?.map(|row| row.int(0)))), Some(6_000));
    // 60 MB were written. The checkpointer looks ten times a second, so the bound is overshot by what comes in between.
    assert!(largest < 40 << 20, "the WAL grew to {largest} bytes");
}

/// What is left of the room is for work that ends something, also when such work has opened the batch.
#[test]
fn ker_31_new_work_does_not_join_a_batch_that_uses_the_reserve() {
    let fixture = OneFile::new();
    // The reserve cannot be made: the store stays as it is once it was full.
    fs::create_dir(fixture.path().with_extension("reserve")).unwrap();
    let store = fixture.open_with(SqliteConfig::default());
    store.migrate(ITEMS).unwrap();
    store.set_pages_max(64);
    let big = insert(1 << 20).outcome(store.as_ref());
    assert!(matches!(big, Outcome::Failed(StoreError::Full(_))), "{big:?}");
    let (reached, held) = channel();
    let (open, gate) = channel::<()>();
    let holds = work("holds the writer", move |_| {
        let _ = reached.send(());
        let _ = gate.recv();
        Ok(Verdict::Keep)
    });
    let first = holds.ending().submit(store.as_ref());
    held.recv().unwrap();
    let ending = insert(1).ending().submit(store.as_ref());
    let new: Vec<_> = (0..5).map(|_| insert(1).submit(store.as_ref())).collect();
    drop(open);
    assert_eq!((first.outcome(), ending.outcome()), (Outcome::Committed, Outcome::Committed));
    for answer in new {
        let outcome = answer.outcome();
        assert!(matches!(outcome, Outcome::Failed(StoreError::Full(_))), "{outcome:?}");
    }
}

fn insert(bytes: usize) -> Work {
    work("insert", move |tx| {
        tx.execute(&INSERT, args![vec![7; bytes]])?;
        Ok(Verdict::Keep)
    })
}
