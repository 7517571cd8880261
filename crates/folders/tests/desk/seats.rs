//! Who writes, who waits, who is woken.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use folders::Status;
use folders::care::{LOCKS, LockView, OfDirectory};
use folders::desk::{RELEASE, RENEW, Watch};
use folders::form::OfUpload;
use kernel::Hint;

use crate::kit::{Desk, allowed, denied, device, edit, increased, rename, rewrite};

fn of(upload: &str) -> OfUpload {
    OfUpload { upload: upload.to_owned(), lease_ms: 30_000 }
}

fn locks(desk: &Desk, directory: &str) -> Vec<LockView> {
    desk.read(&LOCKS, OfDirectory { who: device("a"), directory: directory.to_owned() }).unwrap()
}

pub fn one_at_a_time(desk: &Desk) {
    let (a, b, c) = (device("a"), device("b"), device("c"));
    let id = desk.directory(&a, &[&b, &c]);
    let file = desk.put(&a, &id, edit("x", 1), b"one");
    let (upload, _) = allowed(desk.ask(&a, &id, vec![rewrite(&file, 2)]));
    let (files, look_ms) = denied(desk.ask(&b, &id, vec![rewrite(&file, 3), edit("other", 4)]));
    assert_eq!((files[0].status, files[1].status), (Status::Blocked, Status::Free));
    assert!((1..=30_000).contains(&look_ms), "{look_ms}");
    denied(desk.ask(&c, &id, vec![rename(&file, "y", 5)]));
    let seen = locks(desk, &id);
    let held = seen.iter().find(|lock| lock.path == "x").unwrap();
    assert_eq!((held.holder.as_deref(), held.waiting.len()), (Some("client a"), 2));
    let kept = seen.iter().find(|lock| lock.path == "other").unwrap();
    assert_eq!((kept.reserved.as_deref(), kept.file.as_deref()), (Some("client b"), None));
    desk.call(&RELEASE, of(&upload)).unwrap();
    let (files, _) = denied(desk.ask(&c, &id, vec![rename(&file, "y", 5)]));
    assert_eq!(files[0].status, Status::Blocked, "kept for the one who waited longest");
    allowed(desk.ask(&b, &id, vec![rewrite(&file, 3)]));
    assert_eq!(desk.call(&RENEW, of(&upload)).unwrap_err().code.name, "NUPLOAD");
    let late = desk.try_finish(&a, &id, &upload, &[(&file.id, b"late")]);
    assert_eq!(late.unwrap_err().code.name, "NUPLOAD");
    desk.check();
}

#[test]
fn fld_6_one_writes_at_a_time_and_the_first_who_waited_is_next() {
    one_at_a_time(&Desk::new());
}

#[test]
fn fld_6_whoever_leaves_in_whatever_way_calls_it_out() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let file = desk.put(&a, &id, edit("x", 1), b"one");
    let (heard, topic) = (Arc::new(AtomicUsize::new(0)), folders::topic(&id));
    let ear = heard.clone();
    desk.world().main().wakes.listen(move |hint| {
        let is_it = usize::from(hint == Hint::Changed(topic));
        ear.fetch_add(is_it, Ordering::Relaxed);
    });
    let calls = || heard.swap(0, Ordering::Relaxed) > 0;
    // Rolled back.
    let (upload, _) = allowed(desk.ask(&a, &id, vec![rewrite(&file, 2)]));
    assert!(!calls());
    desk.call(&RELEASE, of(&upload)).unwrap();
    assert!(calls());
    // Committed.
    let second = desk.put(&a, &id, rewrite(&file, 3), b"two");
    assert!(calls());
    // Silent.
    let _watch = Watch::start(desk.kernel());
    allowed(desk.ask(&a, &id, vec![rewrite(&second, 4)]));
    denied(desk.ask(&b, &id, vec![rewrite(&second, 5)]));
    assert!(!calls());
    desk.world().pass_ms(31_500);
    assert!(calls(), "somebody looks for what nobody touches");
    desk.check();
    // The one who waited does not come: what was kept for them is called out too.
    desk.world().pass_ms(6_500);
    assert_eq!(locks(&desk, &id), []);
    desk.check();
}

#[test]
fn fld_6_a_silent_writer_loses_the_seat_and_one_who_is_heard_keeps_it() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let file = desk.put(&a, &id, edit("x", 1), b"one");
    let (upload, _) = allowed(desk.ask(&a, &id, vec![rewrite(&file, 2), edit("y", 2)]));
    for _ in 0..5 {
        desk.world().pass_ms(20_000);
        desk.call(&RENEW, of(&upload)).unwrap();
    }
    denied(desk.ask(&b, &id, vec![rewrite(&file, 3)]));
    desk.world().pass_ms(30_001);
    // Nobody looked meanwhile: whoever touches the seat leaves it for the other, with all that was written together.
    let (second, _) = allowed(desk.ask(&b, &id, vec![rewrite(&file, 3), edit("y", 4)]));
    desk.check();
    assert_eq!(desk.call(&RENEW, of(&upload)).unwrap_err().code.name, "NUPLOAD");
    increased(
        desk.try_finish(&b, &id, &second, &[(&file.id, b"two"), (&wanted_new(&desk, &b, &id, &second), b"y")]).unwrap(),
    );
    desk.check();
}

