//! History, and what is brought back.

use base::{Sql, Wall};
use folders::care::{CHANGE, Change, DirectoryPatch, OfFile, REMOVE, Remove};
use folders::desk::{CONTENT, JOIN};
use folders::form::{ContentOf, Join, Who};
use folders::past::{BEGIN_REWIND, FORGET_NOW, HISTORY, HistoryOf, Moment, RESTORE, Restore, Rewind};

use crate::kit::{Desk, delete, device, edit, folder, hash, increased, rename, rewrite};

const DAY_MS: u64 = 86_400_000;

static TASKS: Sql =
    Sql::new("test.tasks", "SELECT COUNT(*) FROM task WHERE op IN ('folders.rewind_some', 'folders.remove_rows')");
static ALL: Sql = Sql::new(
    "test.everything",
    "SELECT (SELECT COUNT(*) FROM fld_file) + (SELECT COUNT(*) FROM fld_version) + (SELECT COUNT(*) FROM fld_content) + \
     (SELECT COUNT(*) FROM fld_segment) + (SELECT COUNT(*) FROM fld_member) + (SELECT COUNT(*) FROM fld_device) + \
     (SELECT COUNT(*) FROM fld_directory)",
);
static VERSIONS: Sql = Sql::new("test.versions_kept", "SELECT COUNT(*) FROM fld_version");
static CONTENTS: Sql = Sql::new("test.contents_kept", "SELECT COUNT(*) FROM fld_content");
static REFS: Sql = Sql::new("test.refs", "SELECT COUNT(*) FROM blob_ref WHERE owner_kind = 'folders.segment'");
static TOMBSTONES: Sql = Sql::new("test.tombstones", "SELECT COUNT(*) FROM fld_file WHERE deleted = 1");

fn now(desk: &Desk) -> Wall {
    desk.kernel().env().clock.wall()
}

fn versions(desk: &Desk, who: &Who, directory: &str, file: &str) -> Vec<(u64, String, bool)> {
    let of = OfFile { who: who.clone(), directory: directory.into(), file: file.into() };
    let views = desk.read(&HISTORY, HistoryOf { of, before: u64::MAX, limit: 100 }).unwrap();
    views.into_iter().map(|view| (view.file.version, view.device, view.file.deleted)).collect()
}

fn restore(desk: &Desk, who: &Who, directory: &str, file: &str, version: u64) -> base::OpResult<u64> {
    let restore = Restore { who: who.clone(), directory: directory.into(), file: file.into(), version };
    desk.call(&RESTORE, restore).map(|restored| restored.version)
}

