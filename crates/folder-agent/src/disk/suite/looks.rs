use std::io;

use super::{both, local, stat};
use crate::disk::{Found, Marker};
use crate::model::Content;

#[test]
fn fld_18_a_folder_shows_what_can_be_kept_in_step_and_says_why_the_rest_cannot() {
    both(|rig| {
        rig.mkdir("folder");
        rig.write("file", b"12345");
        rig.symlink("../elsewhere", "link");
        rig.fifo("fifo");
        rig.write("back\\slash", b"");
        rig.write("c:drive", b"");
        let found = rig.disk().list("").unwrap();
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["back\\slash", "c:drive", "fifo", "file", "folder", "link"]);
        let is_other = |at: usize| matches!(&found[at].1, Found::Other(why) if !why.is_empty());
        assert!(is_other(0) && is_other(1) && is_other(2), "{found:?}");
        let content = |at: usize| match &found[at].1 {
            Found::File(local) => local.content.clone(),
            Found::Other(why) => panic!("{why}"),
        };
        assert_eq!(content(3), Content::File { hash: None, size: 5, executable: false });
        assert_eq!(content(4), Content::Folder);
        assert_eq!(content(5), Content::Symlink("../elsewhere".to_owned()));
        for (name, found) in found.into_iter().skip(2) {
            assert_eq!(rig.disk().look(&name).unwrap(), Some(found));
        }
    });
}

#[test]
fn fld_18_odd_names_are_names() {
    both(|rig| {
        rig.mkdir("new\nline");
        let odd = ["\u{1b}[31mred", "12:30", " leading", "trailing.", "tab\t", "Ünïcode", "con", "%41", "-rf"];
        for name in odd {
            rig.write(&format!("new\nline/{name}"), name.as_bytes());
        }
        let mut expected: Vec<String> = odd.iter().map(|&name| name.to_owned()).collect();
        expected.sort();
        assert_eq!(rig.names("new\nline"), expected);
        for name in odd {
            assert_eq!(rig.disk().read_file(&format!("new\nline/{name}"), 0, 99).unwrap(), name.as_bytes());
        }
    });
}

#[test]
fn fld_18_paths_that_lead_elsewhere_are_refused() {
    both(|rig| {
        for path in ["../x", "/etc/passwd", "a/../../x", ".fastness/marker", ".Fastness/x", "", "a//b", "c:/x", "a\\b"]
        {
            let refused = rig.disk().look(path).expect_err(path);
            assert_eq!(refused.kind(), io::ErrorKind::InvalidInput, "{path}");
            assert!(
                rig.disk().make_folder(path).is_err() && rig.disk().set_aside(path, crate::disk::Stage(1)).is_err()
            );
        }
    });
}

#[test]
fn fld_18_nothing_is_seen_through_a_link() {
    both(|rig| {
        rig.mkdir("folder");
        rig.write("folder/file", b"x");
        rig.symlink("folder", "link");
        assert_eq!(rig.disk().look("link/file").unwrap(), None);
        assert_eq!(rig.disk().list("link").unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(rig.disk().read_file("link/file", 0, 9).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(rig.disk().set_aside("link/file", crate::disk::Stage(1)).unwrap(), None);
    });
}

#[test]
fn a_folder_that_is_not_there_is_not_found() {
    both(|rig| {
        rig.write("file", b"");
        for folder in ["missing", "missing/below", "file", "file/below"] {
            assert_eq!(rig.disk().list(folder).unwrap_err().kind(), io::ErrorKind::NotFound, "{folder}");
        }
        assert_eq!(rig.disk().look("file/below").unwrap(), None);
        assert_eq!(rig.disk().look("missing/below").unwrap(), None);
    });
}

#[test]
fn fld_7_whoever_writes_a_file_changes_its_stat() {
    both(|rig| {
        rig.write("a", b"one");
        let first = stat(rig.disk(), "a");
        rig.tick();
        rig.write("a", b"two");
        let second = stat(rig.disk(), "a");
        assert_ne!(first, second, "same size, same inode");
        assert_eq!((first.inode, first.size), (second.inode, second.size));
        rig.rename("a", "b");
        assert!(stat(rig.disk(), "b").is_same_but_moved(&second));
    });
}

#[test]
fn fld_7_a_rewrite_within_one_tick_is_told_by_the_moment_of_the_look() {
    both(|rig| {
        rig.write("a", b"one");
        let now_ns = rig.disk().now_ns().unwrap();
        rig.write("a", b"two");
        // What is written after the moment of a look is at least as young as that moment.
        assert!(stat(rig.disk(), "a").mtime_ns >= now_ns);
        rig.tick();
        let later_ns = rig.disk().now_ns().unwrap();
        assert!(stat(rig.disk(), "a").mtime_ns < later_ns);
    });
}

#[test]
fn fld_19_the_executable_bit_is_seen_and_set() {
    both(|rig| {
        let executable = |rig: &mut dyn super::Rig| match local(rig.disk(), "a").content {
            Content::File { executable, .. } => executable,
            other => panic!("{other:?}"),
        };
        rig.write("a", b"#!/bin/sh");
        assert!(!executable(rig));
        rig.chmod_executable("a");
        assert!(executable(rig));
        let expected = stat(rig.disk(), "a");
        rig.tick();
        let outcome = rig.disk().set_executable("a", expected, false).unwrap();
        let now = super::done(rig, "a", outcome);
        assert!(!executable(rig) && now.is_same_but_moved(&expected));
        assert_eq!(rig.disk().set_executable("a", expected, true).unwrap(), crate::disk::Outcome::Changed);
        assert!(!executable(rig));
    });
}

#[test]
fn fld_13_the_marker_is_kept_and_not_shown() {
    both(|rig| {
        assert_eq!(rig.disk().marker().unwrap(), None);
        let marker = Marker { directory: "d".to_owned(), link: "l".to_owned() };
        rig.disk().put_marker(&marker).unwrap();
        assert_eq!(rig.disk().marker().unwrap(), Some(marker));
        assert!(rig.names("").is_empty());
    });
}
