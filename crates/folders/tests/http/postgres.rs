//! The same on PostgreSQL.

use testbed_web::{Edge, PostgresKernel, in_turn};
use web::{App, AppConfig};

use crate::kit::{ROOT, Server};

#[test]
fn fld_24_fld_25_con_11_directories_files_history_and_members_are_the_same_on_postgres() {
    let below = PostgresKernel::open("fld_http", &folders::SERVICE);
    let server = Server::of(Edge::of(ROOT, below.kernel.clone(), folders::service()));
    crate::tour::browsed(&server);
    crate::tour::brought_back(&server);
    crate::tour::members(&server);
    crate::tour::found(&server);
}

#[test]
fn ker_23_fld_24_fld_25_directories_are_the_same_over_two_and_three_nodes() {
    for (count, name) in [(2, "fld_two"), (3, "fld_three")] {
        let nodes = PostgresKernel::open_nodes(name, &folders::SERVICE, count);
        let router = |node: &PostgresKernel| {
            App::new(node.kernel.clone(), vec![folders::service()], AppConfig::default()).router()
        };
        let routers = nodes.iter().map(router).collect();
        let server = Server::of(Edge::with(ROOT, nodes[0].kernel.clone(), in_turn(routers)));
        crate::tour::browsed(&server);
        crate::tour::brought_back(&server);
        crate::tour::members(&server);
    }
}
