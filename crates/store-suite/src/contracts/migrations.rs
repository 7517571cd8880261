//! Migrations (KER-39): applied once, never changed, never half.

use base::{Migration, Sql, StoreResult, args};
use host::side_by_side;

use crate::fixture::Fixture;
use crate::work::{change, look};

static NOTES: Sql = Sql::new("suite_note.all", "SELECT note FROM suite_note ORDER BY note");
static NOTE_INSERT: Sql = Sql::new("suite_note.insert", "INSERT INTO suite_note (note) VALUES (?1)");

/// Not repeatable by itself: a second run would fail, or write the row twice.
const FIRST: Migration = Migration {
    service: "suite_notes",
    version: 1,
    text: "CREATE TABLE suite_note (note {text} NOT NULL) {strict}; INSERT INTO suite_note (note) VALUES ('first; still first')",
};
const SECOND: Migration =
    Migration { service: "suite_notes", version: 2, text: "INSERT INTO suite_note (note) VALUES ('second')" };
const OTHER: Migration = Migration {
    service: "suite_other",
    version: 1,
    text: "CREATE TABLE suite_other (id {int} PRIMARY KEY, share {real}, bytes {blob}) {strict}",
};

fn notes(store: &dyn base::Store) -> Vec<String> {
    look(store, |tx| Ok(tx.query(&NOTES, args![], 9)?.iter().map(|row| row.text(0).to_owned()).collect()))
}

/// The text of a refusal, which must name the service.
fn refusal(result: StoreResult<()>, what: &str) -> String {
    let text = result.expect_err(what).to_string();
    assert!(text.contains("suite_notes"), "`{text}` does not say whose schema it is");
    text
}

/// Every start runs the migrations again, of the old services and of a new one; steps that were applied are left alone,
/// also by another store on the same data.
pub fn ker_39_steps_are_applied_once(fixture: &dyn Fixture) {
    let store = fixture.open();
    store.migrate(&[]).expect("nothing to do");
    for plan in [&[FIRST][..], &[FIRST], &[FIRST, OTHER], &[FIRST, SECOND, OTHER], &[OTHER, FIRST, SECOND]] {
        store.migrate(plan).expect("repeatable");
    }
    change(store.as_ref(), |tx| tx.execute(&NOTE_INSERT, args!["third"]).map(drop));
    store.close();
    drop(store);
    let store = fixture.open();
    store.migrate(&[FIRST, SECOND, OTHER]).expect("repeatable by the next");
    assert_eq!(notes(store.as_ref()), ["first; still first", "second", "third"]);
}

/// A released step that was edited would give new and old installations different schemas.
pub fn ker_39_a_changed_step_is_refused(fixture: &dyn Fixture) {
    let store = fixture.open();
    store.migrate(&[FIRST, SECOND]).expect("new");
    let changed = Migration { text: "INSERT INTO suite_note (note) VALUES ('changed')", ..SECOND };
    let text = refusal(store.migrate(&[OTHER, FIRST, changed]), "a changed step");
    assert!(text.contains('2'), "`{text}` does not name the step");
    assert!(store.prepare(&OTHER_COUNT).is_err(), "nothing else of the plan was applied");
    store.migrate(&[FIRST, SECOND]).expect("the old one still fits");
    assert_eq!(notes(store.as_ref()), ["first; still first", "second"]);
}

/// An older program on a newer schema would misread it; it refuses before it touches anything, and says why.
pub fn ker_39_a_newer_schema_is_refused(fixture: &dyn Fixture) {
    let store = fixture.open();
    store.migrate(&[FIRST, SECOND]).expect("new");
    // Whichever service comes first in the plan.
    for plan in [[FIRST, OTHER], [OTHER, FIRST]] {
        let text = refusal(store.migrate(&plan), "a newer schema");
        assert!(text.contains("newer") && text.contains('2'), "`{text}` does not say that step 2 is newer");
    }
    assert!(store.prepare(&OTHER_COUNT).is_err(), "nothing else of the plan was applied");
    assert_eq!(notes(store.as_ref()), ["first; still first", "second"]);
}

static OTHER_COUNT: Sql = Sql::new("suite_other.count", "SELECT COUNT(*) FROM suite_other");

/// A step that stops in its middle (a mistake, a full disk) must not leave a half schema that nobody can repair.
pub fn ker_39_a_failed_step_leaves_no_trace(fixture: &dyn Fixture) {
    let store = fixture.open();
    let broken = Migration {
        text: "CREATE TABLE suite_half (id {int} PRIMARY KEY) {strict}; INSERT INTO suite_note (note) VALUES ('half');
               INSERT INTO suite_missing (id) VALUES (1)",
        ..SECOND
    };
    let mended = Migration { text: "CREATE TABLE suite_half (id {int} PRIMARY KEY) {strict}", ..SECOND };
    store.migrate(&[FIRST]).expect("new");
    refusal(store.migrate(&[FIRST, broken]), "a broken step");
    assert_eq!(notes(store.as_ref()), ["first; still first"], "and the store goes on");
    store.migrate(&[FIRST, mended]).expect("as if the broken one had never been tried");
}

/// Two nodes that start at once must not both apply a step, and neither may fail because of the other.
pub fn ker_39_two_at_once_apply_once(fixture: &dyn Fixture) {
    if !fixture.two_at_once() {
        return eprintln!("this engine has one store at a time; nothing to check");
    }
    let stores = [fixture.open(), fixture.open()];
    for result in side_by_side(2, |node| stores[node].migrate(&[FIRST, SECOND, OTHER])) {
        result.expect("both may start");
    }
    assert_eq!(notes(stores[0].as_ref()), ["first; still first", "second"]);
    stores[1].close();
}
