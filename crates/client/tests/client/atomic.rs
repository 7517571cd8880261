//! An answer is in the file whole or not at all: after an error half way, and after a kill at any moment.

#![expect(clippy::disallowed_methods, reason = "these tests damage real files")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use client::Replica;
use client::replica::{Entry, FileShelf, ItemWrites, ReplicaError, Shelf, ShelfError, Write};
use replica::{Content, CopiedItem, Head, ItemKey};

use crate::source::Source;

const DOCUMENTS: usize = 200;
/// Where the child finds its file; set in the child alone.
const CHILD: &str = "CLIENT_TEST_REPLICA";

fn document(id: &str, v: i64) -> Write {
    let entry = Entry { head: Head { v, ct: 1, dt: 0 }, ..Entry::nothing("C", id) };
    let item = CopiedItem { v, vop: v, content: Some(Content::Raw(v.to_string())) };
    Write::Document { entry, items: ItemWrites { put: vec![(ItemKey::new("S", ""), item)], remove: vec![] } }
}

#[test]
fn doc_9_an_error_half_way_leaves_the_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replica");
    let mut shelf = FileShelf::open(&path).unwrap();
    shelf.write(vec![document("1", 1), document("2", 1)]).unwrap();
    drop(shelf);
    let rule = "CREATE TRIGGER full BEFORE INSERT ON document WHEN new.id = '2' BEGIN SELECT RAISE(ABORT, 'full'); END";
    rusqlite::Connection::open(&path).unwrap().execute_batch(rule).unwrap();
    let mut shelf = FileShelf::open(&path).unwrap();
    let half_way = shelf.write(vec![Write::Epoch("e".into()), document("1", 2), document("2", 2)]);
    assert!(matches!(half_way, Err(ShelfError::Engine(_))), "{half_way:?}");
    check_untouched(&shelf);
    drop(shelf);
    check_untouched(&FileShelf::open(&path).unwrap());
}

fn check_untouched(shelf: &FileShelf) {
    assert_eq!(shelf.entries().unwrap().iter().map(|entry| entry.head.v).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(shelf.epoch().unwrap(), None);
}

#[test]
fn doc_9_a_file_has_one_owner_and_foreign_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replica");
    let owner = Replica::open(&path).unwrap();
    assert!(matches!(Replica::open(&path), Err(ReplicaError::Shelf(ShelfError::InUse))));
    drop(owner);
    Replica::open(&path).unwrap();
    let foreign = folder.path().join("foreign");
    rusqlite::Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE theirs (a)").unwrap();
    let text = folder.path().join("text");
    std::fs::write(&text, "no database at all, but long enough to be looked at as one; ".repeat(20)).unwrap();
    for path in [foreign, text] {
        let before = std::fs::read(&path).unwrap();
        assert!(matches!(Replica::open(&path), Err(ReplicaError::Shelf(ShelfError::Foreign(_)))), "{path:?}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
    let later = folder.path().join("later");
    drop(Replica::open(&later).unwrap());
    rusqlite::Connection::open(&later).unwrap().pragma_update(None, "user_version", 2).unwrap();
    assert!(matches!(Replica::open(&later), Err(ReplicaError::Shelf(ShelfError::Foreign(_)))));
}

#[test]
fn doc_9_a_replica_that_is_killed_holds_whole_answers() {
    if let Some(path) = std::env::var_os(CHILD) {
        take_answers_for_ever(Path::new(&path));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("replica.db");
    let mut rounds = vec![];
    for kill_after in [2, 2, 3, 3, 4, 4, 5, 6, 7, 8] {
        kill_while_it_takes_answers(&path, kill_after);
        rounds.push(check_whole(&path));
    }
    assert!(rounds.is_sorted() && rounds[0] < rounds[9], "no answer was lost and every run got on: {rounds:?}");
}

/// The child: each round the source changes every document, and one answer brings them all.
fn take_answers_for_ever(path: &Path) -> ! {
    let mut replica = Replica::open(path).unwrap();
    let mut source = Source::new();
    // Each run is a new source to the replica, as after a restore: its first answer replaces everything.
    source.clock = replica.held().unwrap().iter().map(|held| held.v).max().unwrap_or(100) + 1_000;
    source.epoch = source.clock.to_string();
    (0..DOCUMENTS).for_each(|id| replica.follow("C", &format!("{id:05}"), None).unwrap());
    for round in 0.. {
        (0..DOCUMENTS).for_each(|id| source.put(&format!("{id:05}"), "k", round));
        let ask = replica.asks().unwrap().remove(0);
        let answer = source.answer(&ask);
        // Said before it is taken in, so that the kill comes in the midst of it.
        println!("\nround {round}");
        replica.take(&ask, answer).unwrap();
    }
    unreachable!()
}

fn kill_while_it_takes_answers(path: &Path, kill_after: usize) {
    let test = "atomic::doc_9_a_replica_that_is_killed_holds_whole_answers";
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(CHILD, path).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let rounds = lines.map_while(Result::ok).filter(|line| line.starts_with("round")).take(kill_after).count();
    wait_for_a_write(&path.with_extension("db-wal"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(rounds, kill_after, "the child ended by itself");
}

/// Until the log grows: the answer is just being written.
fn wait_for_a_write(log: &Path) {
    let length = || std::fs::metadata(log).map_or(0, |log| log.len());
    let before = length();
    let grown = (0..10_000_000).any(|_| length() != before);
    assert!(grown, "nothing was written for a long time");
}

/// All documents are of one answer; gives the version of the first.
fn check_whole(path: &Path) -> i64 {
    let replica = Replica::open(path).unwrap();
    let held = replica.held().unwrap();
    assert_eq!(held.len(), DOCUMENTS);
    let copies = held.iter().map(|held| replica.document("C", &held.id).unwrap().unwrap());
    let mut numbers: Vec<_> = copies.flat_map(|copy| copy.items.into_values().map(|item| item.content)).collect();
    numbers.dedup();
    assert_eq!(numbers.len(), 1, "documents of two answers: {numbers:?}");
    let versions: Vec<i64> = held.iter().map(|held| held.v).collect();
    assert!(versions.windows(2).all(|pair| pair[1] == pair[0] + 1), "{versions:?}");
    versions[0]
}
