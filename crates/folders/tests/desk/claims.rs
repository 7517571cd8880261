//! Contents that came in chunks which nobody saw whole: what their authors claim of them, and what is decided without relying on it.

use base::Sql;
use folders::desk::{FINISH, MISSING, SEGMENT};
use folders::form::{Asked, Asking, FileMeta, Finish, MissingOf, NewSegment, Told, Who, Written};

use crate::kit::{Desk, allowed, delete, denied, device, edit, hash, increased, rename, rewrite};

/// A change that claims this content.
fn claims(asked: Asked, bytes: &[u8]) -> Asked {
    Asked { size: Some(bytes.len() as u64), hash: Some(hash(bytes)), ..asked }
}

/// Brings bytes as two chunks, cut here; nobody computes the hash of all.
fn bring(desk: &Desk, upload: String, id: &str, bytes: &[u8], cut: usize) -> Asking {
    let chunks = [&bytes[..cut], &bytes[cut..]].map(|chunk| (desk.blob(chunk), chunk.len() as u64)).to_vec();
    let segment = desk.call(&SEGMENT, NewSegment { chunks }).unwrap();
    let files = vec![Written { id: id.to_owned(), segments: vec![segment], hash: None }];
    desk.call(&FINISH, Finish { upload, told: Told::default(), files }).unwrap()
}

fn put(desk: &Desk, who: &Who, directory: &str, asked: Asked, bytes: &[u8], cut: usize) -> FileMeta {
    let (upload, wanted) = allowed(desk.try_ask(who, directory, Told::default(), vec![asked]).unwrap());
    increased(bring(desk, upload, &wanted[0].1, bytes, cut)).remove(0)
}

#[test]
fn fld_21_the_hash_that_an_author_claims_is_told_as_that() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let made = put(&desk, &a, &id, claims(edit("x", 1), b"one two"), b"one two", 4);
    assert_eq!((made.hash, made.author_hash), (None, Some(hash(b"one two"))));
    let told = folders::wire::metadata(&desk.changes(&a, &id, 0).files[0], false);
    assert_eq!((told.hash, told.author_hash.map(|hash| hash.len())), (None, Some(32)));
    let whole = desk.put(&a, &id, claims(edit("y", 2), b"whole"), b"whole");
    assert_eq!((whole.hash, whole.author_hash), (Some(hash(b"whole")), None), "where it was checked, that is told");
    desk.check();
}

#[test]
fn fld_14_two_who_bring_the_same_chunks_to_one_new_path_get_one_file() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let made = put(&desk, &a, &id, claims(edit("x", 1), b"one two"), b"one two", 4);
    let (upload, wanted) = allowed(desk.ask(&b, &id, vec![claims(edit("x", 1), b"one two")]));
    assert_eq!(wanted, [(0, made.id.clone())], "it may be the same: its chunks will tell");
    let stored = MissingOf { chunks: vec![hash(b"one "), hash(b"two")] };
    assert_eq!(desk.read(&MISSING, stored).unwrap(), [""; 0], "and none of them travels");
    let joined = increased(bring(&desk, upload, &made.id, b"one two", 4)).remove(0);
    assert_eq!((joined.id, joined.version), (made.id, 1));
    assert_eq!(desk.changes(&a, &id, 0).seq, made.seq, "nothing changed");
    desk.check();
}

#[test]
fn fld_10_an_edit_with_the_same_chunks_is_no_conflict() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let first = desk.put(&a, &id, edit("x", 1), b"first");
    put(&desk, &a, &id, claims(rewrite(&first, 2), b"one two"), b"one two", 4);
    let late = claims(rewrite(&first, 3), b"one two");
    let (upload, _) = allowed(desk.ask(&b, &id, vec![late]));
    let adopted = increased(bring(&desk, upload, &first.id, b"one two", 4)).remove(0);
    assert_eq!((adopted.version, adopted.id), (2, first.id));
    desk.check();
}

