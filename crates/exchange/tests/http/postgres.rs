//! The same on PostgreSQL: every statement prepares, and the routes answer the same.

use exchange::{Rules, Settings, Watch};
use serde_json::json;
use testbed_web::PostgresKernel;

use crate::edge::{Edge, Office};

fn open(name: &str) -> (Edge, PostgresKernel) {
    let below = PostgresKernel::open(name, &exchange::SERVICE);
    (Edge::of(below.kernel.clone()), below)
}

#[test]
fn every_statement_of_the_exchange_prepares_on_postgres() {
    let (edge, _below) = open("exc_statements");
    let store = edge.kernel.namespace("main").unwrap().store.clone();
    for sql in exchange::SERVICE.statements {
        store.prepare(sql).unwrap_or_else(|error| panic!("{}: {error}", sql.name));
    }
}

#[test]
fn exc_1_who_takes_part_is_listed_the_same_on_postgres() {
    let (edge, _below) = open("exc_registry");
    crate::registry::check_lists(&edge);
}

#[test]
fn exc_1_names_change_the_same_on_postgres() {
    let (edge, _below) = open("exc_names");
    let office = Office::of(edge);
    crate::names::check_names(&office);
}

#[test]
fn ker_23_exc_1_of_two_names_at_once_one_stays_on_two_nodes() {
    let nodes = PostgresKernel::open_nodes("exc_names_two", &exchange::SERVICE, 2);
    let kernels: Vec<kernel::Kernel> = nodes.iter().map(|node| node.kernel.clone()).collect();
    crate::names::check_two_names(&Office::of(Edge::of_nodes(&kernels)));
}

#[test]
fn exc_10_21_the_handshake_and_the_ledger_are_the_same_on_postgres() {
    let (edge, _below) = open("exc_handshake");
    let office = Office::of(edge);
    crate::numbers::check_ledger(&office);
    crate::refusals::check_two_starts(&office);
}

#[test]
fn exc_22_an_outcome_that_nobody_came_to_know_is_forgotten_on_postgres() {
    let (edge, _below) = open("exc_forgotten");
    let office = Office::of(edge);
    office.edge.kernel.common::<Rules>().set(Settings { ready_ms: 1, kept_ms: 2_000, ..Settings::default() });
    let process = office.prepared();
    let ended = (0..20_000).any(|_| {
        // Each looks at once for what took too long, and for what is too old.
        let _watch = Watch::start(&office.edge.kernel);
        office.edge.get(&format!("/processes/{process}"))["outcome"] == json!("forgotten")
    });
    // The process itself is not to be forgotten while we look at it.
    office.edge.kernel.common::<Rules>().set(Settings::default());
    assert!(ended, "{}", office.edge.get(&format!("/processes/{process}")));
    crate::retention::check_forgotten(&office, &process);
}

#[test]
fn exc_4_folders_are_listed_and_messages_put_back_the_same_on_postgres() {
    let (edge, _below) = open("exc_files");
    let office = Office::of(edge);
    crate::files::fill(&office);
    crate::files::check_folders(&office);
    crate::files::check_requeue(&office);
    assert_eq!(office.edge.get("/ledger?db=erp")["balances"], json!(true));
}

#[test]
fn ker_23_exc_10_exc_21_the_handshake_and_the_ledger_are_the_same_over_two_and_three_nodes() {
    for (count, name) in [(2, "exc_two"), (3, "exc_three")] {
        let nodes = PostgresKernel::open_nodes(name, &exchange::SERVICE, count);
        let kernels: Vec<kernel::Kernel> = nodes.iter().map(|node| node.kernel.clone()).collect();
        let office = Office::of(Edge::of_nodes(&kernels));
        crate::numbers::check_ledger(&office);
        crate::refusals::check_two_starts(&office);
    }
}

#[test]
fn ker_23_exc_4_messages_are_listed_and_put_back_over_two_nodes() {
    let nodes = PostgresKernel::open_nodes("exc_files_two", &exchange::SERVICE, 2);
    let kernels: Vec<kernel::Kernel> = nodes.iter().map(|node| node.kernel.clone()).collect();
    let office = Office::of(Edge::of_nodes(&kernels));
    crate::files::fill(&office);
    crate::files::check_folders(&office);
    crate::files::check_requeue(&office);
    assert_eq!(office.edge.get("/ledger?db=erp")["balances"], json!(true));
}
