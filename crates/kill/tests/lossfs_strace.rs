//! The disk that forgets, under SQLite itself. Needs root and FUSE; `strace` in the name keeps it out of quick runs.

use kill::lossfs::{LossDisk, Survival};
use kill::rng::Rng;
use rusqlite::Connection;

/// Writes rows one by one, each acknowledged after its commit.
fn write_rows(path: &std::path::Path, synchronous: &str, rows: i64) {
    let store = Connection::open(path).expect("a store");
    store.pragma_update(None, "journal_mode", "WAL").expect("a write-ahead log");
    store.pragma_update(None, "synchronous", synchronous).expect("a way to sync");
    store.execute("CREATE TABLE IF NOT EXISTS t (a INTEGER)", []).expect("a table");
    for row in 0..rows {
        store.execute("INSERT INTO t VALUES (?1)", [row]).expect("a row");
    }
    // As a killed process does: no checkpoint, no goodbye.
    std::mem::forget(store);
}

fn count_rows(path: &std::path::Path) -> i64 {
    let Ok(store) = Connection::open(path) else { return 0 };
    store.query_row("SELECT COUNT(*) FROM t", [], |row| row.get(0)).unwrap_or(0)
}

/// The control: what was synced is there after a power cut, what was not is not.
#[test]
fn a_power_cut_takes_what_was_not_synced_and_nothing_else() {
    let begun = std::time::Instant::now();
    for (synchronous, survival) in [("FULL", 0), ("FULL", 50), ("FULL", 100), ("OFF", 0)] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut disk = LossDisk::mount(&folder.path().join("disk")).expect("a disk");
        let path = disk.path().join("store.db");
        let child = std::process::Command::new(std::env::current_exe().expect("a program"))
            .args(["--exact", "writes_below_another_test", "--nocapture"])
            .env("LOSSFS_PATH", &path)
            .env("LOSSFS_SYNC", synchronous)
            .output()
            .expect("a writer");
        assert!(child.status.success(), "{child:?}");
        let loss = disk.cut(Survival(survival), Rng::new(7)).expect("a cut");
        println!("{synchronous} {survival}: {loss:?} {:?} {}", begun.elapsed(), count_rows(&path));
    }
}

#[test]
fn writes_below_another_test() {
    let Some(path) = std::env::var_os("LOSSFS_PATH") else { return };
    write_rows(path.as_ref(), &std::env::var("LOSSFS_SYNC").unwrap_or_default(), 1000);
}
