//! Bytes: chunks, segments, contents.

use base::Sql;
use folders::desk::{CONTENT, FINISH, MISSING, RELEASE, SEGMENT};
use folders::form::{Asked, ContentOf, Finish, MissingOf, NewSegment, OfUpload, Told, Written};

use crate::kit::{Desk, allowed, device, edit, hash, increased, rewrite};

static CONTENTS: Sql = Sql::new("test.contents", "SELECT COUNT(*) FROM fld_content");
static SEGMENTS: Sql = Sql::new("test.segments", "SELECT COUNT(*) FROM fld_segment");

pub fn same_bytes(desk: &Desk) {
    let a = device("a");
    let id = desk.directory(&a, &[]);
    let bytes = vec![7; 3 << 20];
    let x = desk.put(&a, &id, edit("x", 1), &bytes);
    let y = desk.put(&a, &id, edit("y", 2), &bytes);
    assert_ne!(x.id, y.id);
    assert_eq!((desk.count(&CONTENTS), desk.count(&SEGMENTS)), (1, 1), "stored once");
    let of = |segment| ContentOf { who: a.clone(), id: x.id.clone(), version: 1, segment };
    let content = desk.read(&CONTENT, of(0)).unwrap();
    assert_eq!((content.chunks.len(), content.is_last), (3, true));
    assert_eq!(content.chunks[0], (hash(&bytes[..1 << 20]), 1 << 20));
    let empty = desk.put(&a, &id, edit("empty", 3), b"");
    assert_eq!((empty.size, empty.hash), (0, Some(hash(b""))));
    let none = desk.read(&CONTENT, ContentOf { id: empty.id, ..of(0) }).unwrap();
    assert_eq!((none.chunks, none.is_last), (vec![], true), "empty files work");
    desk.check();
}

#[test]
fn fld_8_fld_21_the_same_bytes_are_stored_once() {
    same_bytes(&Desk::new());
}

#[test]
fn fld_8_whoever_reads_gets_the_version_that_they_were_told_though_it_is_written_anew() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let first = desk.put(&a, &id, edit("x", 1), b"one");
    let (upload, _) = allowed(desk.ask(&a, &id, vec![rewrite(&first, 2)]));
    let of = ContentOf { who: b, id: first.id.clone(), version: 1, segment: 0 };
    assert_eq!(desk.read(&CONTENT, of.clone()).unwrap().chunks, [(hash(b"one"), 3)], "nobody is locked out");
    increased(desk.try_finish(&a, &id, &upload, &[(&first.id, b"two")]).unwrap());
    assert_eq!(desk.read(&CONTENT, of).unwrap().chunks, [(hash(b"one"), 3)]);
}

#[test]
fn fld_20_bytes_that_are_not_those_announced_change_nothing() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let file = desk.put(&a, &id, edit("x", 1), b"one");
    let before = desk.changes(&a, &id, 0);
    for (asked, code) in [
        (Asked { size: Some(4), ..rewrite(&file, 2) }, "AFOLDER"),
        (Asked { size: Some(3), hash: Some(hash(b"two")), ..rewrite(&file, 3) }, "ASHA"),
    ] {
        let (upload, _) = allowed(desk.ask(&a, &id, vec![asked]));
        let refused = desk.try_finish(&a, &id, &upload, &[(&file.id, b"new")]);
        assert_eq!(refused.unwrap_err().code.name, code);
        let missing = desk.try_finish(&a, &id, &upload, &[]);
        assert_eq!(missing.unwrap_err().code.name, "AFOLDER", "its bytes did not come");
        let stranger = desk.try_finish(&a, &id, &upload, &[("another", b"one"), (&file.id, b"one")]);
        assert_eq!(stranger.unwrap_err().code.name, "AFOLDER");
        desk.call(&RELEASE, OfUpload { upload, lease_ms: 0 }).unwrap();
        assert_eq!(desk.changes(&a, &id, 0), before);
    }
    desk.check();
}

#[test]
fn fld_20_segments_are_of_stored_chunks_and_full_but_for_the_last() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let absent = NewSegment { chunks: vec![(hash(b"never stored"), 12)] };
    assert_eq!(desk.call(&SEGMENT, absent).unwrap_err().code.name, "NBLOB");
    let chunk = desk.blob(b"one");
    let longer = NewSegment { chunks: vec![(chunk.clone(), 4)] };
    assert_eq!(desk.call(&SEGMENT, longer).unwrap_err().code.name, "AFOLDER");
    let short = desk.call(&SEGMENT, NewSegment { chunks: vec![(chunk.clone(), 3)] }).unwrap();
    let full = desk.call(&SEGMENT, NewSegment { chunks: vec![(chunk.clone(), 3); 500] }).unwrap();
    let (upload, wanted) = allowed(desk.ask(&a, &id, vec![edit("x", 1)]));
    let finish = |segments: &[&String]| {
        let segments = segments.iter().map(|id| (*id).clone()).collect();
        let files = vec![Written { id: wanted[0].1.clone(), segments, hash: None }];
        desk.call(&FINISH, Finish { upload: upload.clone(), told: Told::default(), files })
    };
    assert_eq!(finish(&[&short, &full]).unwrap_err().code.name, "AFOLDER");
    assert_eq!(finish(&[&full, &hash(b"no segment")]).unwrap_err().code.name, "AFOLDER");
    let file = increased(finish(&[&full, &full, &short]).unwrap()).remove(0);
    assert_eq!((file.size, file.hash), (3 * 1_001, None), "nobody computed its hash");
    assert_eq!(desk.read(&MISSING, MissingOf { chunks: vec![chunk, hash(b"x")] }).unwrap(), [hash(b"x")]);
    desk.check();
}
