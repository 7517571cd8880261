//! The kernel's own tables, and the kernel as a service.

use base::{Migration, Sql, StoreResult, Tx, args};

use crate::service::{Invariant, ServiceDef, Violation};
use crate::{effects, idempotency, keys, ops};

const MIGRATIONS: &[Migration] =
    &[Migration { service: "kernel", version: 1, text: include_str!("../migrations/0001.sql") }];

const STATEMENTS: &[&Sql] = &[
    &effects::TASK_INSERT,
    &effects::TASK_DELETE,
    &effects::EVENT_INSERT,
    &effects::ALERT_OPEN,
    &effects::ALERT_CLOSE,
    &effects::JOURNAL_INSERT,
    &idempotency::INSERT,
    &idempotency::COMPLETE,
    &idempotency::GET,
    &keys::BY_HASH,
    &ops::create_key::INSERT,
    &ops::create_key::BY_ID,
    &ops::bootstrap_key::ANY,
    &ops::revoke_key::REVOKE,
    &ops::list_keys::PAGE,
    &ops::forget_requests::DELETE,
    &INCOMPLETE,
];

/// The kernel as a service: always the first of the list.
pub static KERNEL: ServiceDef = ServiceDef {
    name: "kernel",
    migrations: MIGRATIONS,
    statements: STATEMENTS,
    operations: &[
        &ops::create_key::CREATE_KEY,
        &ops::bootstrap_key::BOOTSTRAP_KEY,
        &ops::revoke_key::REVOKE_KEY,
        &ops::forget_requests::FORGET_REQUESTS,
    ],
    tasks: &[],
    sessions: &[],
    invariants: &[Invariant { name: "a claimed request row is complete once committed", check: complete_requests }],
};

static INCOMPLETE: Sql =
    Sql::new("request.incomplete", "SELECT caller, route, key FROM request WHERE complete = 0 ORDER BY key LIMIT ?1");

fn complete_requests(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&INCOMPLETE, args![100], 100)?;
    Ok(rows.iter().map(|row| Violation(format!("{} {} {}", row.text(0), row.text(1), row.text(2)))).collect())
}
