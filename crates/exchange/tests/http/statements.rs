//! Every statement prepares on SQLite; `postgres` has the same for the other engine.

use crate::edge::Edge;

#[test]
fn every_statement_of_the_exchange_prepares_on_sqlite() {
    let edge = Edge::new();
    let store = edge.kernel.namespace("main").unwrap().store.clone();
    for sql in exchange::SERVICE.statements {
        store.prepare(sql).unwrap_or_else(|error| panic!("{}: {error}", sql.name));
    }
}

#[test]
fn every_statement_has_a_name_of_its_own() {
    let names: std::collections::BTreeSet<_> = exchange::SERVICE.statements.iter().map(|sql| sql.name).collect();
    assert_eq!(names.len(), exchange::SERVICE.statements.len());
}
