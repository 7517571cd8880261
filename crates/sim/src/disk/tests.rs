//! What the disk promises and what it does not, one at a time. "Always" and "sometimes" are over many seeds.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Read, Write};

use host::{Folder, OpenFile};

use super::content::SECTOR;
use super::*;

const SEEDS: std::ops::Range<u64> = 0..200;

fn calm(seed: u64) -> SimDisk {
    SimDisk::new(Rng::new(seed), DiskFaults::default())
}

/// Writes a file without any sync.
fn write(folder: &SimFolder, name: &str, bytes: &[u8]) -> handle::SimFile {
    let mut file = folder.create(name).unwrap();
    file.write_all(bytes).unwrap();
    file
}

/// Writes a file so that it stays.
fn write_durably(folder: &SimFolder, name: &str, bytes: &[u8]) {
    write(folder, name, bytes).sync().unwrap();
    folder.sync().unwrap();
}

/// Makes a directory so that it stays.
fn make_durably(folder: &SimFolder, name: &str) -> SimFolder {
    assert!(folder.make(name).unwrap());
    folder.sync().unwrap();
    folder.enter(name).unwrap()
}

/// What is there after a power cut, by seed: the outcomes there are.
fn after_cut(prepare: impl Fn(&SimFolder)) -> BTreeSet<Vec<(String, Vec<u8>)>> {
    let outcome = |seed| {
        let disk = calm(seed);
        prepare(&disk.root());
        disk.cut();
        disk.files().into_iter().collect()
    };
    SEEDS.map(outcome).collect()
}

/// The same, by names alone.
fn names_after_cut(prepare: impl Fn(&SimFolder)) -> BTreeSet<Vec<String>> {
    let names = |files: Vec<(String, Vec<u8>)>| files.into_iter().map(|(name, _)| name).collect();
    after_cut(prepare).into_iter().map(names).collect()
}

fn outcomes(of: &[&[&str]]) -> BTreeSet<Vec<String>> {
    of.iter().map(|names| names.iter().map(|name| (*name).to_owned()).collect()).collect()
}

#[test]
fn what_was_synced_survives_a_cut_and_all_that_was_shown_survives_a_kill() {
    let outcomes = after_cut(|root| write_durably(&make_durably(root, "a"), "x", b"kept"));
    assert_eq!(outcomes, BTreeSet::from([vec![("a/x".to_owned(), b"kept".to_vec())]]));
    let disk = calm(1);
    write(&disk.root(), "x", b"not synced");
    disk.kill();
    assert_eq!(disk.files()["x"], b"not synced");
}

#[test]
fn content_that_was_not_synced_is_lost_torn_or_mixed() {
    let content: Vec<u8> = (0..SECTOR * 3 + 7).map(|at| b'a' + u8::try_from(at / SECTOR).unwrap()).collect();
    let outcomes = after_cut(|root| {
        drop(write(root, "x", &content));
        root.sync().unwrap();
    });
    let left: Vec<Vec<u8>> = outcomes.into_iter().map(|files| files[0].1.clone()).collect();
    assert!(left.contains(&vec![]), "lost");
    assert!(left.contains(&content), "written all the same");
    assert!(left.iter().any(|left| content.starts_with(left) && left.len() % SECTOR != 0), "torn anywhere");
    let mixed = |left: &&Vec<u8>| left.len() == content.len() && left.contains(&0);
    let sectors = left.iter().find(mixed).expect("a mix");
    let whole = |(got, put): (&[u8], &[u8])| got == put || got.iter().all(|byte| *byte == 0);
    assert!(sectors.chunks(SECTOR).zip(content.chunks(SECTOR)).all(whole), "sector by sector");
}

#[test]
fn what_was_synced_before_is_not_torn_by_what_is_written_behind_it() {
    let outcomes = after_cut(|root| {
        let mut file = write(root, "x", &[b'a'; SECTOR]);
        file.sync().unwrap();
        root.sync().unwrap();
        file.write_all(&[b'b'; SECTOR]).unwrap();
    });
    assert!(outcomes.iter().all(|files| files[0].1.starts_with(&[b'a'; SECTOR])) && outcomes.len() > 2);
}

