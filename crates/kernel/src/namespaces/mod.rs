//! Namespaces: their configuration in the administrators' namespace, their states, grants and resources (KER-1, KER-2).

use crate::service::ServiceDef;

/// Namespaces.
pub static SERVICE: ServiceDef = ServiceDef { name: "namespaces", ..ServiceDef::EMPTY };
