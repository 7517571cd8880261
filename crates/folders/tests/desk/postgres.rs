//! The same on PostgreSQL: every statement prepares, and the desk answers the same.

use crate::kit::Desk;

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
