//! The same on PostgreSQL.

use testbed_web::{Edge, PostgresKernel};

use crate::kit::{ROOT, Server};

#[test]
fn fld_24_fld_25_directories_files_history_and_members_are_the_same_on_postgres() {
    let below = PostgresKernel::open("fld_http", &folders::SERVICE);
    let server = Server::of(Edge::of(ROOT, below.kernel.clone(), folders::service()));
    crate::tour::browsed(&server);
    crate::tour::brought_back(&server);
    crate::tour::members(&server);
}
