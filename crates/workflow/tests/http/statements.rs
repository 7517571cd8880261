//! Every statement prepares on SQLite; `postgres` has the same for the other engine.

#[test]
fn every_statement_of_the_workflow_prepares_on_sqlite() {
    crate::edge().prepare_all(&workflow::SERVICE);
}
