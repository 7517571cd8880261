//! SQLite.

use connector::Marker;
use connector::engine::{self, ErrorKind};

use crate::kit::{Site, TABLES, work};
use crate::suite::{self, Codes};

/// SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_BUSY.
const CODES: Codes = Codes { duplicate: 1555, lock: Some(5) };

fn site() -> Site {
    let folder = tempfile::tempdir().expect("a folder");
    let connect = folder.path().join("erp.db").display().to_string();
    let side = folder.path().join("side.db").display().to_string();
    // The stock lies in a file beside: in one file, two writers cannot even begin.
    let extra = format!("setup = [\"ATTACH '{side}' AS side\"]");
    let site = Site { engine: "sqlite", connect, extra, stock: "side.stock", end: Box::new(move || drop(folder)) };
    let mut engine = engine::open(&site.settings()).expect("a database");
    for sql in TABLES {
        engine.execute(&sql.replace("TABLE stock", "TABLE side.stock"), &[]).expect(sql);
    }
    site
}

#[test]
fn exc_25_exc_20_the_suite_holds() {
    suite::check_all(site, &CODES);
}

#[test]
fn exc_25_a_lock_of_others_is_a_deadlock() {
    let site = site();
    suite::a_lock_of_others_is_a_deadlock_and_only_for_its_message(&site, &CODES);
    (site.end)();
}

#[test]
fn exc_25_a_file_that_others_write_to_is_waited_for_and_then_left() {
    let site = site();
    let mut database = site.database();
    let mut other = site.other();
    other.begin().unwrap();
    other.execute("INSERT INTO orders (id) VALUES ('x')", &[]).unwrap();
    let error = database.work(&work("p1", &[("a", "order")])).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Locked, "{error}");
    assert_eq!(database.marker("p1").unwrap(), Marker::Open, "whoever writes may be the old connector");
    other.roll_back().unwrap();
    assert_eq!(database.marker("p1").unwrap(), Marker::Absent);
    (site.end)();
}

#[test]
fn exc_25_a_commit_that_fails_says_why() {
    suite::a_commit_that_fails_says_why_and_leaves_nothing(&site());
}

#[test]
fn exc_25_a_message_whose_commit_fails_keeps_no_other() {
    suite::a_message_whose_commit_fails_keeps_no_other(&site());
}
