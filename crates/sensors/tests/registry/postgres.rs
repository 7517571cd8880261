//! The same on PostgreSQL: every statement prepares, and what is registered is found in the same order.

use testbed_web::PostgresKernel;

use crate::edge::Edge;

fn open(name: &str) -> (Edge, PostgresKernel) {
    let below = PostgresKernel::open(name, &sensors::SERVICE);
    (Edge::of(below.kernel.clone()), below)
}

#[test]
fn every_statement_of_sensors_prepares_on_postgres() {
    let (edge, _below) = open("sen_statements");
    let store = edge.kernel.namespace("main").unwrap().store.clone();
    for sql in sensors::SERVICE.statements {
        store.prepare(sql).unwrap_or_else(|error| panic!("{}: {error}", sql.name));
    }
}

#[test]
fn sen_1_what_is_registered_is_listed_the_same_on_postgres() {
    let (edge, _below) = open("sen_registry");
    crate::sensors::check_lists(&edge);
    crate::sensors::check_addresses(&edge);
    crate::links::check_links(&edge);
    crate::told::check_history(&edge);
}

#[test]
fn ker_23_sen_1_sen_12_what_is_registered_is_the_same_over_two_and_three_nodes() {
    for (count, name) in [(2, "sen_two"), (3, "sen_three")] {
        let nodes = PostgresKernel::open_nodes(name, &sensors::SERVICE, count);
        let kernels: Vec<kernel::Kernel> = nodes.iter().map(|node| node.kernel.clone()).collect();
        let edge = Edge::of_nodes(&kernels);
        crate::sensors::check_lists(&edge);
        crate::sensors::check_addresses(&edge);
        crate::links::check_links(&edge);
        crate::told::check_history(&edge);
    }
}
