//! What can never be, and that it changes nothing.

use base::Sql;
use folders::form::{Asked, Kind, Told};

use crate::kit::{Desk, device, edit, folder, increased, rename};

static ROWS: Sql = Sql::new(
    "test.rows_of_all",
    "SELECT (SELECT COUNT(*) FROM fld_file) + (SELECT COUNT(*) FROM fld_version) + (SELECT COUNT(*) FROM fld_seat) \
     + (SELECT COUNT(*) FROM fld_upload) + (SELECT COUNT(*) FROM fld_content)",
);

#[test]
fn fld_18_fld_25_names_cycles_and_ids_of_elsewhere_are_refused_and_change_nothing() {
    let (desk, a) = (Desk::new(), device("a"));
    let (id, other) = (desk.directory(&a, &[]), desk.directory(&a, &[]));
    let elsewhere = desk.put(&a, &other, edit("x", 1), b"one");
    let f = increased(desk.ask(&a, &id, vec![folder("f"), folder("f/g")])).remove(0);
    let before = (desk.count(&ROWS), desk.changes(&a, &id, 0));
    let mut bad: Vec<Asked> = ["", "/etc/passwd", "../x", "a/../../x", "a//b", "a\\b", "C:\\x", "a\0b", ".", "a/./b"]
        .into_iter()
        .map(|path| edit(path, 1))
        .collect();
    bad.push(edit(&"n".repeat(256), 1));
    bad.push(rename(&f, "f/g/f", 2));
    bad.push(Asked { id: Some(elsewhere.id), ..edit("mine", 3) });
    bad.push(Asked { id: Some("no uuid".into()), ..edit("mine", 3) });
    bad.push(Asked { id: Some(f.id), kind: Kind::File, ..edit("f", 4) });
    for asked in bad {
        let told = Told { seq: before.1.seq, beyond: vec![] };
        match desk.try_ask(&a, &id, told, vec![asked.clone(), edit("good", 9)]) {
            Err(error) => assert_eq!(error.code.name, "AFOLDER", "{asked:?}"),
            Ok(other) => panic!("{asked:?}: {other:?}"),
        }
        assert_eq!((desk.count(&ROWS), desk.changes(&a, &id, 0)), before, "{asked:?}");
    }
    desk.check();
}

#[test]
fn fld_3_too_many_or_no_changes_are_refused() {
    let (desk, a) = (Desk::new(), device("a"));
    let id = desk.directory(&a, &[]);
    let many = (0..401).map(|number| edit(&format!("x{number}"), 1)).collect();
    assert_eq!(desk.try_ask(&a, &id, Told::default(), many).unwrap_err().code.name, "ALIMIT");
    assert_eq!(desk.try_ask(&a, &id, Told::default(), vec![]).unwrap_err().code.name, "AFOLDER");
    assert_eq!(desk.try_ask(&a, "nothing", Told::default(), vec![edit("x", 1)]).unwrap_err().code.name, "NDIRECTORY");
}
