//! Backups of a server at work and what comes of them (KER-37, KER-46; cells B6, D10).

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use kill::check::{Books, check_invariants, judge};
use kill::load::{Allowed, Crowd, Plan, Writer, open_pool};
use kill::server::Launch;
use kill::world::store_of;
use serde_json::Value;

use crate::{check_all_done, launch, program, settle};

pub(crate) fn fastness(words: &[&str], environment: &[(String, String)]) -> Output {
    let mut command = Command::new(program());
    command.args(words).envs(environment.iter().cloned()).stdin(Stdio::null());
    command.output().expect("the program runs")
}

pub(crate) fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path that is text")
}

/// Writes a backup of `data` and gives its folder.
pub(crate) fn back_up(data: &Path, to: &Path, environment: &[(String, String)]) -> PathBuf {
    let output = fastness(&["backup", "--data", path(data), "--to", path(to), "--json"], environment);
    assert!(output.status.success(), "{}", text(&output));
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    told["folder"].as_str().expect("a folder").into()
}

pub(crate) fn restore(from: &Path, data: &Path, more: &[&str], environment: &[(String, String)]) -> Output {
    let words = [&["restore", "--from", path(from), "--data", path(data)], more].concat();
    fastness(&words, environment)
}

/// Writers that have all their answers before a backup begins, others that write all through it.
pub(crate) fn back_up_under_load(
    launch: &Launch,
    to: &Path,
    environment: &[(String, String)],
) -> (PathBuf, Vec<Writer>) {
    let server = launch.start().expect("a server");
    open_pool(&server).expect("a pool");
    let early = Crowd::start(Writer::several(4, Plan::PLAIN), server.address, Allowed::DATABASE, None);
    early.wait_acked(400).expect("progress");
    let (mut before, _, told) = early.stop();
    told.expect("nobody was told what must not be");
    settle(&mut before, &server);
    let others = (0..4).map(|number| Writer::new(format!("late{number}"), Plan::PLAIN)).collect();
    let crowd = Crowd::start(others, server.address, Allowed::DATABASE, None);
    crowd.wait_acked(100).expect("progress");
    let folder = back_up(launch.data(), to, environment);
    crowd.wait_acked(200).expect("progress during and after the backup");
    let (mut late, counts, told) = crowd.stop();
    told.expect("a backup disturbs nobody");
    assert_eq!(counts.put_off, 0, "nobody was put off");
    settle(&mut late, &server);
    before.extend(late);
    check_all_done(&server, &before);
    server.kill().expect("a running server");
    before.truncate(4);
    (folder, before)
}

#[test]
fn ker_37_a_backup_under_load_is_one_moment_and_has_all_that_was_acknowledged_before_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, again) = (folder.path().join("data"), folder.path().join("again"));
    let (backup, mut before) = back_up_under_load(&launch(&data), &folder.path().join("backups"), &[]);
    assert!(!backup.join("namespaces/main/store.db-wal").exists(), "one file");
    let output = restore(&backup, &again, &[], &[]);
    assert!(output.status.success(), "{}", text(&output));
    check_invariants(&store_of(&again, "main")).expect("invariants hold: one moment");
    let server = launch(&again).start().expect("a server on restored data");
    for writer in &mut before {
        // Each acknowledged request gives its first answer; one that was lost would be done anew and answer otherwise.
        writer.ask_old(&server, 1).expect("everything acknowledged before is there");
    }
    server.end("TERM").expect("an end");
    let store = rusqlite::Connection::open(store_of(&again, "main")).expect("a store");
    let lines: i64 = store
        .query_row("SELECT COUNT(*) FROM journal WHERE kind = 'store.restored'", [], |row| row.get(0))
        .expect("a count");
    assert_eq!(lines, 1, "the store knows that it was restored");
}

/// A small store with a blob, its server stopped, and a backup of it.
fn small(folder: &Path) -> (PathBuf, PathBuf, Vec<Writer>) {
    let data = folder.join("data");
    let server = launch(&data).start().expect("a server");
    open_pool(&server).expect("a pool");
    let mut writers = Writer::several(2, Plan::PLAIN);
    for writer in &mut writers {
        let mut client = server.client();
        (0..10).for_each(|_| assert!(writer.ask(&mut client).expect("no contradiction").is_done()));
    }
    server.end("TERM").expect("an end");
    put_blob(&data, HELLO, b"hello");
    let backup = back_up(&data, &folder.join("backups"), &[]);
    (data, backup, writers)
}

