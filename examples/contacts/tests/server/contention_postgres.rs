//! The same fight over three nodes on one PostgreSQL.

use kill::postgres::{Database, SHARED};
use kill::server::Server;

use crate::contention::{fight, join_at_once};
use crate::kit::launch;

/// Three nodes on one database, with a folder that goes with them.
fn nodes(prefix: &str) -> (tempfile::TempDir, Vec<Server>) {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::new(SHARED, prefix).expect("a database");
    let start = |name: &str| database.launch(launch(&folder.path().join(name))).start().expect("a server");
    let servers = ["one", "two", "three"].map(start).into();
    (folder, servers)
}

#[tokio::test(flavor = "multi_thread")]
async fn c2_d_ker_7_64_clients_fight_for_one_document_over_three_nodes_on_postgresql() {
    let (_folder, servers) = nodes("fight");
    fight(&servers).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn doc_15_a_lock_document_numbers_members_over_three_nodes_on_postgresql() {
    let (_folder, servers) = nodes("number");
    join_at_once(&servers).await;
}
