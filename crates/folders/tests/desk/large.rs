//! Groups as large as they may be stay within what one operation may read and write.

use base::Sql;
use folders::desk::{CHANGES_MAX, FINISH};
use folders::form::{Asked, FileMeta, Finish, Told, Written};

use crate::kit::{Desk, allowed, delete, device, edit, folder, increased, rename, rewrite};

/// Writes all of a group with contents of their own.
fn put_all(desk: &Desk, directory: &str, group: Vec<Asked>, word: &str) -> Vec<FileMeta> {
    let (upload, wanted) = allowed(desk.ask(&device("a"), directory, group));
    let written = |(place, id): &(usize, String)| {
        let segments = desk.keep(format!("{word} {place}").as_bytes());
        Written { id: id.clone(), segments, hash: None }
    };
    let files = wanted.iter().map(written).collect();
    let told = Told { seq: desk.changes(&device("a"), directory, 0).seq, beyond: vec![] };
    increased(desk.call(&FINISH, Finish { upload, told, files }).expect("within the budget"))
}

#[test]
fn fld_21_a_group_as_large_as_may_be_is_one_commit() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let name = |number: usize| format!("top/sub {}/file {number}", number % 40);
    let group = (0..CHANGES_MAX).map(|number| edit(&name(number), 1)).collect();
    let made = put_all(&desk, &id, group, "first");
    assert!(made.iter().all(|file| file.seq == made[0].seq));
    let group = made.iter().map(|file| rewrite(file, 2)).collect();
    let again = put_all(&desk, &id, group, "second");
    assert!(again.iter().all(|file| file.version == 2));
    let moved = |file: &FileMeta| rename(file, &file.path.replace("top", "elsewhere"), 3);
    let moved = increased(desk.ask(&a, &id, again.iter().map(moved).collect()));
    assert!(moved.iter().all(|file| file.version == 3 && file.path.starts_with("elsewhere/")));
    let gone = increased(desk.ask(&a, &id, moved.iter().map(|file| delete(file, 4)).collect()));
    assert!(gone.iter().all(|file| file.deleted));
    desk.check();
}

#[test]
fn fld_17_a_folder_goes_with_a_thousand_files_that_its_client_knew() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let top = increased(desk.ask(&a, &id, vec![folder("top")])).remove(0);
    for part in 0..5 {
        let group = (0..190).map(|number| edit(&format!("top/{part}/{number}"), 1)).collect();
        put_all(&desk, &id, group, &format!("of {part}"));
    }
    let gone = increased(desk.ask(&a, &id, vec![delete(&top, 2)])).remove(0);
    assert!(gone.deleted);
    assert_eq!(desk.paths(&a, &id), [""; 0]);
    desk.check();
}

#[test]
fn fld_3_what_is_too_much_for_one_commit_is_refused_when_it_is_asked_for() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let deep = |number: usize| edit(&format!("{number}/{}x", "deeper/".repeat(8)), 1);
    let refused = desk.try_ask(&a, &id, Told::default(), (0..CHANGES_MAX).map(deep).collect()).unwrap_err();
    assert_eq!(refused.code.name, "ALIMIT", "{refused:?}");
    let (upload, wanted) = allowed(desk.ask(&a, &id, vec![edit("x", 1)]));
    let segments = vec![crate::kit::hash(b"one"); 2_300];
    let files = vec![Written { id: wanted[0].1.clone(), segments, hash: None }];
    let refused = desk.call(&FINISH, Finish { upload, told: Told::default(), files }).unwrap_err();
    assert_eq!(refused.code.name, "ALIMIT", "{refused:?}");
}

/// A thousand files that client a made before, all with the same time.
static MADE_BEFORE: kernel::Op<(String, i64), ()> = kernel::Op::new("test.made_before", |tx, _, (directory, from)| {
    static FILE: Sql = Sql::new(
        "test.before_file",
        "INSERT INTO fld_file (id, directory, parent, name, slot, kind, version, content_version, deleted, size, seq, changed_at, heard, client) \
         VALUES (?1, ?2, '', ?1, ?1, 'FILE', 1, 1, 0, 0, 1, 0, 0, 'client a')",
    );
    static VERSION: Sql = Sql::new(
        "test.before_version",
        "INSERT INTO fld_version (file, version, directory, parent, name, kind, content_version, deleted, size, seq, changed_at, heard, client, \
         device, try_us) VALUES (?1, 1, ?2, '', ?1, 'FILE', 1, 0, 0, 1, 0, 0, 'client a', 'a', 1)",
    );
    for number in *from..from + 1_000 {
        let name = format!("before {number}");
        tx.write(&FILE, base::args![&name, directory])?;
        tx.write(&VERSION, base::args![&name, directory])?;
    }
    Ok(())
});

#[test]
fn fld_10_whoever_gives_thousands_of_new_files_one_time_has_a_group_taken_all_the_same() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    for from in (0..20_000).step_by(1_000) {
        desk.call(&MADE_BEFORE, (id.clone(), from)).unwrap();
    }
    let group = (0..CHANGES_MAX).map(|number| edit(&format!("file {number}"), 1)).collect();
    let made = put_all(&desk, &id, group, "each is asked for alone");
    assert_eq!(made.len(), CHANGES_MAX);
}
