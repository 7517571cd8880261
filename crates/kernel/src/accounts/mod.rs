//! Accounts of people, console sessions and slowed logins (KER-32, KER-33).

use crate::service::ServiceDef;

/// Accounts and sessions.
pub static SERVICE: ServiceDef = ServiceDef { name: "accounts", ..ServiceDef::EMPTY };