#[test]
fn names_that_were_not_synced_are_there_or_not_each_for_itself() {
    let made = names_after_cut(|root| ["x", "y"].iter().for_each(|name| drop(write(root, name, b""))));
    assert_eq!(made, outcomes(&[&[], &["x"], &["y"], &["x", "y"]]));
    let removed = names_after_cut(|root| {
        ["x", "y"].iter().for_each(|name| write_durably(root, name, b""));
        ["x", "y"].iter().for_each(|name| root.remove(name).unwrap());
    });
    assert_eq!(removed, made);
    let synced = names_after_cut(|root| {
        write_durably(root, "x", b"");
        root.remove("x").unwrap();
        root.sync().unwrap();
    });
    assert_eq!(synced, outcomes(&[&[]]));
}

#[test]
fn every_state_that_a_name_had_since_the_sync_may_be_found() {
    let states = after_cut(|root| {
        write_durably(root, "x", b"0");
        let folders = ["1", "2"].map(|name| make_durably(root, name));
        for (folder, new) in folders.iter().zip([b"1", b"2"]) {
            write_durably(folder, "t", new);
            folder.rename("t", root, "x").unwrap();
        }
    });
    let found: BTreeSet<&[u8]> = states.iter().map(|files| files.last().unwrap().1.as_slice()).collect();
    assert_eq!(found, BTreeSet::from([&b"0"[..], b"1", b"2"]));
}

/// A durable file is renamed between two durable directories, then `syncs`.
fn names_after_rename(syncs: impl Fn(&SimFolder, &SimFolder)) -> BTreeSet<Vec<String>> {
    names_after_cut(|root| {
        let (from, to) = (make_durably(root, "a"), make_durably(root, "b"));
        write_durably(&from, "x", b"1");
        from.rename("x", &to, "y").unwrap();
        syncs(&from, &to);
    })
}

#[test]
fn a_renamed_file_is_under_the_old_name_the_new_one_or_both_but_never_under_none() {
    let unsynced = names_after_rename(|_, _| {});
    assert_eq!(unsynced, outcomes(&[&["a/x"], &["b/y"], &["a/x", "b/y"]]));
    assert_eq!(names_after_rename(|_, to| to.sync().unwrap()), outcomes(&[&["b/y"], &["a/x", "b/y"]]));
    assert_eq!(names_after_rename(|from, _| from.sync().unwrap()), outcomes(&[&["b/y"]]));
    let both = names_after_rename(|from, to| to.sync().and_then(|()| from.sync()).unwrap());
    assert_eq!(both, outcomes(&[&["b/y"]]));
}

#[test]
fn a_file_renamed_into_a_directory_that_was_never_durable_may_go_with_it() {
    let left = names_after_cut(|root| {
        write_durably(root, "x", b"1");
        root.make("new").unwrap();
        root.rename("x", &root.enter("new").unwrap(), "x").unwrap();
    });
    assert!(left.contains(&vec![]) && left.contains(&vec!["x".to_owned()]), "{left:?}");
}

#[test]
fn a_directory_that_is_not_durable_vanishes_with_everything_below() {
    let left = names_after_cut(|root| {
        root.make("a").unwrap();
        write_durably(&make_durably(&root.enter("a").unwrap(), "b"), "x", b"1");
    });
    assert_eq!(left, outcomes(&[&[], &["a/b/x"]]));
}

#[test]
fn two_names_of_one_file_stay_two_when_one_is_renamed_to_the_other() {
    let twins = SEEDS.map(calm).find(|disk| {
        write_durably(&disk.root(), "x", b"1");
        let to = make_durably(&disk.root(), "d");
        disk.root().rename("x", &to, "x").unwrap();
        disk.cut();
        disk.files().len() == 2
    });
    let (root, to) = twins.map(|disk| (disk.root(), disk.root().enter("d").unwrap())).unwrap();
    assert!(root.are_twins("x", &to, "x").unwrap() && !root.are_twins("x", &root, "x").unwrap());
    root.rename("x", &to, "x").unwrap();
    assert!(root.kind("x").is_ok() && to.kind("x").is_ok());
}

/// The disk with one fault that strikes every time.
fn failing(fault: DiskFault) -> (SimDisk, SimFolder) {
    let disk = calm(1);
    write_durably(&disk.root(), "old", b"old");
    disk.set_faults(DiskFaults::only(fault, 1));
    let root = disk.root();
    (disk, root)
}

