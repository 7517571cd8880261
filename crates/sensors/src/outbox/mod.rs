//! The way of history to the archive (SEN-11): what is in the store moves on in batches, and stays there for as long as the archive is
//! away.
//!
//! One batch is under way at a time: rows are marked with its name (`gather`), written outside of any transaction (`write`), and
//! deleted (`clear`). Each step is a commit and begins anew after a crash; between marking and deleting the rows of a batch are
//! always the same, so that writing them again changes nothing that a reader sees.
//!
//! Invariants: a row leaves the store only after the archive said that it has it; a try leaves only when it has ended.

mod begin;
mod perform;
mod state;
mod task;
mod watch;

use kernel::TaskDef;

pub use begin::BEGIN;
pub use perform::{WRITE, perform};
pub use watch::Exporter;

pub(crate) use begin::{NEW_HISTORY, NEW_TRIES};
pub(crate) use perform::{BATCH_HISTORY, BATCH_TRIES};
pub(crate) use state::{DROP, GET, PUT};
pub(crate) use task::{CLEAR_HISTORY, CLEAR_TRIES, MARK_HISTORY, MARK_TRIES};

/// Rows of one batch.
pub const BATCH_ROWS: i64 = 10_000;
/// How long a row waits for others.
pub const GATHER_MS: u64 = 60_000;

/// The task that moves history.
pub(crate) const TASK: TaskDef = TaskDef::new(OP, task::plan).settled_by(task::settle).queue(2).ending();
/// Its operation.
const OP: &str = "sensor.export";
