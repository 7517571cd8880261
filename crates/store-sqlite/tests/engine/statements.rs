//! Every named statement of the kernel prepares on this engine.

use store_suite::{Fixture, every_statement_prepares};

#[test]
fn every_kernel_statement_prepares() {
    let fixture = crate::OneFile::new();
    let store = fixture.open();
    let plan: Vec<_> = kernel::OWN.iter().flat_map(|service| service.migrations).copied().collect();
    store.migrate(&plan).unwrap();
    for service in kernel::OWN {
        every_statement_prepares(store.as_ref(), service.statements);
    }
}
