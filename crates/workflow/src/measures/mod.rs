//! What the workflow shows of itself in `/metrics` (WFL-22): what became of processes and tasks, what was repaired and by whom, how long
//! things took, how much waits.
//!
//! Counted after COMMIT only. What is counted is gone with the process of the server, as all metrics are; what has to last is counted by the
//! kernel (KER-29).

mod gauges;
mod tally;

pub use gauges::Measures;
pub(crate) use tally::{Count, Tally, Time};

pub(crate) use gauges::STATEMENTS;
