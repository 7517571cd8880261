//! Changes that are asked for, written and committed.

use folders::Status;
use folders::form::{Asked, Told};
use folders::past::{RESTORE, Restore};

use crate::kit::{Desk, allowed, delete, denied, device, edit, folder, hash, increased, rename, rewrite};

pub fn written_and_told(desk: &Desk) {
    let (a, b) = (device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let file = desk.put(&a, &id, edit("notes/today.txt", 1), b"one");
    assert_eq!((file.version, file.content_version, file.path.as_str()), (1, 1, "notes/today.txt"));
    assert_eq!((file.size, file.hash.clone()), (3, Some(hash(b"one"))));
    assert_eq!(file.id.len(), 36, "a uuid4");
    assert_eq!(desk.paths(&b, &id), ["notes", "notes/today.txt"], "missing folders are made");
    let second = desk.put(&b, &id, rewrite(&file, 2), b"two!");
    assert_eq!((second.id.clone(), second.version, second.content_version, second.size), (file.id.clone(), 2, 2, 4));
    assert_eq!(second.client, "client b", "so that nobody is told of their own");
    let news = desk.changes(&a, &id, file.seq);
    assert_eq!((news.files.len(), news.seq), (1, second.seq));
    assert_eq!(desk.changes(&a, &id, news.seq).files, []);
    desk.check();
}

#[test]
fn fld_2_fld_8_what_was_written_is_there_with_its_version_and_told_to_others() {
    written_and_told(&Desk::new());
}

pub fn bases(desk: &Desk) {
    let (a, b) = (device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let file = desk.put(&a, &id, edit("x", 1), b"one");
    desk.put(&b, &id, rewrite(&file, 2), b"two");
    let before = desk.changes(&a, &id, 0);
    let (files, _) = denied(desk.ask(&a, &id, vec![rewrite(&file, 3)]));
    assert_eq!(files[0].status, Status::Denied);
    // Whoever sends no base is judged by what they were told.
    let late = Asked { base: None, ..rewrite(&file, 4) };
    let told = Told { seq: file.seq, beyond: vec![] };
    let (files, _) = denied(desk.try_ask(&a, &id, told, vec![late.clone()]).unwrap());
    assert_eq!(files[0].status, Status::Denied);
    assert_eq!(desk.changes(&a, &id, 0), before, "a refusal changes nothing");
    let told = Told { seq: before.seq, beyond: vec![] };
    allowed(desk.try_ask(&a, &id, told, vec![late]).unwrap());
    desk.check();
}

#[test]
fn fld_5_a_change_is_taken_only_on_top_of_what_its_client_knew() {
    bases(&Desk::new());
}

#[test]
fn fld_5_a_base_is_judged_again_when_the_bytes_are_there() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let first = desk.put(&a, &id, edit("x", 1), b"one");
    let file = desk.put(&a, &id, rewrite(&first, 2), b"two");
    let (upload, _) = allowed(desk.ask(&a, &id, vec![rewrite(&file, 3)]));
    // Whoever brings an older version back asks nobody who writes.
    let restore = Restore { who: b, directory: id.clone(), file: file.id.clone(), version: 1 };
    assert_eq!(desk.call(&RESTORE, restore).unwrap().version, 3);
    let (files, _) = denied(desk.try_finish(&a, &id, &upload, &[(&file.id, b"three")]).unwrap());
    assert_eq!(files[0].status, Status::Denied);
    assert_eq!(desk.changes(&a, &id, 0).files[0].hash, Some(hash(b"one")), "nothing was written");
    desk.check();
}

pub fn repeats(desk: &Desk) {
    let (a, b) = (device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let file = desk.put(&a, &id, edit("x", 1), b"one");
    let second = desk.put(&a, &id, rewrite(&file, 2), b"two");
    let seq = desk.changes(&a, &id, 0).seq;
    // The answer was lost: the same again, with the base of then.
    let again = increased(desk.ask(&a, &id, vec![rewrite(&file, 2)]));
    assert_eq!((again[0].version, again[0].hash.clone()), (2, Some(hash(b"two"))));
    let announced = Asked { hash: Some(hash(b"two")), size: Some(3), ..rewrite(&file, 9) };
    let same = increased(desk.ask(&b, &id, vec![announced]));
    assert_eq!(same[0].version, 2, "equal content never conflicts");
    assert_eq!(desk.changes(&a, &id, 0).seq, seq, "nothing was committed");
    let third = desk.put(&b, &id, rewrite(&second, 5), b"three");
    assert_eq!(third.version, 3);
    let again = increased(desk.ask(&a, &id, vec![rewrite(&file, 2)]));
    assert_eq!(again[0].version, 2, "answered the same, though there is a newer one");
    desk.check();
}

#[test]
fn fld_10_a_repeat_is_answered_the_same_and_equal_content_is_adopted() {
    repeats(&Desk::new());
}

#[test]
fn fld_10_a_new_file_whose_answer_was_lost_is_known_again_wherever_it_was_moved() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let (file, other) = (desk.put(&a, &id, edit("x", 7), b"one"), desk.put(&a, &id, edit("d/x", 7), b"two"));
    increased(desk.ask(&b, &id, vec![rename(&file, "y", 2)]));
    let again = increased(desk.ask(&a, &id, vec![edit("x", 7)])).remove(0);
    assert_eq!((again.id, again.path.as_str(), again.version), (file.id.clone(), "y", 2));
    increased(desk.ask(&b, &id, vec![rename(&other, "z", 3)]));
    let again = increased(desk.ask(&a, &id, vec![edit("d/x", 7)])).remove(0);
    assert_eq!((again.id, again.path.as_str()), (other.id, "z"), "one of the same name in another folder");
    assert_eq!(desk.paths(&a, &id), ["d", "y", "z"], "nothing is there twice");
    assert_ne!(desk.put(&a, &id, edit("x", 8), b"new").id, file.id, "another try is another file");
}

#[test]
fn fld_12_a_rename_of_a_deleted_file_is_denied_and_never_asked_for_bytes() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let file = desk.put(&a, &id, edit("x", 1), b"one");
    increased(desk.ask(&a, &id, vec![delete(&file, 2)]));
    let late = Asked { base: None, ..rename(&file, "y", 3) };
    let (files, _) = denied(desk.ask(&b, &id, vec![late]));
    assert_eq!(files[0].status, Status::Denied, "though the event of the deletion was sent, it may be on its way");
    let back = Asked { base: None, ..rewrite(&file, 4) };
    assert_eq!(desk.put(&b, &id, back, b"two").id, file.id, "whoever brings the bytes brings it back");
    desk.check();
}

