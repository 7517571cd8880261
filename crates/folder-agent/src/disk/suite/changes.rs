use super::{Rig, both, done, local, stat};
use crate::disk::{Expected, Outcome, Stage};
use crate::model::Content;

#[test]
fn fld_19_a_new_file_has_its_time_and_its_executable_bit() {
    both(|rig| {
        let stage = rig.stage(1, b"#!/bin/sh");
        let outcome = rig.disk().install(stage, "run", Expected::Nothing, true, Some(1_600_000_000_123_456)).unwrap();
        let made = done(rig, "run", outcome);
        assert_eq!(made.mtime_ns, 1_600_000_000_123_456_000);
        let content = local(rig.disk(), "run").content;
        assert_eq!(content, Content::File { hash: None, size: 9, executable: true });
        assert_eq!(rig.bytes("run").unwrap(), b"#!/bin/sh");
        assert_eq!(rig.disk().stage_size(stage).unwrap(), None, "the stage is the file now");
        assert!(rig.backups().is_empty());
        rig.disk().settle().unwrap();
    });
}

#[test]
fn fld_19_times_before_1970_are_times() {
    both(|rig| {
        let stage = rig.stage(1, b"old");
        let outcome = rig.disk().install(stage, "old", Expected::Nothing, false, Some(-1_500_001)).unwrap();
        assert_eq!(done(rig, "old", outcome).mtime_ns, -1_500_001_000);
    });
}

#[test]
fn fld_23_what_is_replaced_lies_in_the_backups() {
    both(|rig| {
        rig.mkdir("deep");
        rig.write("deep/a", b"first");
        for (number, bytes) in [b"2".as_slice(), b"33", b"444"].into_iter().enumerate() {
            rig.tick();
            let expected = Expected::File(stat(rig.disk(), "deep/a"));
            let stage = rig.stage(number as u64, bytes);
            let outcome = rig.disk().install(stage, "deep/a", expected, false, None).unwrap();
            done(rig, "deep/a", outcome);
            assert_eq!(rig.bytes("deep/a").unwrap(), bytes);
            assert_eq!(rig.disk().stages().unwrap(), []);
        }
        let sizes: Vec<u64> = rig.backups().into_iter().map(|(_, size)| size).collect();
        assert_eq!(sizes, [1, 2, 5]);
        assert!(rig.backups().iter().all(|(path, _)| path == "deep/a"));
        rig.disk().settle().unwrap();
    });
}

#[test]
fn fld_7_a_file_that_changed_since_it_was_planned_on_is_not_touched() {
    both(|rig| {
        rig.write("a", b"planned");
        let planned = stat(rig.disk(), "a");
        rig.tick();
        rig.write("a", b"changed");
        assert_eq!(rig.install(b"new", "a", Expected::File(planned)), Outcome::Changed);
        assert_eq!(rig.install(b"new", "a", Expected::Nothing), Outcome::Changed);
        assert_eq!(rig.disk().remove("a", planned).unwrap(), Outcome::Changed);
        assert_eq!(rig.disk().rename("a", planned, "b").unwrap(), Outcome::Changed);
        assert_eq!(rig.disk().install_link("x", "a", Expected::File(planned)).unwrap(), Outcome::Changed);
        assert_eq!(rig.bytes("a").unwrap(), b"changed");
        assert_eq!(rig.disk().stage_size(Stage(1_000)).unwrap(), Some(3), "the stage can be used again");
        rig.remove("a");
        assert_eq!(rig.install(b"new", "a", Expected::File(planned)), Outcome::Changed);
        assert_eq!(rig.disk().remove("a", planned).unwrap(), Outcome::Changed);
        assert!(rig.names("").is_empty() && rig.backups().is_empty());
    });
}

#[test]
fn fld_7_a_file_saved_by_rename_is_another_file() {
    both(|rig| {
        rig.write("a", b"same");
        let planned = stat(rig.disk(), "a");
        rig.write("a~", b"same");
        rig.rename("a~", "a");
        assert_eq!(rig.install(b"new", "a", Expected::File(planned)), Outcome::Changed);
    });
}