/// SHA-256 of `hello`, and the id of an upload.
const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824.01M7G3JS6KJ509P50084JZ53YF";

fn blob_place(name: &str) -> String {
    format!("namespaces/main/blobs/{}/{}/{name}", &name[..2], &name[2..4])
}

fn put_blob(data: &Path, name: &str, bytes: &[u8]) {
    let place = data.join(blob_place(name));
    fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
    fs::write(place, bytes).expect("a blob");
}

#[test]
fn ker_37_a_stopped_server_is_backed_up_and_comes_back_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, backup, writers) = small(folder.path());
    let again = folder.path().join("again");
    let output = restore(&backup, &again, &[], &[]);
    assert!(output.status.success(), "{}", text(&output));
    let books = Books::of_file(&store_of(&again, "main")).expect("a sound file");
    judge(&books, &writers.iter().collect::<Vec<_>>()).expect("nothing lost, nothing twice");
    assert_eq!(fs::read(again.join(blob_place(HELLO))).expect("the blob"), b"hello");
    assert!(!again.join("restoring").exists());
    let manifest: Value = serde_json::from_slice(&fs::read(backup.join("manifest.json")).expect("a manifest")).unwrap();
    let names: Vec<_> = manifest["namespaces"].as_array().expect("a list").iter().map(|ns| &ns["name"]).collect();
    assert_eq!(names, ["main", "z"]);
    let server = launch(&again).start().expect("a server");
    assert_eq!(server.client().get("/readyz").expect("an answer").status, 200);
}

/// Cell D10 in a backup: one bit, anywhere.
#[test]
fn ker_37_one_bit_flipped_in_any_file_of_a_backup_is_found_and_nothing_is_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, backup, _) = small(folder.path());
    let again = folder.path().join("again");
    let files = ["namespaces/main/store.db", "namespaces/z/store.db", "namespaces/main/blobs.txt", &blob_place(HELLO)];
    for name in files {
        let (file, good) = (backup.join(name), fs::read(backup.join(name)).expect("a file"));
        let mut bad = good.clone();
        let middle = bad.len() / 2;
        bad[middle] ^= 1;
        fs::write(&file, &bad).expect("a damaged file");
        let output = restore(&backup, &again, &[], &[]);
        assert_eq!(output.status.code(), Some(1));
        let (said, short) = (text(&output), name.rsplit('/').next().expect("a name"));
        assert!(said.contains(short) && said.contains("nothing was touched"), "{name}: {said}");
        assert!(!again.exists(), "{name}");
        fs::write(&file, &good[..good.len() - 1]).expect("a short file");
        assert_eq!(restore(&backup, &again, &[], &[]).status.code(), Some(1), "{name} cut");
        fs::write(&file, &good).expect("a good file again");
    }
    fs::remove_file(backup.join("manifest.json")).expect("a manifest");
    assert!(text(&restore(&backup, &again, &[], &[])).contains("not a whole backup"));
}

#[test]
fn ker_37_a_used_directory_is_refused_and_replace_keeps_the_old_aside() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, backup, _) = small(folder.path());
    let refused = restore(&backup, &data, &[], &[]);
    assert!(refused.status.code() == Some(1) && text(&refused).contains("is not empty"), "{}", text(&refused));
    let server = launch(&data).start().expect("nothing happened to it");
    let busy = restore(&backup, &data, &["--replace"], &[]);
    assert!(busy.status.code() == Some(1) && text(&busy).contains("in use by another server"), "{}", text(&busy));
    server.end("TERM").expect("an end");
    let replaced = restore(&backup, &data, &["--replace"], &[]);
    assert!(replaced.status.success(), "{}", text(&replaced));
    let aside = text(&replaced).lines().find_map(|line| line.split_once("kept: ").map(|(_, path)| path.to_owned()));
    let old = PathBuf::from(aside.expect("where the old data is")).join("namespaces/main/store.db");
    Books::of_file(&old).expect("the old store is whole");
    launch(&data).start().expect("a server on restored data");
}