#[test]
fn a_full_disk_and_a_failed_write_take_a_part() {
    for (fault, kind) in [(DiskFault::Full, ErrorKind::StorageFull), (DiskFault::WriteFailed, ErrorKind::Other)] {
        let (disk, root) = failing(fault);
        let refused = root.create("x").unwrap().write_all(&[7; 2_000]).unwrap_err();
        assert_eq!(refused.kind(), kind);
        assert!((1..=2_000).contains(&disk.files()["x"].len()));
        assert_eq!(disk.struck(), BTreeMap::from([(fault, 1)]));
    }
}

#[test]
fn reads_fail() {
    let (disk, root) = failing(DiskFault::ReadFailed);
    assert!(root.open_regular("old").is_err() && root.entries().is_err() && root.kind("old").is_err());
    disk.set_faults(DiskFaults::default());
    let mut file = root.open_regular("old").unwrap();
    disk.set_faults(DiskFaults::only(DiskFault::ReadFailed, 1));
    assert!(file.read(&mut [0; 10]).is_err());
}

#[test]
fn after_a_failed_sync_of_a_file_no_later_sync_makes_it_durable() {
    let lost = SEEDS.filter(|seed| {
        let disk = calm(*seed);
        let file = write(&disk.root(), "x", b"dropped");
        disk.set_faults(DiskFaults::only(DiskFault::SyncFailed, 1));
        assert!(file.sync().is_err());
        disk.set_faults(DiskFaults::default());
        assert_eq!(disk.files()["x"], b"dropped", "it is still shown");
        file.sync().unwrap();
        disk.root().open_regular("x").unwrap().sync().unwrap();
        disk.root().sync().unwrap();
        disk.cut();
        disk.files()["x"] != b"dropped"
    });
    assert!(lost.count() > 50);
}

#[test]
fn after_a_failed_sync_of_a_directory_a_later_one_counts() {
    let (disk, root) = failing(DiskFault::DirectorySyncFailed);
    drop(write(&root, "x", b""));
    assert!(root.sync().is_err());
    disk.set_faults(DiskFaults::default());
    root.sync().unwrap();
    disk.cut();
    assert!(disk.files().contains_key("x"));
}

#[test]
fn a_journal_that_failed_makes_the_disk_read_only_until_the_power_is_cut() {
    let (disk, root) = failing(DiskFault::Aborted);
    assert!(root.sync().is_err() && disk.is_read_only());
    disk.set_faults(DiskFaults::default());
    disk.kill();
    let root = disk.root();
    for refused in [root.sync(), root.remove("old"), root.create("x").map(drop), root.make("d").map(drop)] {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::ReadOnlyFilesystem);
    }
    root.open_regular("old").unwrap();
    disk.cut();
    disk.root().remove("old").unwrap();
}

#[test]
fn changes_of_names_fail_before_or_after_they_are_done() {
    for (fault, done) in [(DiskFault::NameFailed, false), (DiskFault::NameFailedLate, true)] {
        let (disk, root) = failing(fault);
        assert!(root.rename("old", &root, "new").is_err());
        assert_eq!(disk.files().contains_key("new"), done);
        let left = if done { "new" } else { "old" };
        assert!(root.remove(left).is_err());
        assert_eq!(disk.files().is_empty(), done);
        assert!(root.make("d").is_err() && root.create("x").is_err());
    }
}

#[test]
fn a_process_that_ended_does_nothing_more_and_its_handles_are_worth_nothing() {
    let (disk, root) = failing(DiskFault::Died);
    assert!(root.remove("old").is_err() && disk.is_dead());
    disk.set_faults(DiskFaults::default());
    assert!(root.remove("old").is_err());
    disk.kill();
    assert!(root.remove("old").is_err() && !disk.is_dead());
    disk.root().remove("old").unwrap();
}

#[test]
fn the_same_seed_gives_the_same_outcome() {
    let outcome = |seed| {
        let disk = calm(seed);
        (0..8).for_each(|n| drop(write(&disk.root(), &format!("f{n}"), &[n; 3_000])));
        disk.cut();
        disk.files()
    };
    assert_eq!(outcome(3), outcome(3));
    assert_ne!(outcome(3), outcome(4));
}