#[test]
fn fld_7_a_plan_whose_folder_is_gone_is_stale() {
    both(|rig| {
        rig.mkdir("folder");
        rig.write("folder/a", b"x");
        let planned = stat(rig.disk(), "folder/a");
        rig.remove("folder");
        let stale = |rig: &mut dyn Rig| {
            assert_eq!(rig.install(b"new", "folder/b", Expected::Nothing), Outcome::Changed);
            assert_eq!(rig.install(b"new", "folder/a", Expected::File(planned)), Outcome::Changed);
            assert_eq!(rig.disk().install_link("x", "folder/b", Expected::Nothing).unwrap(), Outcome::Changed);
            assert_eq!(rig.disk().make_folder("folder/b").unwrap(), Outcome::Changed);
            assert_eq!(rig.disk().rename("folder/a", planned, "b").unwrap(), Outcome::Changed);
            assert_eq!(rig.disk().remove("folder/a", planned).unwrap(), Outcome::Changed);
            assert_eq!(rig.disk().set_executable("folder/a", planned, true).unwrap(), Outcome::Changed);
        };
        stale(rig);
        rig.write("folder", b"a folder turned into a file");
        stale(rig);
        rig.remove("folder");
        rig.mkdir("other");
        rig.write("other/a", b"x");
        rig.symlink("other", "folder");
        stale(rig);
        assert_eq!((rig.names(""), rig.names("other")), (vec!["folder".into(), "other".into()], vec!["a".into()]));
    });
}

#[test]
fn fld_16_a_folder_is_never_replaced_by_a_file() {
    both(|rig| {
        rig.mkdir("a");
        let folder = stat(rig.disk(), "a");
        for expected in [Expected::Nothing, Expected::File(folder)] {
            assert_eq!(rig.install(b"new", "a", expected), Outcome::Changed);
            assert_eq!(rig.disk().install_link("x", "a", expected).unwrap(), Outcome::Changed);
        }
        assert_eq!(stat(rig.disk(), "a"), folder);
    });
}

#[test]
fn fld_19_a_link_is_put_and_replaced_like_a_file() {
    both(|rig| {
        let outcome = rig.disk().install_link("../somewhere", "a", Expected::Nothing).unwrap();
        let link = done(rig, "a", outcome);
        assert_eq!(local(rig.disk(), "a").content, Content::Symlink("../somewhere".to_owned()));
        rig.tick();
        let stage = rig.stage(1, b"a file");
        let outcome = rig.disk().install(stage, "a", Expected::File(link), false, None).unwrap();
        let file = done(rig, "a", outcome);
        rig.tick();
        let outcome = rig.disk().install_link("again", "a", Expected::File(file)).unwrap();
        done(rig, "a", outcome);
        assert_eq!(rig.backups(), [("a".to_owned(), 6), ("a".to_owned(), 12)]);
        assert!(rig.disk().install_link("", "b", Expected::Nothing).is_err());
        rig.disk().settle().unwrap();
    });
}

#[test]
fn a_folder_is_made_once() {
    both(|rig| {
        let outcome = rig.disk().make_folder("a").unwrap();
        let made = done(rig, "a", outcome);
        assert_eq!(rig.disk().make_folder("a").unwrap(), Outcome::Done(made));
        rig.disk().make_folder("a/b").unwrap();
        rig.write("file", b"");
        rig.symlink("a", "link");
        for path in ["file", "link", "file/b", "link/b", "missing/b"] {
            assert_eq!(rig.disk().make_folder(path).unwrap(), Outcome::Changed, "{path}");
        }
        assert_eq!(rig.names("a"), ["b"]);
        rig.disk().settle().unwrap();
    });
}

#[test]
fn fld_15_a_folder_is_renamed_with_all_that_is_in_it() {
    both(|rig| {
        rig.mkdir("a");
        rig.mkdir("a/b");
        rig.write("a/b/c", b"x");
        rig.write("taken", b"y");
        let folder = stat(rig.disk(), "a");
        assert_eq!(rig.disk().rename("a", folder, "taken").unwrap(), Outcome::Changed);
        assert_eq!(rig.disk().rename("a", folder, "a/b/d").unwrap(), Outcome::Changed, "into itself");
        assert_eq!(rig.disk().rename("a", folder, "missing/d").unwrap(), Outcome::Changed);
        let outcome = rig.disk().rename("a", folder, "d").unwrap();
        done(rig, "d", outcome);
        assert_eq!(rig.bytes("d/b/c").unwrap(), b"x");
        rig.mkdir("empty");
        let empty = stat(rig.disk(), "empty");
        assert_eq!(rig.disk().rename("d", folder, "empty").unwrap(), Outcome::Changed, "also an empty one is there");
        assert_eq!(stat(rig.disk(), "empty"), empty);
        rig.disk().settle().unwrap();
    });
}