/// The id that an upload gave the file that is new.
fn wanted_new(desk: &Desk, who: &folders::form::Who, directory: &str, upload: &str) -> String {
    let tried = desk.try_finish(who, directory, upload, &[]).unwrap_err();
    assert!(tried.message.contains("did not come"), "{tried:?}");
    static FILES: kernel::Query<String, Vec<String>> = kernel::Query::new("test.asked", |tx, id| {
        static SQL: base::Sql = base::Sql::new("test.asked", "SELECT asked FROM fld_upload WHERE id = ?1");
        let row = tx.query_one(&SQL, base::args![id])?.unwrap();
        let kept: serde_json::Value = serde_json::from_str(row.text(0)).unwrap();
        let new = kept["files"].as_array().unwrap().iter().filter(|file| file["asked"]["id"].is_null());
        Ok(new.map(|file| file["id"].as_str().unwrap().to_owned()).collect())
    });
    desk.read(&FILES, upload.to_owned()).unwrap().remove(0)
}

#[test]
fn fld_6_whoever_asks_anew_for_what_they_write_begins_anew() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let file = desk.put(&a, &id, edit("x", 1), b"one");
    let (first, _) = allowed(desk.ask(&a, &id, vec![rewrite(&file, 2)]));
    let (second, _) = allowed(desk.ask(&a, &id, vec![rewrite(&file, 3)]));
    assert_eq!(desk.call(&RENEW, of(&first)).unwrap_err().code.name, "NUPLOAD");
    increased(desk.try_finish(&a, &id, &second, &[(&file.id, b"two")]).unwrap());
    desk.check();
}

#[test]
fn fld_6_groups_of_one_client_that_need_one_new_folder_wait_for_each_other() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let (first, wanted) = allowed(desk.ask(&a, &id, vec![edit("new/x", 1)]));
    let (files, look_ms) = denied(desk.ask(&a, &id, vec![edit("new/y", 2), edit("z", 2)]));
    assert_eq!((files[0].status, files[1].status), (Status::Blocked, Status::Free), "the first goes on");
    assert!((1..=30_000).contains(&look_ms), "{look_ms}");
    desk.call(&RENEW, of(&first)).unwrap();
    desk.check();
    increased(desk.try_finish(&a, &id, &first, &[(&wanted[0].1, b"one")]).unwrap());
    let (second, wanted) = allowed(desk.ask(&a, &id, vec![edit("new/y", 2)]));
    increased(desk.try_finish(&a, &id, &second, &[(&wanted[0].1, b"two")]).unwrap());
    assert_eq!(desk.paths(&a, &id), ["new", "new/x", "new/y"]);
    desk.check();
}

#[test]
fn fld_6_the_seats_of_a_group_last_as_long_as_its_upload() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let (upload, _) = allowed(desk.ask(&a, &id, vec![edit("x", 1), edit("y", 1)]));
    for _ in 0..3 {
        desk.world().pass_ms(20_000);
        desk.call(&RENEW, of(&upload)).unwrap();
    }
    assert!(locks(&desk, &id).iter().all(|lock| lock.left_ms == 30_000), "{:?}", locks(&desk, &id));
    denied(desk.ask(&b, &id, vec![edit("x", 2)]));
    desk.world().pass_ms(30_001);
    allowed(desk.ask(&b, &id, vec![edit("y", 3)]));
    desk.check();
}

pub fn one_path(desk: &Desk) {
    let (a, b) = (device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let (upload, wanted) = allowed(desk.ask(&a, &id, vec![edit("new", 1)]));
    let (files, _) = denied(desk.ask(&b, &id, vec![edit("NEW", 2)]));
    assert_eq!(
        (files[0].status, files[0].id.clone()),
        (Status::Blocked, None),
        "the path is taken, in any case of its letters"
    );
    let file = increased(desk.try_finish(&a, &id, &upload, &[(&wanted[0].1, b"one")]).unwrap()).remove(0);
    assert_eq!(file.id, wanted[0].1, "the id that was said");
    let (files, _) = denied(desk.ask(&b, &id, vec![edit("new", 2)]));
    assert_eq!(files[0].status, Status::Denied, "another content");
    let same = folders::form::Asked { hash: Some(crate::kit::hash(b"one")), ..edit("new", 3) };
    assert_eq!(increased(desk.ask(&b, &id, vec![same]))[0].id, file.id, "the same content");
    desk.check();
}

#[test]
fn fld_14_two_who_create_one_path_get_one_file_or_a_refusal() {
    one_path(&Desk::new());
}

#[test]
fn fld_14_two_who_create_a_path_in_a_folder_that_is_new_too_do_not_both_win() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let (first, one) = allowed(desk.ask(&a, &id, vec![edit("f/new", 1)]));
    let (second, two) = match desk.ask(&b, &id, vec![edit("f/new", 2)]) {
        folders::form::Asking::Allowed { upload, wanted } => (upload, wanted),
        other => return drop(denied(other)),
    };
    increased(desk.try_finish(&a, &id, &first, &[(&one[0].1, b"one")]).unwrap());
    let (files, _) = denied(desk.try_finish(&b, &id, &second, &[(&two[0].1, b"two")]).unwrap());
    assert_eq!(files[0].status, Status::Denied);
    assert_eq!(desk.paths(&a, &id), ["f", "f/new"]);
    desk.check();
}
