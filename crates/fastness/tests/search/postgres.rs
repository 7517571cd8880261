//! The same on PostgreSQL.

use kill::postgres::{Database, SHARED};
use serde_json::json;

use crate::{Site, fill};

#[test]
fn con_11_everything_is_found_the_same_on_postgres() {
    let database = Database::new(SHARED, "find").expect("a database");
    let site = Site::with(|launch| database.launch(launch).env("FASTNESS_STORE__ENGINE", "sqlite"));
    let made = site.make("/v1/z/namespaces", &json!({ "name": "shop", "engine": "postgres" }));
    assert_eq!(made["engine"], "postgres");
    fill::check_all(&site, "shop");
}
