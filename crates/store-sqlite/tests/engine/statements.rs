//! Every named statement of the kernel prepares on this engine.

use store_suite::{Fixture, every_statement_prepares};

#[test]
fn every_kernel_statement_prepares() {
    let fixture = crate::OneFile::new();
    let store = fixture.open();
    store.migrate(kernel::KERNEL.migrations).unwrap();
    every_statement_prepares(store.as_ref(), kernel::KERNEL.statements);
}
