//! Schemas that are set aside, and those that are missing.

use std::sync::Arc;

use base::{Store, StoreError};
use host::OsEntropy;
use store_postgres::{PostgresConfig, PostgresStore};

use crate::sandbox::{Sandbox, url};

fn schemas(sandbox: &Sandbox, like: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM pg_catalog.pg_namespace WHERE nspname = '{like}'");
    sandbox.admin().number(&text)
}

#[test]
fn ker_2_a_schema_that_is_missing_is_not_made_anew_where_it_held_data() {
    let sandbox = Sandbox::new();
    let config = PostgresConfig { creates_schema: false, ..PostgresConfig::new(url(), sandbox.schema()) };
    let open = || PostgresStore::open(config.clone(), sandbox.clock(), Arc::new(OsEntropy));
    let refused = open().map(drop).unwrap_err();
    assert!(matches!(&refused, StoreError::Unavailable(text) if text.contains("missing")), "{refused}");
    assert_eq!(schemas(&sandbox, sandbox.schema()), 0, "nothing was made");
    sandbox.open().close();
    open().map(|store| store.close()).unwrap();
}

#[test]
fn ker_2_what_is_set_aside_never_stays_in_the_way() {
    let sandbox = Sandbox::new();
    let aside = format!("removed_{}", sandbox.schema());
    let set_aside = || {
        let config = PostgresConfig::new(url(), sandbox.schema());
        PostgresStore::set_aside(config, &aside, sandbox.clock(), Arc::new(OsEntropy)).unwrap()
    };
    sandbox.open().close();
    assert!(set_aside());
    assert!(!set_aside(), "a repeat is harmless");
    // Somebody who had an old row made it anew.
    sandbox.open().close();
    assert!(set_aside(), "under the next name");
    assert_eq!((schemas(&sandbox, &aside), schemas(&sandbox, &format!("{aside}_2"))), (1, 1));
    for name in [aside.clone(), format!("{aside}_2")] {
        sandbox.admin().run(&format!("DROP SCHEMA {name} CASCADE"));
    }
}