pub fn one_file(desk: &Desk) {
    let (a, b) = (device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let first = desk.put(&a, &id, edit("f/x", 1), b"one");
    let second = desk.put(&b, &id, rewrite(&first, 2), b"two");
    let file = &first.id;
    assert_eq!(restore(desk, &a, &id, file, 1).unwrap(), 3);
    let now = desk.changes(&b, &id, 0).files.into_iter().find(|meta| meta.id == *file).unwrap();
    assert_eq!((now.version, now.content_version, now.hash.clone()), (3, 3, Some(hash(b"one"))));
    increased(desk.ask(&a, &id, vec![delete(&now, 3)]));
    assert_eq!(restore(desk, &a, &id, file, 2).unwrap(), 5, "what was deleted comes back");
    let content = desk.read(&CONTENT, ContentOf { who: b.clone(), id: file.clone(), version: 5, segment: 0 }).unwrap();
    assert_eq!(content.chunks, [(hash(b"two"), 3)]);
    let history = versions(desk, &b, &id, file);
    let wanted = [(5, "a", false), (4, "a", true), (3, "a", false), (2, "b", false), (1, "a", false)];
    assert_eq!(history, wanted.map(|(version, device, gone)| (version, device.to_owned(), gone)));
    assert_eq!(restore(desk, &a, &id, file, 4).unwrap_err().code.name, "AFOLDER", "a deletion");
    assert_eq!(restore(desk, &a, &id, file, 9).unwrap_err().code.name, "NFILE");
    assert_eq!(restore(desk, &a, &id, "nothing", 1).unwrap_err().code.name, "NFILE");
    let elsewhere = desk.directory(&a, &[]);
    assert_eq!(restore(desk, &a, &elsewhere, file, 1).unwrap_err().code.name, "NFILE", "an id of another directory");
    assert_eq!(second.version, 2);
    desk.check();
}

#[test]
fn fld_24_a_version_of_a_file_is_brought_back() {
    one_file(&Desk::new());
}

fn rewind(desk: &Desk, who: &Who, directory: &str, to: Moment) {
    desk.call(&BEGIN_REWIND, Rewind { who: who.clone(), directory: directory.into(), to }).unwrap();
    for _ in 0..100 {
        desk.world().pass_ms(100);
        if desk.count(&TASKS) == 0 {
            return;
        }
    }
    panic!("it does not end");
}

/// Paths of what is there, with the hashes of files.
fn seen(desk: &Desk, who: &Who, directory: &str) -> Vec<(String, Option<String>)> {
    let files = desk.changes(who, directory, 0).files;
    let mut seen: Vec<_> = files.into_iter().filter(|file| !file.deleted).map(|file| (file.path, file.hash)).collect();
    seen.sort();
    seen
}

#[test]
fn fld_24_a_tree_is_brought_back_to_a_moment() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let made = increased(desk.ask(&a, &id, vec![folder("f"), folder("f/g"), folder("gone")]));
    let x = desk.put(&a, &id, edit("f/x", 1), b"x");
    let y = desk.put(&a, &id, edit("f/y", 2), b"y");
    let z = desk.put(&a, &id, edit("gone/z", 3), b"z");
    let w = desk.put(&a, &id, edit("w", 4), b"w");
    let (then, was) = (now(&desk), seen(&desk, &a, &id));
    desk.world().pass_ms(60_000);
    // Names are swapped, folders moved into each other and away, files rewritten, deleted and made.
    increased(desk.ask(&b, &id, vec![rename(&x, "f/y", 5), rename(&y, "f/x", 6)]));
    increased(desk.ask(&b, &id, vec![rename(&made[1], "g", 7)]));
    increased(desk.ask(&b, &id, vec![rename(&made[0], "g/f", 8)]));
    let w = desk.put(&b, &id, rewrite(&w, 9), b"worse");
    increased(desk.ask(&b, &id, vec![delete(&z, 10), delete(&made[2], 11)]));
    desk.put(&b, &id, edit("new/deep/er/file", 12), b"new");
    desk.put(&b, &id, edit("gone", 13), b"a file where a folder was");
    desk.check();
    rewind(&desk, &a, &id, Moment::At { at: then, path: String::new() });
    desk.check();
    assert_eq!(seen(&desk, &a, &id), was);
    assert_eq!(versions(&desk, &a, &id, &w.id).len(), 3, "nothing of the past is lost");
    let again = desk.changes(&a, &id, 0).seq;
    rewind(&desk, &a, &id, Moment::At { at: then, path: String::new() });
    assert_eq!(desk.changes(&a, &id, 0).seq, again, "the same again changes nothing");
}

#[test]
fn fld_24_a_tree_is_brought_back_below_a_path_only() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let x = desk.put(&a, &id, edit("f/x", 1), b"x");
    let y = desk.put(&a, &id, edit("g/y", 2), b"y");
    let then = now(&desk);
    desk.world().pass_ms(1_000);
    desk.put(&a, &id, rewrite(&x, 3), b"worse");
    desk.put(&a, &id, rewrite(&y, 4), b"worse");
    rewind(&desk, &a, &id, Moment::At { at: then, path: "f".into() });
    let hashes: Vec<_> = seen(&desk, &a, &id).into_iter().filter_map(|(_, hash)| hash).collect();
    assert_eq!(hashes, [hash(b"x"), hash(b"worse")]);
    desk.check();
}

