//! Leases with epochs (KER-24).

use crate::service::ServiceDef;

/// Leases.
pub static SERVICE: ServiceDef = ServiceDef { name: "leases", ..ServiceDef::EMPTY };
