//! The real world as far as a connector needs it: a clock that never jumps, the calendar, and a thread for the database.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a connector runs in its user's world, not in the simulator"
)]

use std::io;
use std::sync::OnceLock;
use std::time::{Instant, SystemTime};

use base::Wall;

/// Milliseconds of a clock that never jumps.
pub(crate) fn now_ms() -> u64 {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    u64::try_from(BEGUN.get_or_init(Instant::now).elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// The calendar.
pub(crate) fn now() -> Wall {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Wall(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// A thread that ends when what it listens to does.
pub(crate) fn thread(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name("database".into()).spawn(work).map(drop)
}
