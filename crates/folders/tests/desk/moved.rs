//! Renaming a folder: one row, one commit; and how those hear of it who do not know the tree.

use std::collections::BTreeSet;

use base::Sql;
use folders::form::FileMeta;

use crate::kit::{Desk, device, edit, folder, increased, rename};

static VERSIONS: Sql = Sql::new("test.versions", "SELECT COUNT(*) FROM fld_version");

/// So many files, laid in by hand: asking for each would take minutes.
static FILL: kernel::Op<(String, String, i64), ()> = kernel::Op::new(
    "test.fill",
    |tx, _, (directory, parent, from)| {
        static FILE: Sql = Sql::new(
            "test.fill_file",
            "INSERT INTO fld_file (id, directory, parent, name, slot, kind, version, content_version, deleted, size, seq, changed_at, heard, client) \
         VALUES (?1, ?2, ?3, ?4, ?4, 'FILE', 1, 1, 0, 0, 1, 0, 0, 'x')",
        );
        static VERSION: Sql = Sql::new(
            "test.fill_version",
            "INSERT INTO fld_version (file, version, directory, parent, name, kind, content_version, deleted, size, seq, changed_at, heard, client, \
         device) VALUES (?1, 1, ?2, ?3, ?4, 'FILE', 1, 0, 0, 1, 0, 0, 'x', 'x')",
        );
        for number in *from..from + 1_000 {
            let (id, name) = (format!("{parent}-{number:06}"), format!("n{number:06}"));
            tx.write(&FILE, base::args![&id, directory, parent, &name])?;
            tx.write(&VERSION, base::args![&id, directory, parent, &name])?;
        }
        Ok(())
    },
);

fn told_of_each(desk: &Desk, directory: &str, after: u64, limit: usize) -> (Vec<FileMeta>, usize) {
    let (mut all, mut from, mut pages) = (vec![], (after, String::new()), 0);
    loop {
        let page = desk.page(&device("a"), directory, (from.0, &from.1), limit, true);
        assert!(page.files.len() <= limit, "{}", page.files.len());
        (pages, from) = (pages + 1, (page.seq, page.file));
        all.extend(page.files);
        if !page.more {
            return (all, pages);
        }
    }
}

pub fn large(desk: &Desk, files: i64) {
    let a = device("a");
    let id = desk.directory(&a, &[]);
    let made = increased(desk.ask(&a, &id, vec![folder("old"), folder("old/deep")]));
    for from in (0..files).step_by(1_000) {
        desk.call(&FILL, (id.clone(), made[1].id.clone(), from)).unwrap();
    }
    let (versions, seq) = (desk.count(&VERSIONS), made[0].seq);
    let renamed = increased(desk.ask(&a, &id, vec![rename(&made[0], "new", 2)])).remove(0);
    assert_eq!((renamed.path.as_str(), renamed.seq), ("new", seq + 1));
    assert_eq!(desk.count(&VERSIONS) - versions, 1, "one row, whatever lies below");
    let page = desk.page(&a, &id, (seq, ""), 1_000, false);
    assert_eq!((page.files.len(), page.more), (1, false), "one message for those who know the tree");
    let (each, pages) = told_of_each(desk, &id, seq, 1_000);
    assert_eq!(each.len() as i64, files + 2);
    assert!(pages as i64 >= files / 1_000, "page by page: {pages}");
    assert_eq!((each[0].path.as_str(), each[1].path.as_str()), ("new", "new/deep"), "the folder first");
    assert!(each[2..].iter().all(|file| file.path.starts_with("new/deep/n")));
    assert_eq!(each.iter().map(|file| &file.id).collect::<BTreeSet<_>>().len(), each.len(), "each once");
}

#[test]
fn fld_15_renaming_a_folder_of_100_000_files_is_one_row_and_one_commit() {
    large(&Desk::new(), 100_000);
}

#[test]
fn fld_15_what_moved_is_told_the_same_in_pages_of_any_size() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let paths = ["f", "f/g", "f/g/h", "f/i", "j"];
    let made = increased(desk.ask(&a, &id, paths.map(folder).to_vec()));
    for (number, path) in ["f/1", "f/g/2", "f/g/h/3", "f/g/h/4", "f/i/5", "j/6"].into_iter().enumerate() {
        desk.put(&a, &id, edit(path, number as i64 + 1), path.as_bytes());
    }
    let seq = desk.changes(&a, &id, 0).seq;
    increased(desk.ask(&a, &id, vec![rename(&made[0], "j/f", 2)]));
    desk.put(&a, &id, edit("j/f/i/new", 9), b"new");
    increased(desk.ask(&a, &id, vec![rename(&made[2], "h", 3)]));
    let (whole, _) = told_of_each(&desk, &id, seq, 1_000);
    let set = |files: &[FileMeta]| files.iter().map(|file| file.path.clone()).collect::<BTreeSet<_>>();
    let wanted = ["h", "h/3", "h/4", "j/f", "j/f/1", "j/f/g", "j/f/g/2", "j/f/i", "j/f/i/5", "j/f/i/new"];
    assert_eq!(set(&whole), wanted.map(str::to_owned).into());
    assert_eq!(whole.len(), wanted.len(), "each once: {whole:?}");
    for limit in 1..=10 {
        let (pieces, pages) = told_of_each(&desk, &id, seq, limit);
        assert_eq!(pieces, whole, "{limit}");
        assert!(pages >= 10 / limit);
    }
    let (all, _) = told_of_each(&desk, &id, 0, 3);
    assert_eq!(all.len(), 12, "to whom all is new, nothing moved");
    desk.check();
}

#[test]
fn fld_12_fld_15_every_tombstone_of_a_deleted_folder_is_told_also_to_those_who_know_the_tree() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let made = increased(desk.ask(&a, &id, vec![folder("f"), folder("f/g"), folder("stays")]));
    for path in ["f/1", "f/g/2"] {
        desk.put(&a, &id, edit(path, 1), path.as_bytes());
    }
    let seq = desk.changes(&a, &id, 0).seq;
    let gone = increased(desk.ask(&a, &id, vec![crate::kit::delete(&made[0], 2)]));
    assert_eq!(gone.len(), 1, "the answer is about what was asked for");
    for each in [false, true] {
        let told = desk.page(&a, &id, (seq, ""), 1_000, each).files;
        let paths: BTreeSet<&str> = told.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, BTreeSet::from(["f", "f/g", "f/1", "f/g/2"]));
        assert!(told.iter().all(|file| file.deleted && file.seq == seq + 1), "all in one commit");
    }
    desk.check();
}
