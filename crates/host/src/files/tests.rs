use super::watched::{Syncs, Watched};
use super::*;
use crate::side_by_side;
use std::fs::File;
use std::os::unix::fs::{MetadataExt, symlink};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

const ANY: u64 = 1 << 20;

fn fresh() -> (TempDir, DiskFiles) {
    let directory = tempfile::tempdir().unwrap();
    let files = DiskFiles::open(&directory.path().join("root")).unwrap();
    (directory, files)
}

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

/// All that lies below the root: names of temporaries included.
fn everything(directory: &TempDir) -> Vec<String> {
    let found = Command::new("find").arg(".").current_dir(directory.path().join("root")).output().unwrap();
    let mut names: Vec<String> = String::from_utf8(found.stdout).unwrap().lines().map(str::to_owned).collect();
    names.sort();
    names
}

/// Files whose syncs the test may replace.
fn watched() -> (TempDir, DiskFiles<Watched>, Syncs) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("root");
    make_root(&root).unwrap();
    let syncs = Syncs::real();
    let files = DiskFiles::below(Watched::open(&root, &syncs)).unwrap();
    (directory, files, syncs)
}

#[test]
fn what_was_put_is_got_and_replaced_whole() {
    let (directory, files) = fresh();
    for bytes in [&b""[..], b"first", &[0xFF; 100_000]] {
        files.put(&path("in/2026/x"), bytes).unwrap();
        assert_eq!(files.get(&path("in/2026/x"), ANY).unwrap(), bytes);
    }
    assert_eq!(everything(&directory), [".", "./in", "./in/2026", "./in/2026/x"]);
}