#[test]
fn ker_37_a_restore_that_is_killed_anywhere_is_finished_by_the_same_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, backup, writers) = small(folder.path());
    let words = ["restore", "--replace", "--from", path(&backup), "--data", path(&data)];
    let (mut unfinished, mut kills) = (0, 0);
    // From no time at all to more than it needs; while it is unfinished no server starts.
    for time_us in (0..40).map(|step| step * 2_000) {
        let mut child = Command::new(program()).args(words).stdout(Stdio::null()).spawn().expect("the program runs");
        let until = Instant::now() + Duration::from_micros(time_us);
        while Instant::now() < until && child.try_wait().expect("a state").is_none() {
            std::thread::yield_now();
        }
        kills += u32::from(child.try_wait().expect("a state").is_none());
        let _ = child.kill();
        child.wait().expect("an end");
        if data.join("restoring").exists() {
            unfinished += 1;
            let refused = launch(&data).command().output().expect("the program runs");
            assert!(text(&refused).contains("was not finished"), "{}", text(&refused));
        }
    }
    assert!(kills > 5 && unfinished > 2, "{kills} kills, {unfinished} unfinished: the test proves nothing");
    let output = fastness(&words, &[]);
    assert!(output.status.success(), "{}", text(&output));
    let books = Books::of_file(&store_of(&data, "main")).expect("a sound file");
    judge(&books, &writers.iter().collect::<Vec<_>>()).expect("nothing lost, nothing twice");
    launch(&data).start().expect("a server");
}

#[test]
fn ker_37_blobs_are_linked_to_the_backup_before_and_a_damaged_one_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, first, _) = small(folder.path());
    let to = folder.path().join("backups");
    let second = back_up(&data, &to, &[]);
    let inode = |backup: &Path| fs::metadata(backup.join(blob_place(HELLO))).expect("a blob").ino();
    assert_eq!(inode(&first), inode(&second), "not copied again");
    let bad = format!("{}.01M7G3JS6KJ509P50084JZ53YF", "f".repeat(64));
    put_blob(&data, &bad, b"not what the name says");
    let output = fastness(&["backup", "--data", path(&data), "--to", path(&to), "--keep", "1"], &[]);
    assert!(output.status.code() == Some(1) && text(&output).contains(&bad), "{}", text(&output));
    assert!(first.exists() && second.exists(), "older ones stay, they may have a good copy");
    fs::remove_file(data.join(blob_place(&bad))).expect("a blob");
    let output = fastness(&["backup", "--data", path(&data), "--to", path(&to), "--keep", "2"], &[]);
    assert!(output.status.success(), "{}", text(&output));
    let left =
        fs::read_dir(&to).expect("a folder").filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().is_dir()));
    assert_eq!(left.count(), 2);
    assert!(!first.exists() && !second.exists());
}

#[test]
fn ker_37_a_backup_that_was_killed_leaves_nothing_that_looks_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, _, _) = small(folder.path());
    let to = folder.path().join("others");
    for time_us in (0..20).map(|step| step * 3_000) {
        let words = ["backup", "--data", path(&data), "--to", path(&to)];
        let mut child = Command::new(program()).args(words).stdout(Stdio::null()).spawn().expect("the program runs");
        let until = Instant::now() + Duration::from_micros(time_us);
        while Instant::now() < until {
            std::thread::yield_now();
        }
        let _ = child.kill();
        child.wait().expect("an end");
    }
    back_up(&data, &to, &[]);
    for (number, entry) in
        fs::read_dir(&to).expect("a folder").flatten().filter(|entry| entry.path().is_dir()).enumerate()
    {
        assert!(entry.file_name().to_string_lossy().starts_with("backup-"), "{entry:?}");
        let again = folder.path().join(format!("again{number}"));
        let output = restore(&entry.path(), &again, &[], &[]);
        assert!(output.status.success(), "{}", text(&output));
    }
}

#[test]
fn ker_46_a_restored_store_has_a_new_epoch_and_an_old_cursor_is_told_to_start_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, backup, _) = small(folder.path());
    let epoch = |data: &Path, cursor: &str| {
        let server = launch(data).start().expect("a server");
        let events = server.client().get("/v1/main/events").expect("an answer").body;
        let resumed = server.client().get(&format!("/v1/main/events?after={cursor}")).expect("an answer");
        let text = |field: &str| events[field].as_str().expect("a text").to_owned();
        let told = (text("epoch"), text("next"), resumed.status);
        server.end("TERM").expect("an end");
        told
    };
    let (before, cursor, _) = epoch(&data, "head");
    assert_eq!(epoch(&data, &cursor), (before.clone(), cursor.clone(), 200), "a start is no restore");
    let again = folder.path().join("again");
    let output = restore(&backup, &again, &[], &[]);
    assert!(output.status.success(), "{}", text(&output));
    let (after, _, status) = epoch(&again, &cursor);
    assert_ne!(before, after);
    assert_eq!(status, 409, "CEPOCH");
}