#[test]
fn fld_16_a_rename_replaces_nothing() {
    both(|rig| {
        rig.write("a", b"from");
        rig.write("b", b"to");
        let from = stat(rig.disk(), "a");
        assert_eq!(rig.disk().rename("a", from, "b").unwrap(), Outcome::Changed);
        let there = stat(rig.disk(), "b");
        assert!(matches!(rig.disk().remove("b", there).unwrap(), Outcome::Done(_)));
        rig.tick();
        let outcome = rig.disk().rename("a", from, "b").unwrap();
        assert!(done(rig, "b", outcome).is_same_but_moved(&from));
        assert_eq!((rig.names(""), rig.backups()), (vec!["b".to_owned()], vec![("b".to_owned(), 2)]));
    });
}

#[test]
fn fld_23_what_is_removed_lies_in_the_backups() {
    both(|rig| {
        rig.mkdir("folder");
        rig.write("folder/a", b"file");
        rig.symlink("x", "folder/link");
        rig.fifo("folder/fifo");
        let folder = stat(rig.disk(), "folder");
        for path in ["folder/a", "folder/link"] {
            assert_eq!(rig.disk().remove("folder", folder).unwrap(), Outcome::Changed, "not empty");
            let there = stat(rig.disk(), path);
            assert!(matches!(rig.disk().remove(path, there).unwrap(), Outcome::Done(_)));
        }
        assert_eq!(rig.disk().remove("folder", folder).unwrap(), Outcome::Changed, "something of others is in it");
        rig.remove("folder/fifo");
        assert!(matches!(rig.disk().remove("folder", folder).unwrap(), Outcome::Done(_)));
        assert!(rig.names("").is_empty());
        assert_eq!(rig.backups(), [("folder/a".to_owned(), 4), ("folder/link".to_owned(), 1)]);
        rig.disk().settle().unwrap();
    });
}

#[test]
fn fld_23_a_path_that_was_a_file_and_then_a_folder_has_both_in_the_backups() {
    both(|rig| {
        rig.write("a", b"1");
        let there = stat(rig.disk(), "a");
        rig.disk().remove("a", there).unwrap();
        rig.mkdir("a");
        rig.write("a/b", b"22");
        let there = stat(rig.disk(), "a/b");
        rig.disk().remove("a/b", there).unwrap();
        rig.remove("a");
        rig.write("a", b"333");
        let there = stat(rig.disk(), "a");
        rig.disk().remove("a", there).unwrap();
        let backups = [("a".to_owned(), 1), ("a".to_owned(), 3), ("a/b".to_owned(), 2)];
        assert_eq!(rig.backups(), backups);
        rig.disk().settle().unwrap();
        assert_eq!(rig.backups(), backups);
    });
}

#[test]
fn fld_21_many_small_files_are_settled_together() {
    both(|rig| {
        for number in 0..40 {
            rig.stage(number, format!("file {number}").as_bytes());
        }
        for number in 0..40 {
            let outcome =
                rig.disk().install(Stage(number), &number.to_string(), Expected::Nothing, false, Some(0)).unwrap();
            done(rig, &number.to_string(), outcome);
        }
        rig.disk().settle().unwrap();
        rig.disk().settle().unwrap();
        assert_eq!(rig.names("").len(), 40);
        assert!(rig.disk().stages().unwrap().is_empty());
    });
}

#[test]
fn fld_23_old_backups_go() {
    both(|rig| {
        rig.tick();
        rig.write("a", b"x");
        let there = stat(rig.disk(), "a");
        rig.disk().remove("a", there).unwrap();
        let now_ms = rig.disk().now_ns().unwrap().div_euclid(1_000_000);
        rig.disk().prune_backups(now_ms, 60_000).unwrap();
        assert_eq!(rig.backups().len(), 1);
        rig.disk().prune_backups(now_ms + 70_000, 60_000).unwrap();
        assert_eq!(rig.backups().len(), 0);
        rig.write("a", b"x");
        let there = stat(rig.disk(), "a");
        rig.disk().remove("a", there).unwrap();
        assert_eq!(rig.backups().len(), 1, "there is a place for new ones");
        rig.disk().settle().unwrap();
    });
}
