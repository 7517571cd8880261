//! Counters per device, actor, client, operation: summed in memory, flushed as deltas each second (KER-29).
//!
//! Invariants: counting never waits for the store and is never part of an operation. A crash loses at most what was counted
//! since the last flush (a second); nothing is ever counted twice, because a flush whose outcome is unknown comes again under
//! the same number. The same batch adds, per kind, to a table of minutes, and a ring in memory keeps the last seconds ([`rates`]).
//! Keys in memory are bounded: what finds no room is counted under the name [`OTHERS`] of its kind.

mod flush;
mod forget;
pub mod list;
mod minutes;
pub mod rates;
mod seconds;
mod sums;

use base::Migration;

use crate::service::{ServiceDef, TaskDef};

pub(crate) use flush::FLUSH;
pub(crate) use sums::Counted;
pub use sums::{Counters, Field, OTHERS};

/// The kind under which operations are counted, by name.
pub const OPERATION: &str = "operation";
/// The kind under which the ends of tasks are counted, by the name of their operation.
pub const TASK: &str = "task";

/// Name of the setting of their retention.
pub(crate) const SETTING: &str = "counters";
/// Name of the setting of the minutes' retention.
pub(crate) const MINUTES_SETTING: &str = "counter_minutes";

/// Counters.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "counters",
    migrations: &[
        Migration { service: "counters", version: 1, text: include_str!("../../migrations/counters_0001.sql") },
        Migration { service: "counters", version: 2, text: include_str!("../../migrations/counters_0002.sql") },
    ],
    statements: &[
        &flush::NUMBER,
        &flush::ADD,
        &minutes::ADD,
        &list::PAGE,
        &list::ONE,
        &list::NEXT_KIND,
        &rates::BY_STEP,
        &forget::DELETE,
        &forget::DELETE_MINUTES,
    ],
    operations: &[&FLUSH],
    tasks: &[TaskDef::new("counters.forget", forget::plan).queue(2).standing("D0353").ending()],
    ..ServiceDef::EMPTY
};

/// Whether an operation is counted. The flush does not count itself, or a server at rest would write every second.
pub(crate) fn is_counted(operation: &str) -> bool {
    operation != flush::FLUSH_NAME
}
