//! PostgreSQL, asked by hand.

use tokio_postgres::NoTls;

use crate::parts::variable;

/// A single number.
pub fn number(sql: &str) -> i64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let url = variable("FASTNESS_TEST_POSTGRES_FAULTS");
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        let driven = tokio::spawn(connection);
        let number = client.query_one(sql, &[]).await.unwrap().get(0);
        drop(client);
        driven.await.unwrap().unwrap();
        number
    })
}
