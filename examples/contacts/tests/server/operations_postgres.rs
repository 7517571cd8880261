//! Own operations and own SQL on PostgreSQL.

use kill::postgres::{Database, SHARED};
use kill::server::KEY;

use crate::kit::{client_of, launch};
use crate::operations::check_own_search;

#[tokio::test]
async fn doc_7_doc_13_an_own_search_brings_its_own_sql_for_postgresql() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::new(SHARED, "contacts").expect("a database");
    let server = database.launch(launch(&folder.path().join("data"))).start().expect("a server");
    check_own_search(&client_of(&server, KEY)).await;
}
