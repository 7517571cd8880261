use std::io;

use super::{Fault, MemoryDisk};
use crate::disk::{Disk, Expected, Found, Outcome, Stage};
use crate::model::{Content, Stat};

fn stat_of(disk: &mut MemoryDisk, path: &str) -> Stat {
    match disk.look(path) {
        Ok(Some(Found::File(local))) => local.stat,
        other => panic!("{path}: {other:?}"),
    }
}

/// Numbers that are always the same.
fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 8) % below.max(1)
    }
}

fn replaced() -> io::Result<MemoryDisk> {
    let mut disk = MemoryDisk::new();
    disk.user().write("a", b"old")?;
    disk.write_stage(Stage(1), 0, b"newer")?;
    disk.sync_stage(Stage(1), 5)?;
    let stat = stat_of(&mut disk, "a");
    assert!(matches!(disk.install(Stage(1), "a", Expected::File(stat), false, None)?, Outcome::Done(_)));
    Ok(disk)
}

#[test]
fn fld_16_a_crash_shows_the_old_file_or_the_new_one_and_never_less() -> io::Result<()> {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let mut disk = replaced()?;
        disk.crash(&mut numbers(seed));
        let bytes = disk.bytes("a").unwrap_or_default();
        assert!(bytes == b"old" || bytes == b"newer", "seed {seed}: {bytes:?}");
        let is_old = |content: &Content| matches!(content, Content::File { size: 3, .. });
        let has_old = bytes == b"old" || disk.backups().iter().any(|backup| is_old(&backup.content));
        assert!(has_old, "seed {seed}");
        seen.insert((bytes, disk.stage_size(Stage(1))?));
    }
    assert_eq!(seen.len(), 3, "before, between the two renames, and after: {seen:?}");
    Ok(())
}

#[test]
fn fld_23_what_is_settled_survives_every_crash() -> io::Result<()> {
    for seed in 0..50 {
        let mut disk = replaced()?;
        disk.settle()?;
        disk.crash(&mut numbers(seed));
        assert_eq!(disk.bytes("a"), Some(b"newer".to_vec()));
        assert_eq!(disk.backups().len(), 1);
    }
    Ok(())
}

#[test]
fn fld_20_stages_that_were_not_settled_may_be_torn() -> io::Result<()> {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let mut disk = MemoryDisk::new();
        disk.write_stage(Stage(7), 0, b"ab")?;
        disk.settle()?;
        disk.write_stage(Stage(7), 2, b"cd")?;
        disk.crash(&mut numbers(seed));
        seen.insert(disk.read_stage(Stage(7), 0, 9)?);
    }
    assert!(seen.contains(&b"ab"[..]) && seen.contains(&b"abcd"[..]) && seen.contains(&b"abc"[..]), "{seen:?}");
    assert!(seen.iter().any(|bytes| bytes.contains(&0)), "a hole: {seen:?}");
    Ok(())
}

#[test]
fn fld_20_a_full_disk_keeps_what_fitted_and_says_so() -> io::Result<()> {
    let mut disk = MemoryDisk::new();
    disk.user().write("a", b"12345")?;
    disk.set_size(Some(8));
    let full = disk.write_stage(Stage(1), 0, b"abcdef").expect_err("6 do not fit into 3");
    assert_eq!(full.kind(), io::ErrorKind::StorageFull);
    assert_eq!(disk.read_stage(Stage(1), 0, 9)?, b"abc");
    assert_eq!(disk.set_aside("a", Stage(2)).expect_err("full").kind(), io::ErrorKind::StorageFull);
    assert_eq!(disk.bytes("a"), Some(b"12345".to_vec()));
    disk.drop_stage(Stage(1))?;
    disk.drop_stage(Stage(2))?;
    disk.write_stage(Stage(1), 0, b"xyz")
}

#[test]
fn faults_come_at_the_call_that_was_named() -> io::Result<()> {
    let mut disk = MemoryDisk::new();
    disk.fail_after(1, Fault::Device);
    disk.write_stage(Stage(1), 0, b"x")?;
    assert_eq!(disk.settle().expect_err("EIO").raw_os_error(), Some(5));
    assert_eq!(disk.stage_size(Stage(1))?, None, "what could not be flushed is gone");
    disk.settle()
}

#[test]
fn fld_23_without_a_backup_nothing_is_changed() -> io::Result<()> {
    let mut disk = MemoryDisk::new();
    disk.user().write("a", b"old")?;
    disk.write_stage(Stage(1), 0, b"new")?;
    let stat = stat_of(&mut disk, "a");
    disk.refuse_backups(true);
    assert!(disk.install(Stage(1), "a", Expected::File(stat), false, None).is_err());
    assert!(disk.remove("a", stat).is_err());
    assert_eq!((disk.bytes("a"), disk.stage_size(Stage(1))?), (Some(b"old".to_vec()), Some(3)));
    disk.refuse_backups(false);
    assert!(matches!(disk.remove("a", stat)?, Outcome::Done(_)));
    assert_eq!(disk.backed_up().len(), 1);
    Ok(())
}

#[test]
fn fld_7_a_same_size_rewrite_within_one_tick_is_told_by_the_moment_only() -> io::Result<()> {
    let mut disk = MemoryDisk::new();
    disk.set_tick(1_000);
    disk.set_now(5_100);
    disk.user().write("a", b"one")?;
    let before = stat_of(&mut disk, "a");
    disk.set_now(5_900);
    disk.user().write("a", b"two")?;
    assert_eq!(stat_of(&mut disk, "a"), before);
    assert!(before.mtime_ns >= disk.now_ns()?, "so it may have changed since");
    disk.set_now(6_000);
    assert!(before.mtime_ns < disk.now_ns()?);
    Ok(())
}

#[test]
fn fld_23_backups_go_when_they_are_old_or_too_many() -> io::Result<()> {
    let mut disk = MemoryDisk::new();
    for (at_ms, path) in [(1, "a"), (2, "b"), (3, "c")] {
        disk.set_now(at_ms * 1_000_000);
        disk.user().write(path, b"0123456789")?;
        let stat = stat_of(&mut disk, path);
        disk.remove(path, stat)?;
    }
    disk.prune_backups(3, 1)?;
    assert_eq!(disk.backups().iter().map(|backup| backup.path.as_str()).collect::<Vec<_>>(), ["b", "c"]);
    disk.set_size(Some(199));
    disk.prune_backups(3, 100)?;
    assert_eq!(disk.backups().len(), 1);
    Ok(())
}

#[test]
fn fld_18_another_case_of_the_same_name_is_no_obstacle() -> io::Result<()> {
    let mut disk = MemoryDisk::with_names(synxpo::names::Policy::Folded);
    disk.user().write("readme", b"x")?;
    let stat = stat_of(&mut disk, "README");
    assert!(matches!(disk.rename("readme", stat, "README")?, Outcome::Done(_)));
    assert_eq!(disk.tree().into_keys().collect::<Vec<_>>(), ["README"]);
    disk.write_stage(Stage(1), 0, b"y")?;
    assert_eq!(disk.install(Stage(1), "ReadMe", Expected::Nothing, false, None)?, Outcome::Changed);
    Ok(())
}