#[test]
fn too_large_a_file_is_refused_before_it_is_read() {
    let (directory, files) = fresh();
    let sparse = File::create(directory.path().join("root/giant")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    assert_eq!(files.get(&path("giant"), ANY).unwrap_err().kind(), ErrorKind::FileTooLarge);
    files.put(&path("five"), b"12345").unwrap();
    assert_eq!(files.get(&path("five"), 5).unwrap(), b"12345");
    let refused = files.get(&path("five"), 4).unwrap_err();
    assert_eq!(refused.to_string(), "get five: 5 bytes, more than 4");
}

#[test]
fn missing_files_are_not_found() {
    let (_directory, files) = fresh();
    assert_eq!(files.get(&path("a"), ANY).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(files.get(&path("no/such/a"), ANY).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(files.rename(&path("a"), &path("b")).unwrap_err().kind(), ErrorKind::NotFound);
    files.remove(&path("a")).unwrap();
    files.remove(&path("no/such/a")).unwrap();
    assert_eq!(files.list(&path("no/such")).unwrap(), [""; 0]);
}

#[test]
fn a_rename_moves_between_directories_and_replaces() {
    let (directory, files) = fresh();
    files.put(&path("new/a"), b"new").unwrap();
    files.put(&path("done/a"), b"old").unwrap();
    files.rename(&path("new/a"), &path("done/a")).unwrap();
    assert_eq!(files.get(&path("done/a"), ANY).unwrap(), b"new");
    files.rename(&path("done/a"), &path("deep/er/b")).unwrap();
    assert_eq!(everything(&directory), [".", "./deep", "./deep/er", "./deep/er/b", "./done", "./new"]);
    assert_eq!(files.rename(&path("deep"), &path("flat")).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn a_removal_can_be_repeated() {
    let (directory, files) = fresh();
    files.put(&path("a/b"), b"x").unwrap();
    files.remove(&path("a/b")).unwrap();
    files.remove(&path("a/b")).unwrap();
    assert_eq!(everything(&directory), [".", "./a"]);
}

#[test]
fn a_list_is_sorted_and_shows_regular_files_only() {
    let (directory, files) = fresh();
    for name in ["d/z", "d/a", "d/ä", "d/B", "d/below/x"] {
        files.put(&path(name), b"").unwrap();
    }
    let inside = |name: &str| directory.path().join("root/d").join(name);
    std::fs::write(inside(".tmp-1-1"), "unfinished").unwrap();
    std::fs::write(inside("new\nline"), "no path of ours").unwrap();
    symlink("a", inside("link")).unwrap();
    assert_eq!(files.list(&path("d")).unwrap(), ["B", "a", "z", "ä"]);
}

#[test]
fn temporaries_of_a_dead_server_are_swept_at_open() {
    let (directory, files) = fresh();
    files.put(&path("a/b/kept"), b"x").unwrap();
    drop(files);
    for name in ["root/.tmp-1-1", "root/a/.tmp-2", "root/a/b/.tmp-3-9"] {
        std::fs::write(directory.path().join(name), "unfinished").unwrap();
    }
    let outside = directory.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join(".tmp-4"), "another's").unwrap();
    symlink(&outside, directory.path().join("root/link")).unwrap();
    DiskFiles::open(&directory.path().join("root")).unwrap();
    assert_eq!(everything(&directory), [".", "./a", "./a/b", "./a/b/kept", "./link"]);
    assert!(outside.join(".tmp-4").exists(), "links are not followed");
}

#[test]
fn names_of_temporaries_cannot_be_used() {
    let (_directory, files) = fresh();
    for name in [".tmp-1", "a/.tmp-1", ".tmp-1/a"] {
        let refused = files.put(&path(name), b"would be swept").unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidInput, "{name}");
    }
}

#[test]
fn links_are_refused_wherever_they_lie() {
    let (directory, files) = fresh();
    let (outside, root) = (directory.path().join("outside"), directory.path().join("root"));
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret"), "secret").unwrap();
    symlink(&outside, root.join("way")).unwrap();
    symlink(outside.join("secret"), root.join("file")).unwrap();
    assert!(files.get(&path("file"), ANY).is_err());
    assert!(files.get(&path("way/secret"), ANY).is_err());
    assert!(files.put(&path("way/new"), b"x").is_err());
    assert!(files.list(&path("way")).is_err());
    assert!(files.remove(&path("way/secret")).is_err());
    assert!(files.rename(&path("way/secret"), &path("taken")).is_err());
    files.put(&path("file"), b"mine").unwrap();
    assert_eq!(files.get(&path("file"), ANY).unwrap(), b"mine", "a put replaces the link, not its target");
    assert_eq!(std::fs::read_to_string(outside.join("secret")).unwrap(), "secret");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn what_is_no_regular_file_is_refused_without_waiting() {
    let (directory, files) = fresh();
    let fifo = directory.path().join("root/fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::fs::create_dir(directory.path().join("root/sub")).unwrap();
    for name in ["fifo", "sub"] {
        assert_eq!(files.get(&path(name), ANY).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
    }
    assert!(files.put(&path("sub"), b"x").is_err() && files.remove(&path("sub")).is_err());
    assert_eq!(everything(&directory), [".", "./fifo", "./sub"]);
}

#[test]
fn concurrent_puts_leave_one_of_them_whole() {
    let (directory, files) = fresh();
    let stop = AtomicBool::new(false);
    let whole = |bytes: &[u8]| bytes.len() == 50_000 && bytes.iter().all(|byte| *byte == bytes[0]);
    files.put(&path("deep/a"), &[9; 50_000]).unwrap();
    side_by_side(5, |index| match u8::try_from(index).unwrap() {
        4 => {
            while !stop.load(Ordering::Relaxed) {
                assert!(whole(&files.get(&path("deep/a"), ANY).unwrap()));
            }
        }
        writer => {
            (0..25).for_each(|_| files.put(&path("deep/a"), &[writer; 50_000]).unwrap());
            stop.store(true, Ordering::Relaxed);
        }
    });
    assert!(whole(&files.get(&path("deep/a"), ANY).unwrap()));
    assert_eq!(everything(&directory), [".", "./deep", "./deep/a"]);
}

#[test]
fn ker_41_a_failed_sync_of_the_file_is_an_error_and_leaves_the_old_content() {
    let (directory, files, syncs) = watched();
    files.put(&path("a/b"), b"old").unwrap();
    syncs.fail(|is_directory| !is_directory);
    let error = files.put(&path("a/b"), b"new").unwrap_err();
    assert_eq!(error.to_string(), "put a/b: the disk failed, on purpose");
    assert_eq!(files.get(&path("a/b"), ANY).unwrap(), b"old");
    assert_eq!(everything(&directory), [".", "./a", "./a/b"]);
}

#[test]
fn ker_41_a_failed_sync_of_the_directory_is_an_error() {
    let (_directory, files, syncs) = watched();
    files.put(&path("a"), b"old").unwrap();
    syncs.fail(|is_directory| is_directory);
    assert!(files.put(&path("a"), b"new").is_err());
    assert!(files.put(&path("new/a"), b"new").is_err());
    assert!(files.rename(&path("a"), &path("b")).is_err());
    assert!(files.remove(&path("b")).is_err());
    assert!(files.remove(&path("b")).is_err(), "its removal is still not durable");
}

/// Syncs from now on, in order: for a file whether its target was there already, for a directory its name.
fn record(syncs: &Syncs, root: std::path::PathBuf) -> Arc<Mutex<Vec<String>>> {
    let record = Arc::new(Mutex::new(vec![]));
    let recorded = Arc::clone(&record);
    syncs.replace(move |file| {
        use std::os::fd::AsRawFd;
        let name = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
        let below = name.strip_prefix(&root).unwrap().display().to_string();
        let target = root.join("x/y/a").exists();
        let what = if below.contains(TEMPORARY) { format!("file, target {target}") } else { format!("/{below}") };
        record.lock().unwrap().push(what);
        file.sync_all()
    });
    recorded
}

#[test]
fn everything_that_changed_is_synced_and_the_file_before_its_name() {
    let (directory, files, syncs) = watched();
    let recorded = record(&syncs, directory.path().join("root").canonicalize().unwrap());
    let taken = || std::mem::take(&mut *recorded.lock().unwrap());
    files.put(&path("x/y/a"), b"1").unwrap();
    assert_eq!(taken(), ["/", "/x", "file, target false", "/x/y"], "new directories are synced above");
    files.put(&path("x/y/a"), b"2").unwrap();
    assert_eq!(taken(), ["file, target true", "/x/y"], "known directories are not");
    files.rename(&path("x/y/a"), &path("x/b")).unwrap();
    assert_eq!(taken(), ["/x", "/x/y"], "both sides of a rename");
    files.remove(&path("x/b")).unwrap();
    assert_eq!(taken(), ["/x"]);
}

#[test]
fn a_directory_found_at_start_is_synced_before_it_is_relied_on() {
    let (directory, files, syncs) = watched();
    drop(files);
    let root = directory.path().join("root").canonicalize().unwrap();
    std::fs::create_dir(root.join("x")).unwrap();
    let files = DiskFiles::below(Watched::open(&root, &syncs)).unwrap();
    let recorded = record(&syncs, root);
    files.put(&path("x/a"), b"1").unwrap();
    assert_eq!(*recorded.lock().unwrap(), ["/", "file, target false", "/x"]);
}

/// Found by the simulator: a rename of two names of one file does nothing and reports success.
#[test]
fn a_file_that_a_power_cut_left_under_both_names_is_under_the_new_one_after_a_rename() {
    let (directory, files) = fresh();
    let inside = |name: &str| directory.path().join("root").join(name);
    for (from, to) in [("in/a", "out/a"), ("in/a", "in/b")] {
        files.put(&path(from), from.as_bytes()).unwrap();
        files.remove(&path(to)).unwrap();
        std::fs::create_dir_all(inside("out")).unwrap();
        std::fs::hard_link(inside(from), inside(to)).unwrap();
        files.rename(&path(from), &path(to)).unwrap();
        assert_eq!(files.get(&path(from), ANY).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(files.get(&path(to), ANY).unwrap(), from.as_bytes());
    }
}

#[test]
fn a_file_renamed_to_its_own_name_stays() {
    let (directory, files) = fresh();
    files.put(&path("in/a"), b"x").unwrap();
    std::fs::hard_link(directory.path().join("root/in/a"), directory.path().join("outside")).unwrap();
    files.rename(&path("in/a"), &path("in/a")).unwrap();
    assert_eq!(files.get(&path("in/a"), ANY).unwrap(), b"x");
}

/// Found by the simulator: a server died before a sync, the next one showed what it had done, the power was cut.
#[test]
fn what_an_earlier_server_did_not_live_to_sync_is_synced_at_open() {
    let (directory, files, syncs) = watched();
    files.put(&path("x/y/b"), b"1").unwrap();
    drop(files);
    let root = directory.path().join("root").canonicalize().unwrap();
    std::fs::rename(root.join("x/y/b"), root.join("x/y/c")).unwrap();
    let recorded = record(&syncs, root.clone());
    DiskFiles::below(Watched::open(&root, &syncs)).unwrap();
    assert_eq!(*recorded.lock().unwrap(), ["/x/y", "/x", "/"]);
    syncs.fail(|is_directory| is_directory);
    assert!(DiskFiles::below(Watched::open(&root, &syncs)).is_err(), "what is shown could not be relied on");
}

/// Found by the simulator: a sync failed, a read showed the new content all the same, the power was cut.
#[test]
fn ker_41_a_change_that_failed_half_way_is_durable_before_it_is_shown() {
    let (directory, files, syncs) = watched();
    files.put(&path("in/a"), b"old").unwrap();
    files.put(&path("other/a"), b"other").unwrap();
    syncs.fail(|is_directory| is_directory);
    assert!(files.put(&path("in/a"), b"new").is_err());
    assert!(files.get(&path("in/a"), ANY).is_err(), "nobody knows yet whether it stays");
    assert!(files.list(&path("in")).is_err() && files.rename(&path("in/b"), &path("in/c")).is_err());
    assert_eq!(files.get(&path("other/a"), ANY).unwrap(), b"other", "other directories are not concerned");
    let recorded = record(&syncs, directory.path().join("root").canonicalize().unwrap());
    assert_eq!(files.get(&path("in/a"), ANY).unwrap(), b"new");
    assert_eq!(files.list(&path("in")).unwrap(), ["a"]);
    assert_eq!(*recorded.lock().unwrap(), ["/in"], "once");
}

fn put(at: &str, bytes: &[u8]) -> FileChange {
    FileChange::Put(path(at), bytes.to_vec())
}

fn moved(from: &str, to: &str) -> FileChange {
    FileChange::Move(path(from), path(to))
}

/// Which of these changes were made.
fn made(results: &[io::Result<()>]) -> Vec<bool> {
    results.iter().map(Result::is_ok).collect()
}

#[test]
fn exc_6_many_changes_are_made_together_and_none_keeps_another_from_being_made() {
    let (directory, files) = fresh();
    let many: Vec<FileChange> = (0..300).map(|number| put(&format!("in/{number}"), &[7; 1_000])).collect();
    assert!(files.apply(&many).iter().all(Result::is_ok));
    assert_eq!(files.list(&path("in")).unwrap().len(), 300);
    std::fs::write(directory.path().join("root/blocked"), "a file").unwrap();
    let changes = [
        moved("in/0", "done/0"),
        moved("in/none", "done/none"),
        moved("in/gone", "in/1"),
        FileChange::Remove(path("in/2")),
        FileChange::Remove(path("nowhere/2")),
        put("blocked/x", b"x"),
        put("in/3", b"new"),
        put(".tmp-x", b"x"),
    ];
    let wanted = [true, false, true, true, true, false, true, false];
    for _ in 0..2 {
        assert_eq!(made(&files.apply(&changes)), wanted, "the second time finds its work done");
    }
    assert_eq!(files.list(&path("done")).unwrap(), ["0"]);
    assert_eq!(
        (files.list(&path("in")).unwrap().len(), files.get(&path("in/3"), ANY).unwrap()),
        (298, b"new".to_vec())
    );
}

#[test]
fn exc_6_changes_that_meet_are_made_in_turn() {
    let (_directory, files) = fresh();
    let changes = [put("a/x", b"1"), moved("a/x", "b/x"), put("a/x", b"2"), FileChange::Remove(path("b/y"))];
    assert!(files.apply(&changes).iter().all(Result::is_ok));
    assert_eq!(files.get(&path("b/x"), ANY).unwrap(), b"1");
    assert_eq!(files.get(&path("a/x"), ANY).unwrap(), b"2");
}

#[test]
fn exc_6_ker_41_after_a_failed_sync_nothing_of_it_is_said_to_be_done_and_no_handle_is_synced_again() {
    let (directory, files, syncs) = watched();
    files.apply(&[put("in/a", b"a"), put("out/b", b"b")]).into_iter().for_each(Result::unwrap);
    let changes = [put("in/c", b"c"), moved("in/a", "out/a"), FileChange::Remove(path("in/none")), put("z/d", b"d")];
    syncs.fail(|is_directory| !is_directory);
    assert_eq!(made(&files.apply(&changes)), [false, true, true, false]);
    assert_eq!(everything(&directory), [".", "./in", "./out", "./out/a", "./out/b", "./z"], "no temporaries are left");
    let seen: Arc<Mutex<Vec<u64>>> = Arc::default();
    let synced = seen.clone();
    syncs.replace(move |file| {
        if !file.metadata()?.is_dir() {
            return file.sync_all();
        }
        synced.lock().unwrap().push(file.metadata()?.ino());
        Err(io::Error::other("the disk failed"))
    });
    let changes = [put("in/c", b"c"), moved("out/a", "in/a"), FileChange::Remove(path("out/b"))];
    assert_eq!(made(&files.apply(&changes)), [false, false, false]);
    assert_eq!(seen.lock().unwrap().len(), 1, "the source is not synced when its target could not be");
    syncs.fail(|_| false);
    assert_eq!(made(&files.apply(&changes)), [true, true, true]);
    assert_eq!(everything(&directory), [".", "./in", "./in/a", "./in/c", "./out", "./z"]);
}

#[test]
fn exc_7_links_are_neither_followed_nor_listed_as_files() {
    let (directory, files) = fresh();
    let outside = directory.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret"), "s").unwrap();
    symlink(&outside, directory.path().join("root/link")).unwrap();
    files.put(&path("in/a"), b"abc").unwrap();
    symlink(outside.join("secret"), directory.path().join("root/in/s")).unwrap();
    std::fs::write(directory.path().join("root/in/back\\slash"), "x").unwrap();
    let changes =
        [put("link/x", b"x"), moved("in/s", "in/t"), FileChange::Remove(path("link/secret")), put("in/b", b"")];
    assert_eq!(made(&files.apply(&changes)), [false, false, false, true]);
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    let listed = files.list_sized(&path("in")).unwrap();
    assert_eq!(listed.files, [("a".to_owned(), 3), ("b".to_owned(), 0)]);
    assert_eq!(listed.others, ["back\\slash", "s"]);
    assert_eq!(files.directories().unwrap(), ["in"]);
}