#[test]
fn fld_9_content_versions_follow_versions_and_a_rename_and_an_edit_merge() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let file = desk.put(&a, &id, edit("x", 1), b"one");
    let renamed = increased(desk.ask(&b, &id, vec![rename(&file, "y", 2)])).remove(0);
    assert_eq!((renamed.version, renamed.content_version, renamed.path.as_str()), (2, 1, "y"));
    let edited = desk.put(&a, &id, rewrite(&file, 3), b"more");
    assert_eq!((edited.version, edited.content_version, edited.path.as_str()), (3, 3, "y"), "both count");
    desk.check();
}

pub fn deletions(desk: &Desk) {
    let (a, b) = (device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let file = desk.put(&a, &id, edit("x", 1), b"one");
    let second = desk.put(&b, &id, rewrite(&file, 2), b"two");
    let (files, _) = denied(desk.ask(&a, &id, vec![delete(&file, 3)]));
    assert_eq!(files[0].status, Status::Denied, "whoever deletes knows what");
    let gone = increased(desk.ask(&a, &id, vec![delete(&second, 4)])).remove(0);
    assert_eq!((gone.version, gone.deleted), (3, true));
    assert_eq!(desk.paths(&a, &id), [""; 0]);
    assert!(desk.changes(&b, &id, 0).files[0].deleted, "its tombstone is told");
    let back = desk.put(&b, &id, rewrite(&second, 5), b"three");
    assert_eq!(
        (back.id, back.version, back.deleted),
        (file.id, 4, false),
        "an edit that does not know of it revives it"
    );
    desk.check();
}

#[test]
fn fld_12_a_deletion_needs_a_current_base_and_an_edit_revives_the_same_id() {
    deletions(&Desk::new());
}

#[test]
fn fld_8_a_group_is_one_commit_or_none() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let x = desk.put(&a, &id, edit("x", 1), b"one");
    let seq = desk.changes(&a, &id, 0).seq;
    let group = vec![folder("f"), rename(&x, "f/x", 2), edit("f/new", 3)];
    let (upload, wanted) = allowed(desk.ask(&a, &id, group));
    assert_eq!(wanted.len(), 1, "only bytes that changed are wanted");
    assert_eq!(desk.paths(&a, &id), ["x"], "nothing changes before it is written");
    let done = increased(desk.try_finish(&a, &id, &upload, &[(&wanted[0].1, b"new")]).unwrap());
    assert_eq!(done.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["f", "f/x", "f/new"]);
    assert!(done.iter().all(|file| file.seq == seq + 1), "one commit: {done:?}");
    desk.check();
}

#[test]
fn fld_17_swaps_and_chains_of_renames_are_one_commit() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let x = desk.put(&a, &id, edit("x", 1), b"x");
    let y = desk.put(&a, &id, edit("y", 2), b"y");
    let done = increased(desk.ask(&a, &id, vec![rename(&x, "y", 3), rename(&y, "x", 4)]));
    assert_eq!((done[0].path.as_str(), done[1].path.as_str()), ("y", "x"));
    assert_eq!((&done[0].id, &done[1].id), (&x.id, &y.id));
    desk.check();
}
