//! Waiting at the edge: the one place where this crate takes time from the runtime.
//!
//! Bounds on sockets are not part of any operation, so they need not be simulated; everything that a decision depends on
//! takes its time from [`base::Clock`].

use std::time::Duration;

use tokio::time::{Instant, Sleep};

/// Ends `time` from now.
#[expect(clippy::disallowed_methods, reason = "bounds on sockets belong to the runtime, not to the kernel's timers")]
pub(crate) fn pause(time: Duration) -> Sleep {
    tokio::time::sleep(time) // tidy: sleep — a bound on a socket, not a wait for an event
}

/// The runtime's own now, for its deadlines.
#[expect(clippy::disallowed_methods, reason = "deadlines of the runtime are counted on its own clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
