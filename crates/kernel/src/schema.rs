//! Requests and access keys as a service, and the list of all services that the kernel itself is made of.

use base::{Migration, Sql, StoreResult, Tx, args};

use crate::service::{Invariant, ServiceDef, Violation};
use crate::{
    accounts, alerts, blobs, counters, feed, idempotency, journal, keys, leases, namespaces, ops, overview, secret,
    tasks, watch,
};

const MIGRATIONS: &[Migration] = &[
    Migration { service: "kernel", version: 1, text: include_str!("../migrations/kernel_0001.sql") },
    Migration { service: "kernel", version: 2, text: include_str!("../migrations/kernel_0002.sql") },
];

const STATEMENTS: &[&Sql] = &[
    &idempotency::INSERT,
    &idempotency::COMPLETE,
    &idempotency::GET,
    &keys::BY_HASH,
    &keys::find::BY_ID,
    &keys::find::BY_LABEL,
    &ops::create_key::INSERT,
    &keys::secrets::INSERT,
    &keys::secrets::CURRENT,
    &keys::secrets::END,
    &keys::secrets::FORGET,
    &keys::secrets::OLDER,
    &keys::secrets::WITHOUT,
    &ops::rotate_key::REVOKED,
    &ops::change_key::LABEL,
    &ops::change_key::SET_LABEL,
    &ops::bootstrap_key::ANY,
    &ops::revoke_key::REVOKE,
    &ops::list_keys::PAGE,
    &ops::list_keys::ONE,
    &ops::forget_requests::DELETE,
    &INCOMPLETE,
    &secret::GET,
    &secret::PUT,
];

/// What the kernel itself is made of, always the first in the list of services. Each part has its own tables, statements and
/// operations; parts use each other through plain functions.
pub static OWN: [&ServiceDef; 12] = [
    &KERNEL,
    &tasks::SERVICE,
    &leases::SERVICE,
    &feed::SERVICE,
    &blobs::SERVICE,
    &accounts::SERVICE,
    &namespaces::SERVICE,
    &alerts::SERVICE,
    &journal::SERVICE,
    &counters::SERVICE,
    &watch::SERVICE,
    &overview::SERVICE,
];

/// Requests and access keys.
pub static KERNEL: ServiceDef = ServiceDef {
    name: "kernel",
    migrations: MIGRATIONS,
    statements: STATEMENTS,
    operations: &[
        &ops::create_key::CREATE_KEY,
        &ops::bootstrap_key::BOOTSTRAP_KEY,
        &ops::revoke_key::REVOKE_KEY,
        &ops::rotate_key::ROTATE_KEY,
        &ops::change_key::CHANGE_KEY,
        &ops::forget_requests::FORGET_REQUESTS,
    ],
    invariants: &[
        Invariant { name: "a claimed request row is complete once committed", check: complete_requests },
        keys::secrets::NEVER_WITHOUT,
    ],
    ..ServiceDef::EMPTY
};

static INCOMPLETE: Sql =
    Sql::new("request.incomplete", "SELECT caller, route, key FROM request WHERE complete = 0 ORDER BY key LIMIT ?1");

fn complete_requests(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&INCOMPLETE, args![100], 100)?;
    Ok(rows.iter().map(|row| Violation(format!("{} {} {}", row.text(0), row.text(1), row.text(2)))).collect())
}