#[test]
fn fld_24_what_one_device_did_is_undone_and_what_others_did_stays() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let files: Vec<_> =
        (0..120).map(|n| desk.put(&a, &id, edit(&format!("f/{n}"), n + 1), n.to_string().as_bytes())).collect();
    desk.world().pass_ms(1_000);
    let since = now(&desk);
    let broken: Vec<_> = files.iter().map(|file| desk.put(&b, &id, rewrite(file, 500), b"encrypted")).collect();
    increased(desk.ask(&b, &id, vec![rename(&broken[0], "f/0.locked", 600), delete(&broken[1], 601)]));
    desk.put(&b, &id, edit("READ ME", 602), b"pay");
    let other = desk.put(&a, &id, rewrite(&broken[2], 700), b"saved by somebody else");
    rewind(&desk, &a, &id, Moment::Without { device: "b".into(), since });
    desk.check();
    let now = seen(&desk, &a, &id);
    assert_eq!(now.len(), 121, "a folder and its files");
    assert!(!now.iter().any(|(path, hash_of)| path.contains("READ") || *hash_of == Some(hash(b"encrypted"))));
    assert!(now.contains(&(other.path, other.hash)));
    assert!(now.contains(&("f/0".into(), Some(hash(b"0")))) && now.contains(&("f/1".into(), Some(hash(b"1")))));
}

#[test]
fn fld_24_older_versions_are_let_go_after_their_time_and_their_bytes_after_them() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let patch = DirectoryPatch { kept_ms: Some(Some(10 * DAY_MS as i64)), ..DirectoryPatch::default() };
    desk.call(&CHANGE, Change { who: a.clone(), directory: id.clone(), patch }).unwrap();
    let first = desk.put(&a, &id, edit("x", 1), b"one");
    let second = desk.put(&a, &id, rewrite(&first, 2), b"two");
    desk.world().jump_calendar_ms(1_000 * DAY_MS as i64);
    forget(&desk, DAY_MS * 9);
    assert_eq!(desk.count(&VERSIONS), 2, "a calendar that jumps takes nothing");
    forget(&desk, DAY_MS * 2);
    assert_eq!((desk.count(&VERSIONS), desk.count(&CONTENTS)), (1, 2), "the newest stays");
    assert_eq!(restore(&desk, &a, &id, &first.id, 1).unwrap_err().code.name, "NFILE");
    forget(&desk, DAY_MS * 2);
    forget(&desk, DAY_MS * 2);
    assert_eq!((desk.count(&CONTENTS), desk.count(&REFS)), (1, 1));
    assert_eq!(seen(&desk, &a, &id), [("x".into(), second.hash)]);
    desk.check();
}

#[test]
fn fld_24_a_version_that_stood_for_long_is_kept_after_it_was_overwritten() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let patch = DirectoryPatch { kept_ms: Some(Some(10 * DAY_MS as i64)), ..DirectoryPatch::default() };
    desk.call(&CHANGE, Change { who: a.clone(), directory: id.clone(), patch }).unwrap();
    let first = desk.put(&a, &id, edit("x", 1), b"one");
    forget(&desk, DAY_MS * 200);
    desk.put(&a, &id, rewrite(&first, 2), b"spoilt");
    forget(&desk, DAY_MS * 9);
    assert_eq!(desk.count(&VERSIONS), 2, "it was overwritten nine days ago");
    restore(&desk, &a, &id, &first.id, 1).unwrap();
    assert_eq!(seen(&desk, &a, &id), [("x".into(), first.hash)]);
    forget(&desk, DAY_MS * 2);
    assert_eq!(desk.count(&VERSIONS), 2, "now it goes, and what spoilt it stays for nine days more");
}

#[test]
fn fld_24_a_deleted_file_comes_back_as_long_as_its_directory_keeps_versions() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let patch = DirectoryPatch { kept_ms: Some(Some(1_000 * DAY_MS as i64)), ..DirectoryPatch::default() };
    desk.call(&CHANGE, Change { who: a.clone(), directory: id.clone(), patch }).unwrap();
    let file = desk.put(&a, &id, edit("x", 1), b"one");
    desk.ask(&a, &id, vec![delete(&file, 2)]);
    forget(&desk, DAY_MS * 999);
    assert_eq!(desk.count(&TOMBSTONES), 1, "long after what a tombstone stays at least");
    restore(&desk, &a, &id, &file.id, 1).unwrap();
    assert_eq!(seen(&desk, &a, &id), [("x".into(), file.hash)]);
    desk.check();
}

