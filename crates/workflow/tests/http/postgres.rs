//! The same on PostgreSQL: every statement prepares, and the routes answer the same.

use testbed_web::{OnNodes, OnPostgres};

use crate::ROOT;

#[test]
fn every_statement_of_the_workflow_prepares_on_postgres() {
    OnPostgres::open("wfl_statements", ROOT, workflow::service()).edge.prepare_all(&workflow::SERVICE);
}

#[test]
fn wfl_2_wfl_6_a_process_from_start_to_value_is_the_same_on_postgres() {
    let postgres = OnPostgres::open("wfl_tour", ROOT, workflow::service());
    crate::tour::from_start_to_value(&postgres.edge);
}

#[test]
fn wfl_8_errors_and_restarts_are_the_same_on_postgres() {
    let postgres = OnPostgres::open("wfl_errors", ROOT, workflow::service());
    crate::tour::errors_and_restarts(&postgres.edge);
}

#[test]
fn wfl_17_wfl_18_searches_are_the_same_on_postgres() {
    let postgres = OnPostgres::open("wfl_searches", ROOT, workflow::service());
    crate::operators::searches(&postgres.edge);
}

#[test]
fn ker_23_wfl_2_wfl_8_a_process_goes_its_way_over_two_and_three_nodes() {
    for (count, name) in [(2, "wfl_two"), (3, "wfl_three")] {
        let nodes = OnNodes::open(name, ROOT, count, workflow::service);
        crate::tour::from_start_to_value(&nodes.edge);
        crate::tour::errors_and_restarts(&nodes.edge);
    }
}
