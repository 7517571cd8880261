//! Counters per device, actor, client, operation: summed in memory, flushed as deltas each second (KER-29).
//!
//! Invariants: counting never waits for the store and is never part of an operation. A crash loses at most what was counted
//! since the last flush (a second); nothing is ever counted twice, because a flush whose outcome is unknown comes again under
//! the same number. Keys in memory are bounded: what finds no room is counted under the name [`OTHERS`] of its kind.

mod flush;
mod forget;
pub mod list;
mod sums;

use base::Migration;

use crate::service::{ServiceDef, TaskDef};

pub(crate) use flush::FLUSH;
pub use sums::{Counters, Field, OTHERS};

/// Name of the setting of their retention.
pub(crate) const SETTING: &str = "counters";

/// Counters.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "counters",
    migrations: &[Migration {
        service: "counters",
        version: 1,
        text: include_str!("../../migrations/counters_0001.sql"),
    }],
    statements: &[&flush::NUMBER, &flush::ADD, &list::PAGE, &forget::DELETE],
    operations: &[&FLUSH],
    tasks: &[TaskDef::new("counters.forget", forget::plan).queue(2).standing("D0353").ending()],
    ..ServiceDef::EMPTY
};

/// Whether an operation is counted. The flush does not count itself, or a server at rest would write every second.
pub(crate) fn is_counted(operation: &str) -> bool {
    operation != flush::FLUSH_NAME
}