#[test]
fn fld_12_tombstones_stay_400_days_and_until_every_known_device_passed_them() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let joining = |who: &Who, seq| Join { who: who.clone(), directory: id.clone(), seq, epoch: None };
    let join = |who: &Who, seq| desk.call(&JOIN, joining(who, seq)).unwrap();
    let file = desk.put(&a, &id, edit("x", 1), b"one");
    join(&b, file.seq);
    let c = Who { is_admin: true, ..device("c") };
    join(&c, 0);
    let gone = increased(desk.ask(&a, &id, vec![delete(&file, 2)])).remove(0);
    join(&a, gone.seq);
    forget(&desk, DAY_MS * 399);
    assert_eq!(desk.count(&TOMBSTONES), 1);
    forget(&desk, DAY_MS * 2);
    assert_eq!(desk.count(&TOMBSTONES), 1, "a device did not hear of it yet");
    join(&b, gone.seq);
    forget(&desk, 1_000);
    assert_eq!(desk.count(&TOMBSTONES), 1, "one that never says what it has was not here since");
    join(&c, 0);
    forget(&desk, 1_000);
    assert_eq!((desk.count(&TOMBSTONES), desk.count(&VERSIONS)), (0, 0));
    desk.check();
}

/// All gets so much older, and it looks.
fn forget(desk: &Desk, ms: u64) {
    static AGE: kernel::Op<i64, ()> = kernel::Op::new("test.age", |tx, _, ms| {
        static FILES: Sql = Sql::new("test.age_files", "UPDATE fld_file SET heard = heard - ?1");
        static VERSIONS: Sql = Sql::new("test.age_versions", "UPDATE fld_version SET heard = heard - ?1");
        static CONTENTS: Sql = Sql::new("test.age_contents", "UPDATE fld_content SET unused_since = unused_since - ?1");
        static SEGMENTS: Sql = Sql::new("test.age_segments", "UPDATE fld_segment SET unused_since = unused_since - ?1");
        [&FILES, &VERSIONS, &CONTENTS, &SEGMENTS].into_iter().try_for_each(|sql| Ok(tx.write(sql, base::args![*ms])?))
    });
    desk.call(&AGE, ms as i64).unwrap();
    desk.call(&FORGET_NOW, ()).unwrap();
    desk.world().pass_ms(5_000);
}

#[test]
fn fld_25_a_directory_is_removed_with_all_that_it_had() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let file = desk.put(&a, &id, edit("f/x", 1), b"one");
    desk.ask(&b, &id, vec![rewrite(&file, 2)]);
    let remove = |who: &Who| desk.call(&REMOVE, Remove { who: who.clone(), directory: id.clone() });
    assert_eq!(remove(&b).unwrap_err().code.name, "SROLE");
    remove(&a).unwrap();
    assert_eq!(remove(&a).unwrap_err().code.name, "NDIRECTORY");
    desk.world().pass_ms(5_000);
    desk.check();
    for _ in 0..2 {
        forget(&desk, DAY_MS * 2);
    }
    assert_eq!(desk.count(&ALL), 0);
    desk.check();
}

#[test]
fn fld_13_a_directory_has_another_epoch_after_a_backup_was_put_back() {
    static SEQ: base::Sql = base::Sql::new("test.device_seq", "SELECT seq FROM fld_device");
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    desk.put(&a, &id, edit("x", 1), b"one");
    let join = |epoch: Option<&str>| {
        let epoch = epoch.map(str::to_owned);
        desk.call(&JOIN, Join { who: a.clone(), directory: id.clone(), seq: 1, epoch }).unwrap()
    };
    desk.call(&JOIN, Join { who: a.clone(), directory: id.clone(), seq: 0, epoch: None }).unwrap();
    let before = join(None).epoch;
    assert_eq!(join(Some(&before)).epoch, before);
    desk.call(&kernel::feed::RENEW_EPOCH, ()).unwrap();
    let device_gone = folders::care::OfDevice { by: a.clone(), directory: id.clone(), device: a.device.clone() };
    desk.call(&folders::care::FORGET_DEVICE, device_gone).unwrap();
    let after = join(Some(&before)).epoch;
    assert_ne!(after, before, "whoever remembers something of this directory starts over");
    assert_eq!(desk.count(&SEQ), 0, "what it had was of another past");
    join(Some(&after));
    assert_eq!(desk.count(&SEQ), 1);
}
