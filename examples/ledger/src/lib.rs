//! An own service on the kernel, whole: accounts with balances, entries that change them, transfers between them.
//!
//! Read it as a tutorial: [`account`] holds the decisions and the statements, `ops/` one operation per file, [`routes`]
//! the HTTP table, and [`LEDGER`] the one value that server and simulator take. `main.rs` is the whole program. The
//! kill tests run this server: an entry that was acknowledged and is missing, or counted twice, shows at once.

pub mod account;
pub mod drill;
pub mod ops;
mod routes;

use base::{Code, Migration};
use kernel::{Invariant, ServiceDef};

pub use routes::routes;

/// A balance would go below zero.
pub const AFUNDS: Code = Code::new("AFUNDS", 422);
/// No such account.
pub const NACCOUNT: Code = Code::new("NACCOUNT", 404);

/// The service.
pub static LEDGER: ServiceDef = ServiceDef {
    name: "ledger",
    migrations: &[Migration { service: "ledger", version: 1, text: include_str!("../migrations/0001.sql") }],
    statements: &[
        &account::GET,
        &account::PUT,
        &account::ENTRY,
        &account::UNEQUAL,
        &ops::list_entries::PAGE,
        &ops::list_entries::PAGE_OF_ALL,
    ],
    operations: &[&ops::add_entry::ADD_ENTRY, &ops::transfer::TRANSFER],
    sessions: &[],
    invariants: &[Invariant { name: "a balance is the sum of its entries", check: account::unequal }],
    ..ServiceDef::EMPTY
};

/// The service with its routes, for the server.
#[must_use]
pub fn service() -> web::Service {
    web::Service::new(&LEDGER, routes)
}

/// The kill harness's tasks, which an administrator starts by `POST /v1/{ns}/tasks`.
#[must_use]
pub fn drill() -> web::Service {
    web::Service::new(&drill::DRILL, Vec::new)
}
