//! Accounts of people, console sessions and slowed logins (KER-32, KER-33).
//!
//! Invariants: of a password only its argon2id hash is stored, of a session only a hash of its token; a hash of a
//! password is computed before a transaction, never in one; all sessions of an account end with a change of its password, a
//! block, or its removal; the administrators' namespace always has an administrator who can log in; a try to log in is counted
//! before its password is looked at, so that neither a flood nor a kill leaves tries uncounted.
//!
//! The operations are not among those that are called by name: they take hashes, which only the edge makes.

mod account;
pub mod begin_login;
pub mod bootstrap_account;
pub mod change_account;
pub mod change_password;
pub mod create_account;
pub mod delete_account;
pub mod end_session;
pub mod fail_login;
mod find;
pub mod guess;
pub mod list_accounts;
pub mod open_session;
pub mod password;
mod rows;
pub mod session;
pub mod throttle;
mod touch_session;

pub use account::{Account, NAME_MAX, check_name, check_role};
pub use find::find;

use base::{Migration, Sql, StoreResult, Tx, args};

use crate::service::{Invariant, ServiceDef, Violation};

/// Accounts and sessions.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "accounts",
    migrations: &[Migration {
        service: "accounts",
        version: 1,
        text: include_str!("../../migrations/accounts_0001.sql"),
    }],
    statements: &[
        &account::GET,
        &account::INSERT,
        &account::SAVE,
        &account::DELETE,
        &account::PAGE,
        &account::ANY,
        &find::BY_NAME,
        &account::OTHER_ADMINS,
        &session::BY_HASH,
        &session::END_ALL,
        &session::END,
        &open_session::INSERT,
        &open_session::OLDEST,
        &open_session::EXPIRED,
        &touch_session::TOUCH,
        &rows::GET,
        &rows::PUT,
        &rows::TAKE_BACK,
        &rows::FORGET,
        &rows::FORGET_OLD,
        &rows::BEYOND,
        &ORPHANS,
    ],
    invariants: &[Invariant { name: "a session belongs to an account that is not blocked", check: orphans }],
    ..ServiceDef::EMPTY
};

static ORPHANS: Sql = Sql::new(
    "console_session.orphans",
    "SELECT s.account FROM console_session s LEFT JOIN console_account a ON a.name = s.account \
     WHERE a.name IS NULL OR a.blocked_at IS NOT NULL ORDER BY s.account LIMIT ?1",
);

fn orphans(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&ORPHANS, args![100], 100)?;
    Ok(rows.iter().map(|row| Violation(format!("session of `{}`", row.text(0)))).collect())
}
