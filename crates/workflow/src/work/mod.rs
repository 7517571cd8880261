//! What workers do (WFL-6, WFL-7): poll, release, heartbeat.

mod bells;
mod fill;
mod heartbeat;
mod once;
mod poll;
mod release;

pub(crate) use bells::{Bells, Waiter};
pub use heartbeat::{Beat, Beaten, HEARTBEAT, Heartbeat};
pub(crate) use once::forget;
pub use once::{POLL_ONCE, PollOnce};
pub use poll::{GivenTask, NEXT_AT, POLL, Poll, Polled};
pub use release::{RELEASE, Release, Released, Result as TaskResult, Verdict};

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&[&Sql]] = &[poll::STATEMENTS, once::STATEMENTS];
