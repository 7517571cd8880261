use std::collections::BTreeSet;
use std::io;

use super::{Rig, both, hash, stat};
use crate::chunks::Chunk;
use crate::disk::Stage;
use crate::model::Hash;

#[test]
fn fld_20_a_stage_holds_what_was_written_to_it() {
    both(|rig| {
        let disk = rig.disk();
        assert_eq!(disk.stage_size(Stage(3)).unwrap(), None);
        disk.write_stage(Stage(3), 0, b"hello ").unwrap();
        disk.write_stage(Stage(3), 6, b"world, and more").unwrap();
        assert_eq!(disk.stage_size(Stage(3)).unwrap(), Some(21));
        assert_eq!(disk.sync_stage(Stage(3), 11).unwrap(), hash(b"hello world"), "cut");
        assert_eq!(disk.stage_size(Stage(3)).unwrap(), Some(11));
        assert_eq!(disk.read_stage(Stage(3), 6, 100).unwrap(), b"world");
        assert_eq!(disk.read_stage(Stage(3), 0, 2).unwrap(), b"he");
        assert_eq!(disk.read_stage(Stage(3), 50, 2).unwrap(), b"");
        assert_eq!(disk.stages().unwrap(), [Stage(3)]);
        disk.settle().unwrap();
        disk.drop_stage(Stage(3)).unwrap();
        disk.drop_stage(Stage(3)).unwrap();
        assert!(disk.stages().unwrap().is_empty());
        assert_eq!(disk.read_stage(Stage(3), 0, 1).unwrap_err().kind(), io::ErrorKind::NotFound);
    });
}

#[test]
fn fld_20_a_stage_that_is_too_short_does_not_end() {
    both(|rig| {
        rig.disk().write_stage(Stage(1), 0, b"abc").unwrap();
        for (stage, size) in [(Stage(1), 4), (Stage(1), u64::MAX), (Stage(2), 1)] {
            let short = rig.disk().sync_stage(stage, size).unwrap_err();
            assert_eq!(short.kind(), io::ErrorKind::UnexpectedEof);
        }
        assert_eq!(rig.disk().sync_stage(Stage(2), 0).unwrap(), hash(b""), "an empty file has nothing to write");
        assert_eq!(rig.disk().stage_size(Stage(2)).unwrap(), Some(0));
    });
}

#[test]
fn fld_3_what_is_set_aside_is_what_the_file_held() {
    both(|rig| {
        let big: Vec<u8> = (0..3_000_000u32).map(|n| (n % 251) as u8).collect();
        rig.write("a", &big);
        let before = stat(rig.disk(), "a");
        rig.disk().write_stage(Stage(5), 0, b"what was there before").unwrap();
        let aside = rig.disk().set_aside("a", Stage(5)).unwrap().unwrap();
        assert_eq!((aside.stat, aside.size, aside.hash), (before, 3_000_000, hash(&big)));
        assert_eq!(aside.mtime_us, before.mtime_ns.div_euclid(1_000));
        rig.write("a", b"written over");
        assert_eq!(rig.disk().read_stage(Stage(5), 2_999_990, 100).unwrap(), big[2_999_990..]);
        assert_eq!(rig.disk().sync_stage(Stage(5), 3_000_000).unwrap(), hash(&big));
    });
}

#[test]
fn fld_3_only_files_are_set_aside() {
    both(|rig| {
        rig.mkdir("folder");
        rig.fifo("fifo");
        rig.symlink("/etc/passwd", "link");
        for path in ["folder", "fifo", "link", "missing", "missing/a"] {
            assert_eq!(rig.disk().set_aside(path, Stage(1)).unwrap(), None, "{path}");
        }
        rig.write("empty", b"");
        assert_eq!(rig.disk().set_aside("empty", Stage(1)).unwrap().unwrap().hash, hash(b""));
    });
}

#[test]
fn fld_21_pieces_of_a_file_can_be_read() {
    both(|rig| {
        rig.write("a", b"0123456789");
        assert_eq!(rig.disk().read_file("a", 3, 4).unwrap(), b"3456");
        assert_eq!(rig.disk().read_file("a", 8, 100).unwrap(), b"89");
        assert_eq!(rig.disk().read_file("a", 100, 100).unwrap(), b"");
        assert!(rig.disk().read_file("missing", 0, 1).is_err());
    });
}

