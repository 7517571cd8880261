//! The same on PostgreSQL: every statement prepares, and the desk answers the same.

use std::collections::BTreeSet;

use folders::form::Asking;

use crate::kit::{Desk, allowed, device, edit, folder, increased};

#[test]
fn every_statement_of_folders_prepares_on_postgres() {
    let desk = Desk::on_postgres("fld_statements");
    let store = desk.kernel().namespace("main").unwrap().store.clone();
    for sql in folders::SERVICE.statements {
        store.prepare(sql).unwrap_or_else(|error| panic!("{}: {error}", sql.name));
    }
}

#[test]
fn every_statement_of_folders_prepares_on_sqlite_and_has_a_name_of_its_own() {
    let desk = Desk::new();
    let store = desk.kernel().namespace("main").unwrap().store.clone();
    for sql in folders::SERVICE.statements {
        store.prepare(sql).unwrap_or_else(|error| panic!("{}: {error}", sql.name));
    }
    let names: std::collections::BTreeSet<_> = folders::SERVICE.statements.iter().map(|sql| sql.name).collect();
    assert_eq!(names.len(), folders::SERVICE.statements.len());
}

#[test]
fn fld_2_fld_5_fld_10_fld_12_changes_are_committed_the_same_on_postgres() {
    let desk = Desk::on_postgres("fld_commits");
    crate::commits::written_and_told(&desk);
    crate::commits::bases(&desk);
    crate::commits::repeats(&desk);
    crate::commits::deletions(&desk);
}

#[test]
fn fld_6_fld_14_seats_are_the_same_on_postgres() {
    let desk = Desk::on_postgres("fld_seats");
    crate::seats::one_at_a_time(&desk);
    crate::seats::one_path(&desk);
}

#[test]
fn fld_25_fld_24_roles_content_and_history_are_the_same_on_postgres() {
    let desk = Desk::on_postgres("fld_roles");
    crate::content::same_bytes(&desk);
    crate::past::one_file(&desk);
}

#[test]
fn fld_25_roles_are_the_same_on_postgres() {
    crate::rights::roles(&Desk::on_postgres("fld_members"));
}

#[test]
fn fld_15_a_folder_is_renamed_by_one_row_on_postgres() {
    crate::moved::large(&Desk::on_postgres("fld_moved"), 2_000);
}

/// Many at once, each in a thread of its own.
fn together<T: Send>(what: impl Fn(usize) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..8)
            .map(|number| {
                scope.spawn({
                    let what = &what;
                    move || what(number)
                })
            })
            .collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

#[test]
fn fld_6_fld_14_of_many_at_once_one_writes_on_postgres() {
    let desk = Desk::on_postgres("fld_together");
    let devices: Vec<_> = (0..8).map(|number| device(&number.to_string())).collect();
    let others: Vec<_> = devices.iter().collect();
    let id = desk.directory(&devices[0], &others[1..]);
    let asked = together(|number| desk.ask(&devices[number], &id, vec![edit("x", 1)]));
    let writers: Vec<_> =
        asked.into_iter().enumerate().filter(|(_, asking)| matches!(asking, Asking::Allowed { .. })).collect();
    assert_eq!(writers.len(), 1, "one path, one writer");
    for (number, asking) in writers {
        let (upload, wanted) = allowed(asking);
        increased(desk.try_finish(&devices[number], &id, &upload, &[(&wanted[0].1, b"x")]).unwrap());
    }
    increased(desk.ask(&devices[0], &id, vec![folder("f")]));
    let made = together(|number| {
        desk.put(&devices[number], &id, edit(&format!("f/{number}"), 2), number.to_string().as_bytes())
    });
    let seqs: BTreeSet<u64> = made.iter().map(|file| file.seq).collect();
    assert_eq!(seqs.len(), 8, "each commit has a number of its own");
    assert_eq!(desk.paths(&devices[0], &id).len(), 10, "one folder for all");
    desk.check();
}
