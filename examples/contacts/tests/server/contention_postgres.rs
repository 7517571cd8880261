//! The same fight over three nodes on one PostgreSQL.

use kill::postgres::{Database, SHARED};

use crate::contention::fight;
use crate::kit::launch;

#[tokio::test(flavor = "multi_thread")]
async fn c2_d_ker_7_64_clients_fight_for_one_document_over_three_nodes_on_postgresql() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::new(SHARED, "fight").expect("a database");
    let start = |name: &str| database.launch(launch(&folder.path().join(name))).start().expect("a server");
    fight(&[start("one"), start("two"), start("three")]).await;
}
