//! The same where namespaces are schemas.

use tokio_postgres::NoTls;

use crate::kit::Kit;

/// Schemas whose names hold this.
fn schemas(part: &str) -> Vec<String> {
    let url = std::env::var("FASTNESS_TEST_POSTGRES").expect("FASTNESS_TEST_POSTGRES is not set: run `cargo xtask ci`");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        tokio::spawn(connection);
        let sql = "SELECT nspname::text FROM pg_namespace WHERE position($1 in nspname) > 0 ORDER BY nspname";
        client.query(sql, &[&part]).await.unwrap().iter().map(|row| row.get(0)).collect()
    })
}

#[test]
fn con_11_a_demo_on_postgres_leaves_no_schema() {
    let prefix = format!("demos{}_", std::process::id());
    let kit = Kit::on_postgres(&prefix);
    let ran = kit.run("demo documents --quick");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(kit.namespaces(), ["main", "z"]);
    assert!(!schemas(&prefix).is_empty(), "the server's own");
    let left: Vec<String> = schemas(&prefix)
        .into_iter()
        .filter(|name| name.contains("demo"))
        .filter(|name| name.contains("documents"))
        .collect();
    assert_eq!(left, [""; 0]);
}
