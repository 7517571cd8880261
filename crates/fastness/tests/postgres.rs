//! Every named statement of the kernel prepares on PostgreSQL too.
//!
//! Here and not in the engine's crate, because engines know no kernel.

use std::sync::Arc;

use base::Store;
use host::{OsEntropy, RealClock};
use store_postgres::{PostgresConfig, PostgresStore};

#[test]
fn every_kernel_statement_prepares_on_postgres() {
    let url = std::env::var("FASTNESS_TEST_POSTGRES").expect("FASTNESS_TEST_POSTGRES is not set: run `cargo xtask ci`");
    let schema = format!("statements_{}", std::process::id());
    let config = PostgresConfig::new(url, schema);
    let store = PostgresStore::open(config, Arc::new(RealClock::new()), Arc::new(OsEntropy)).expect("the store opens");
    let plan: Vec<_> = kernel::OWN.iter().flat_map(|service| service.migrations).copied().collect();
    store.migrate(&plan).expect("the schema");
    for sql in kernel::OWN.iter().flat_map(|service| service.statements) {
        store.prepare(sql).unwrap_or_else(|error| panic!("{}: {error}", sql.name));
    }
    store.close();
}