#[test]
fn fld_5_a_claim_alone_replaces_and_joins_nothing() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let first = desk.put(&a, &id, edit("x", 1), b"first");
    put(&desk, &a, &id, claims(rewrite(&first, 2), b"one two"), b"one two", 4);
    for asked in [rewrite(&first, 3), edit("x", 4)] {
        let (upload, wanted) = allowed(desk.ask(&b, &id, vec![claims(asked, b"one two")]));
        let (files, _) = denied(bring(&desk, upload, &wanted[0].1, b"ONE TWO", 4));
        assert_eq!(files[0].status, folders::Status::Denied, "other chunks are another content");
    }
    let other = claims(rewrite(&first, 5), b"another");
    assert!(
        matches!(desk.ask(&b, &id, vec![other]), Asking::Denied { .. }),
        "what is surely another is not even tried"
    );
    assert_eq!(desk.changes(&a, &id, 0).files[0].version, 2);
    desk.check();
}

/// As an undoing of the whole directory does, which asks nobody for a seat.
static LEAVE_SEAT: kernel::Op<String, ()> = kernel::Op::new("test.leave_seat", |tx, _, place| {
    static DROP: Sql = Sql::new("test.drop_seat", "DELETE FROM fld_seat WHERE place = ?1");
    Ok(tx.write(&DROP, base::args![place])?)
});

#[test]
fn fld_14_what_would_have_joined_a_file_that_is_deleted_meanwhile_is_a_new_one() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let made = put(&desk, &a, &id, claims(edit("x", 1), b"one two"), b"one two", 4);
    let (upload, wanted) = allowed(desk.ask(&b, &id, vec![claims(edit("x", 1), b"one two")]));
    desk.call(&LEAVE_SEAT, made.id.clone()).unwrap();
    increased(desk.ask(&a, &id, vec![delete(&made, 2)]));
    let renewed = increased(bring(&desk, upload, &wanted[0].1, b"one two", 4)).remove(0);
    assert_ne!(renewed.id, made.id, "a tombstone's id is not that of a new file");
    assert_eq!((renewed.version, renewed.deleted), (1, false));
}

#[test]
fn fld_21_claims_that_differ_are_told_to_nobody() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let (mine, theirs) = (desk.directory(&a, &[]), desk.directory(&b, &[]));
    put(&desk, &a, &mine, claims(edit("x", 1), b"one two"), b"one two", 4);
    put(&desk, &a, &mine, claims(edit("same", 2), b"one two"), b"one two", 4);
    assert_eq!(desk.changes(&a, &mine, 0).files[0].author_hash, Some(hash(b"one two")), "all say the same");
    let false_claim = Asked { hash: Some(hash(b"a lie")), ..edit("y", 1) };
    let made = put(&desk, &b, &theirs, false_claim, b"one two", 4);
    assert_eq!(made.author_hash, None);
    assert_eq!(desk.changes(&a, &mine, 0).files[0].author_hash, None, "who is right is not known");
    put(&desk, &a, &mine, claims(edit("z", 3), b"one two"), b"one two", 4);
    assert_eq!(desk.changes(&a, &mine, 0).files[2].author_hash, None, "and stays so");
    desk.check();
}

#[test]
fn fld_10_a_new_file_whose_answer_was_lost_is_known_again_by_what_was_brought_not_by_what_others_made_of_it() {
    let (desk, a, b) = (Desk::new(), device("a"), device("b"));
    let id = desk.directory(&a, &[&b]);
    let made = put(&desk, &a, &id, claims(edit("x", 7), b"one two"), b"one two", 4);
    let edited = put(&desk, &b, &id, claims(rewrite(&made, 1), b"by others"), b"by others", 4);
    increased(desk.ask(&b, &id, vec![rename(&edited, "y", 2)]));
    let again = increased(desk.ask(&a, &id, vec![claims(edit("x", 7), b"one two")])).remove(0);
    assert_eq!((again.id, again.path.as_str()), (made.id, "y"));
    let other = claims(edit("x", 7), b"something else");
    assert!(matches!(desk.ask(&a, &id, vec![other]), Asking::Allowed { .. }), "of one time, and another content");
    desk.check();
}
