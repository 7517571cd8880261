//! Who may do what.

use folders::care::{CHANGE, Change, DIRECTORIES, DROP_MEMBER, DirectoriesOf, DirectoryPatch, OfMember};
use folders::desk::{CHANGES, CONTENT, FILES, JOIN, Right};
use folders::form::{Asked, ChangesOf, ContentOf, FilesOf, Join, Told, Who};

use crate::kit::{Desk, allowed, delete, device, edit, increased, rewrite};

fn join(desk: &Desk, who: &Who, directory: &str) -> String {
    let join = Join { who: who.clone(), directory: directory.to_owned(), seq: 0, epoch: None };
    desk.call(&JOIN, join).map_or_else(|error| error.code.name.to_owned(), |_| "in".into())
}

fn ask(desk: &Desk, who: &Who, directory: &str) -> String {
    let asked = desk.try_ask(who, directory, Told::default(), vec![edit("other", 1)]);
    asked.map_or_else(|error| error.code.name.to_owned(), |_| "asked".into())
}

pub fn roles(desk: &Desk) {
    let (a, b) = (device("a"), device("b"));
    let id = desk.directory(&a, &[]);
    let file = desk.put(&a, &id, edit("x", 1), b"one");
    assert_eq!(
        (join(desk, &b, &id), ask(desk, &b, &id)),
        ("NDIRECTORY".into(), "NDIRECTORY".into()),
        "it is not there for them"
    );
    let of = ChangesOf {
        who: b.clone(),
        directory: id.clone(),
        after: 0,
        after_file: String::new(),
        limit: 10,
        each: false,
    };
    assert_eq!(desk.read(&CHANGES, of.clone()).unwrap_err().code.name, "NDIRECTORY");
    assert_eq!(desk.read(&FILES, FilesOf { who: b.clone(), ids: vec![file.id.clone()] }).unwrap(), []);
    let content = ContentOf { who: b.clone(), id: file.id, version: 1, segment: 0 };
    assert_eq!(desk.read(&CONTENT, content.clone()).unwrap_err().code.name, "NFILE");
    desk.member(&a, &id, &b.key, Right::Read).unwrap();
    assert_eq!((join(desk, &b, &id), ask(desk, &b, &id)), ("in".into(), "SROLE".into()), "a key that only reads");
    assert_eq!(desk.read(&CHANGES, of).unwrap().files.len(), 1);
    assert_eq!(desk.read(&CONTENT, content).unwrap().chunks.len(), 1);
    assert_eq!(desk.member(&b, &id, &b.key, Right::Admin).unwrap_err().code.name, "SROLE", "nobody raises themselves");
    desk.member(&a, &id, &b.key, Right::Write).unwrap();
    assert_eq!(ask(desk, &b, &id), "asked");
    desk.member(&a, &id, &b.device, Right::Read).unwrap();
    assert_eq!(ask(desk, &b, &id), "SROLE", "its device may less");
    let drop_it = |who: &str| OfMember { by: a.clone(), directory: id.clone(), who: who.to_owned() };
    desk.call(&DROP_MEMBER, drop_it(&b.device)).unwrap();
    desk.call(&DROP_MEMBER, drop_it(&b.key)).unwrap();
    assert_eq!(join(desk, &b, &id), "NDIRECTORY");
    let anyone = DirectoryPatch { anyone: Some(Right::Write), ..DirectoryPatch::default() };
    desk.call(&CHANGE, Change { who: a.clone(), directory: id.clone(), patch: anyone }).unwrap();
    assert_eq!(join(desk, &b, &id), "in");
    let list = |who: &Who| {
        desk.read(&DIRECTORIES, DirectoriesOf { who: who.clone(), after: String::new(), limit: 10 }).unwrap().0
    };
    assert_eq!((list(&b)[0].role, list(&a)[0].role), (Right::Write, Right::Admin));
    desk.check();
}

#[test]
fn fld_25_roles_hold_in_a_directory() {
    roles(&Desk::new());
}

#[test]
fn fld_25_whoever_loses_their_right_while_they_write_commits_nothing() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let (upload, wanted) = allowed(desk.ask(&b, &id, vec![edit("x", 1)]));
    let keep = desk.keep(b"one");
    desk.member(&a, &id, &b.key, Right::Read).unwrap();
    let files = vec![folders::form::Written { id: wanted[0].1.clone(), segments: keep, hash: None }];
    let finish = folders::form::Finish { upload, told: Told::default(), files };
    assert_eq!(desk.call(&folders::desk::FINISH, finish).unwrap_err().code.name, "SROLE");
    assert_eq!(desk.paths(&a, &id), [""; 0]);
}

#[test]
fn fld_25_a_quota_holds_for_what_is_announced_and_for_what_comes() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let file = desk.put(&a, &id, edit("x", 1), b"0123456789");
    let patch = DirectoryPatch { quota_bytes: Some(Some(12)), ..DirectoryPatch::default() };
    desk.call(&CHANGE, Change { who: a.clone(), directory: id.clone(), patch }).unwrap();
    let told = Told { seq: file.seq, beyond: vec![] };
    let large = Asked { size: Some(3), ..edit("y", 2) };
    assert_eq!(desk.try_ask(&a, &id, told, vec![large]).unwrap_err().code.name, "AQUOTA");
    let (upload, wanted) = allowed(desk.ask(&a, &id, vec![edit("y", 2)]));
    let came = desk.try_finish(&a, &id, &upload, &[(&wanted[0].1, b"123")]);
    assert_eq!(came.unwrap_err().code.name, "AQUOTA");
    let fits = desk.try_finish(&a, &id, &upload, &[(&wanted[0].1, b"12")]).unwrap();
    let y = increased(fits).remove(0);
    let smaller = desk.put(&a, &id, rewrite(&file, 3), b"0");
    assert_eq!(smaller.size, 1, "what makes room is always taken");
    increased(desk.ask(&a, &id, vec![delete(&y, 4)]));
    desk.put(&a, &id, edit("z", 5), b"01234567890");
    desk.check();
}

#[test]
fn fld_25_every_change_and_every_right_that_is_given_leaves_a_line_of_who_did_it() {
    static LINES: base::Sql = base::Sql::new(
        "test.lines",
        "SELECT kind, subject, text FROM journal WHERE kind IN ('folders.created', 'folders.changed', 'folders.member') ORDER BY at, id LIMIT 10",
    );
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let file = desk.put(&b, &id, edit("report", 1), b"one");
    increased(desk.ask(&a, &id, vec![delete(&file, 2)]));
    let lines = desk.world().rows(&LINES);
    assert!(lines.iter().all(|line| line.text(1) == id));
    let lines: Vec<(&str, &str)> = lines.iter().map(|line| (line.text(0), line.text(2))).collect();
    let has = |kind: &str, words: &[&str]| {
        let is_it = |(of, text): &&(&str, &str)| *of == kind && words.iter().all(|word| text.contains(word));
        assert_eq!(lines.iter().filter(is_it).count(), 1, "{kind} {words:?}: {lines:?}");
    };
    has("folders.created", &["key a"]);
    has("folders.member", &["key b", "write"]);
    has("folders.changed", &["b (key b)", "report v1"]);
    has("folders.changed", &["a (key a)", "report v2 deleted"]);
}
