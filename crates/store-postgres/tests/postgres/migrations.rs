//! KER-39: steps are applied once, whoever comes, and an older program refuses a newer schema.

use std::sync::Arc;

use base::{Migration, Outcome, Sql, Store, StoreError, StoreResult, Verdict, args};
use host::side_by_side;
use store_suite::{look, work};

use crate::sandbox::Sandbox;

const fn step(version: u32, text: &'static str) -> Migration {
    Migration { service: "thing", version, text }
}

const ONE: Migration = step(1, "CREATE TABLE thing (id {int} PRIMARY KEY) {strict}; INSERT INTO thing (id) VALUES (1)");
const TWO: Migration = step(2, "ALTER TABLE thing ADD COLUMN note {text}; INSERT INTO thing (id) VALUES (2)");
const OTHER: Migration = Migration { service: "other", version: 1, text: "CREATE TABLE other (id {int} PRIMARY KEY)" };

fn refusal(done: StoreResult<()>) -> String {
    match done {
        Err(StoreError::Unavailable(text)) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn ker_39_steps_are_applied_once() {
    let sandbox = Sandbox::new();
    let store = sandbox.open_bare(|_| ());
    for plan in [&[ONE][..], &[ONE], &[ONE, TWO], &[ONE, TWO, OTHER], &[ONE, TWO]] {
        assert_eq!(store.migrate(plan), Ok(()));
    }
    let admin = sandbox.admin();
    assert_eq!(admin.number("SELECT COUNT(*) FROM thing"), 2);
    assert_eq!(admin.number("SELECT COUNT(*) FROM schema_step"), 3);
    assert!(admin.number("SELECT MIN(applied_at) FROM schema_step") > 1_700_000_000_000);
}

#[test]
fn ker_39_many_at_once_apply_once() {
    let sandbox = Sandbox::new();
    // Also the schema and the tables of the record are made by all at once.
    let done = side_by_side(6, |_| sandbox.open_bare(|config| config.workers = 1).migrate(&[ONE, TWO, OTHER]));
    assert_eq!(done, vec![Ok(()); 6]);
    assert_eq!(sandbox.admin().number("SELECT COUNT(*) FROM thing"), 2);
}

#[test]
fn ker_39_a_newer_schema_is_refused() {
    let sandbox = Sandbox::new();
    let store = sandbox.open_bare(|_| ());
    assert_eq!(store.migrate(&[ONE, TWO]), Ok(()));
    let text = refusal(store.migrate(&[ONE]));
    assert!(text.contains("thing is at step 2, newer than this program, which knows 1"), "{text}");
    assert_eq!(store.migrate(&[OTHER]), Ok(()), "what the plan does not name is not its business");
}

#[test]
fn ker_39_a_changed_step_is_refused() {
    let sandbox = Sandbox::new();
    let store = sandbox.open_bare(|_| ());
    assert_eq!(store.migrate(&[ONE]), Ok(()));
    let text = refusal(store.migrate(&[step(1, "CREATE TABLE another (id {int})"), TWO]));
    assert!(text.contains("schema step thing 1 differs from the one that was applied"), "{text}");
    assert_eq!(sandbox.admin().number("SELECT COUNT(*) FROM schema_step"), 1);
}

#[test]
fn ker_39_a_failed_step_leaves_no_trace() {
    let sandbox = Sandbox::new();
    let store = sandbox.open_bare(|_| ());
    let text = refusal(store.migrate(&[ONE, step(2, "CREATE TABLE half (id {int}); CREATE TABLE thing (id {int})")]));
    assert!(text.contains("schema step thing 2: ") && text.contains("already exists"), "{text}");
    let admin = sandbox.admin();
    let tables = "SELECT COUNT(*) FROM pg_tables WHERE tablename = 'half' AND schemaname = current_schema()";
    assert_eq!(admin.number(tables), 0);
    assert_eq!(store.migrate(&[ONE, TWO]), Ok(()), "it goes on after the step is right");
}

#[test]
fn a_prepared_statement_survives_the_migration_of_another_process() {
    static ALL: Sql = Sql::new("thing.all", "SELECT * FROM thing ORDER BY id");
    let sandbox = Sandbox::new();
    let stores: [Arc<_>; 2] =
        [sandbox.open_bare(|config| (config.workers, config.readers) = (1, 1)), sandbox.open_bare(|_| ())];
    assert_eq!(stores[0].migrate(&[ONE]), Ok(()));
    let write = || work("all", |tx| tx.query(&ALL, args![], 10).map(|_| Verdict::Keep)).outcome(&*stores[0]);
    let columns = || look(&*stores[0], |tx| Ok(tx.query(&ALL, args![], 10)?[0].0.len()));
    assert_eq!((columns(), write()), (1, Outcome::Committed));
    assert_eq!(stores[1].migrate(&[ONE, TWO]), Ok(()));
    assert_eq!((columns(), write()), (2, Outcome::Committed));
}