fn noise(size: usize) -> Vec<u8> {
    let mut state = 7_u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    (0..size).map(|_| next()).collect()
}

#[test]
fn fld_3_fld_21_of_a_large_file_what_is_known_elsewhere_need_not_be_set_aside() {
    both(|rig| {
        let mut big = noise(2_000_000);
        rig.write("a", &big);
        let (aside, before) = rig.disk().set_aside_chunks("a", Stage(1), &BTreeSet::new()).unwrap().unwrap();
        assert_eq!((aside.hash, aside.size), (hash(&big), 2_000_000));
        assert_eq!(before.iter().map(|chunk| u64::from(chunk.size)).sum::<u64>(), 2_000_000);
        assert_eq!(rig.disk().sync_stage(Stage(1), 2_000_000).unwrap(), hash(&big), "all of it");
        big[1_000_000..1_000_009].copy_from_slice(b"something");
        rig.write("a", &big);
        let known: BTreeSet<Hash> = before.iter().map(|chunk| chunk.digest).collect();
        let (aside, after) = rig.disk().set_aside_chunks("a", Stage(2), &known).unwrap().unwrap();
        assert_eq!((aside.hash, aside.stat), (hash(&big), stat(rig.disk(), "a")));
        let fresh: Vec<&Chunk> = after.iter().filter(|chunk| !known.contains(&chunk.digest)).collect();
        assert!((1..4).contains(&fresh.len()), "{fresh:?}");
        rig.write("a", b"written over");
        for chunk in fresh {
            let bytes = rig.disk().read_stage(Stage(2), chunk.offset, chunk.size as usize).unwrap();
            assert_eq!(hash(&bytes), chunk.digest);
        }
        assert_eq!(rig.disk().set_aside_chunks("missing", Stage(3), &known).unwrap(), None);
    });
}

#[test]
fn fld_21_bytes_of_a_file_are_copied_into_a_stage() {
    both(|rig| {
        rig.write("a", b"0123456789");
        assert_eq!(rig.disk().copy_to_stage("a", 3, Stage(1), 0, 4).unwrap(), 4);
        assert_eq!(rig.disk().copy_to_stage("a", 8, Stage(1), 4, 100).unwrap(), 2, "no more is there");
        assert_eq!(rig.disk().read_stage(Stage(1), 0, 100).unwrap(), b"345689");
        assert_eq!(rig.disk().copy_to_stage("missing", 0, Stage(1), 0, 1).unwrap(), 0);
        assert!(rig.disk().copy_to_stage("../a", 0, Stage(1), 0, 1).is_err());
    });
}

#[test]
fn fld_21_the_hash_of_a_stage_is_that_of_its_bytes_in_whatever_order_they_came() {
    both(|rig| {
        rig.write("a", b"0123456789");
        let copy = |rig: &mut dyn Rig, from, to, bytes| {
            assert_eq!(rig.disk().copy_to_stage("a", from, Stage(1), to, bytes).unwrap(), bytes);
        };
        rig.disk().write_stage(Stage(1), 4, b"--").unwrap();
        copy(rig, 0, 0, 4);
        copy(rig, 6, 6, 4);
        assert_eq!(rig.disk().sync_stage(Stage(1), 10).unwrap(), hash(b"0123--6789"), "in their order");
        copy(rig, 6, 6, 2);
        copy(rig, 0, 2, 2);
        assert_eq!(rig.disk().sync_stage(Stage(1), 10).unwrap(), hash(b"0101--6789"), "and against it");
        copy(rig, 0, 0, 8);
        rig.disk().write_stage(Stage(1), 1, b"+").unwrap();
        copy(rig, 8, 8, 2);
        assert_eq!(rig.disk().sync_stage(Stage(1), 10).unwrap(), hash(b"0+23456789"), "written in between");
        copy(rig, 0, 0, 10);
        rig.disk().drop_stage(Stage(1)).unwrap();
        copy(rig, 4, 0, 6);
        assert_eq!(rig.disk().sync_stage(Stage(1), 5).unwrap(), hash(b"45678"), "another one, cut to its length");
    });
}
