//! Counters per device, actor, client, operation: summed in memory, flushed as deltas (KER-29).

use crate::service::ServiceDef;

/// Counters.
pub static SERVICE: ServiceDef = ServiceDef { name: "counters", ..ServiceDef::EMPTY };
