//! Statements: every text is prepared on every engine, so that a mistake shows in a test and not in the night.

use std::collections::BTreeSet;

use base::{Sql, Store};

use crate::fixture::Fixture;
use crate::tables::{STATEMENTS, ids, prepared};
use crate::work::look;

/// Prepares all of `statements` on a store that has their tables, and checks that their names are unique: a prepared
/// form is found by its name.
///
/// # Panics
/// With all mistakes at once, if there are any.
pub fn every_statement_prepares(store: &dyn Store, statements: &[&'static Sql]) {
    let mut names = BTreeSet::new();
    let twins =
        statements.iter().filter(|sql| !names.insert(sql.name)).map(|sql| format!("{}: a second one", sql.name));
    let mut mistakes: Vec<String> = twins.collect();
    mistakes.extend(statements.iter().filter_map(|sql| mistake(store, sql)));
    assert!(mistakes.is_empty(), "{} mistakes:\n{}", mistakes.len(), mistakes.join("\n"));
}

fn mistake(store: &dyn Store, sql: &'static Sql) -> Option<String> {
    store.prepare(sql).err().map(|error| format!("{}: {error}\n    {}", sql.name, sql.text))
}

/// The helper that the kernel's and the services' statements go through, on the suite's own. Preparing runs nothing.
pub fn the_suites_own_statements_prepare(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    every_statement_prepares(store.as_ref(), STATEMENTS);
    assert_eq!(look(store.as_ref(), ids), [0; 0]);
}

static WRONG: [Sql; 3] = [
    Sql::new("wrong.column", "SELECT colour FROM suite_value WHERE id = ?1"),
    Sql::new("wrong.table", "DELETE FROM suite_missing WHERE id = ?1"),
    Sql::new("wrong.grammar", "SELEKT id FROM suite_value"),
];

/// The helper is worth nothing on an engine that prepares anything.
pub fn a_wrong_text_does_not_prepare(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    for sql in &WRONG {
        let error = store.prepare(sql).expect_err(sql.name).to_string();
        assert!(error.contains(sql.name), "`{error}` does not name {}", sql.name);
    }
}
