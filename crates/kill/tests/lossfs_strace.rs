//! The disk that forgets, under SQLite itself. Needs root and FUSE; `strace` in the name keeps it out of quick runs.

use std::path::Path;
use std::process::Command;

use kill::lossfs::{LossDisk, Survival};
use kill::rng::Rng;
use rusqlite::Connection;

const ROWS: i64 = 500;

/// The control: after a power cut what was committed with a sync is there, what was committed without is gone.
#[test]
fn a_power_cut_takes_what_was_not_synced_and_nothing_else() {
    for (synchronous, survival, expected) in [("FULL", 0, ROWS), ("FULL", 50, ROWS), ("FULL", 100, ROWS), ("OFF", 0, 0)]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let mut disk = LossDisk::mount(&folder.path().join("disk")).expect("a disk");
        let store = disk.path().join("store.db");
        write_elsewhere(&store, synchronous);
        assert_eq!(count_rows(&store), ROWS, "{synchronous}: all is seen before the cut");
        let loss = disk.cut(Survival(survival), Rng::new(7)).expect("a cut");
        assert!(loss.unsynced > 0, "{synchronous}: {loss:?}");
        assert_eq!(count_rows(&store), expected, "{synchronous}, {survival} of a hundred pages survive: {loss:?}");
    }
}

/// In a process of its own, as a killed one: no checkpoint, no goodbye.
fn write_elsewhere(store: &Path, synchronous: &str) {
    let mut command = Command::new(std::env::current_exe().expect("a program"));
    command.args(["--exact", "writes_where_another_test_says"]);
    let output = command.env("LOSSFS_STORE", store).env("LOSSFS_SYNC", synchronous).output().expect("a writer");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn writes_where_another_test_says() {
    let Some(path) = std::env::var_os("LOSSFS_STORE") else { return };
    let store = Connection::open(path).expect("a store");
    store.pragma_update(None, "journal_mode", "WAL").expect("a write-ahead log");
    store.pragma_update(None, "synchronous", std::env::var("LOSSFS_SYNC").expect("a way")).expect("a way to sync");
    store.execute("CREATE TABLE t (a INTEGER)", []).expect("a table");
    for row in 0..ROWS {
        store.execute("INSERT INTO t VALUES (?1)", [row]).expect("a row");
    }
    std::mem::forget(store);
}

fn count_rows(path: &Path) -> i64 {
    let store = Connection::open(path).expect("a file");
    let rows = store.query_row("SELECT COUNT(*) FROM t", [], |row| row.get(0)).unwrap_or(0);
    // Closing would empty the log into the store, with syncs.
    let closed = store.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    closed.expect("a close without syncs");
    rows
}
