//! Taking over from a server that was killed a moment ago: its data directory and its port are free as soon as the system has put it
//! away. A server that lives is waited for no longer than it takes to be sure of that (KER-42).

use std::net::SocketAddr;
use std::path::Path;
use std::sync::mpsc;

use base::Timers;
use host::{DirLock, DirLockError, ThreadTimers, is_ending};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::obstacle::{self, Obstacle};

/// Between two looks, and how many of them: two seconds.
const LOOK_MS: u64 = 50;
const LOOKS: u32 = 40;
/// Looks in a row at a holder that lives, before it is believed: between a kill and its first trace there is an instant.
const ALIVE_LOOKS: u32 = 2;

/// The right to a data directory.
pub(crate) fn data(directory: &Path) -> Result<DirLock, Obstacle> {
    let passes = |error: &DirLockError| match error {
        // Without a number it is being taken or left.
        DirLockError::Held { holder, .. } => Some(holder.is_none_or(is_ending)),
        DirLockError::Unusable { .. } => None,
    };
    retried(&ThreadTimers::new(), || DirLock::acquire(directory), passes).map_err(|error| obstacle::data(&error))
}

/// A listener.
pub(crate) fn listener(address: SocketAddr, runtime: &Runtime) -> Result<TcpListener, Obstacle> {
    let passes = |error: &std::io::Error| match error.kind() {
        std::io::ErrorKind::AddrInUse => Some(obstacle::holder_id(address.port()).is_none_or(is_ending)),
        _ => None,
    };
    let bind = || runtime.block_on(TcpListener::bind(address));
    retried(&ThreadTimers::new(), bind, passes).map_err(|error| obstacle::port(address, &error))
}

/// Tries again, for a bounded time, while what is in the way is passing; `passes` knows nothing of what will not.
fn retried<T, E>(
    timers: &dyn Timers,
    mut take: impl FnMut() -> Result<T, E>,
    passes: impl Fn(&E) -> Option<bool>,
) -> Result<T, E> {
    let mut alive = 0;
    for _ in 0..LOOKS {
        let taken = take();
        match taken.as_ref().err().map(&passes) {
            Some(Some(true)) => alive = 0,
            Some(Some(false)) if alive < ALIVE_LOOKS => alive += 1,
            Some(Some(false) | None) | None => return taken,
        }
        let (tell, told) = mpsc::channel();
        let ring = move || {
            // Nobody waits any more.
            let _ = tell.send(());
        };
        timers.after(LOOK_MS, Box::new(ring));
        // Timers that end instead of ringing end the wait as well.
        let _ = told.recv();
    }
    take()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Rings at once.
    struct Now;

    impl Timers for Now {
        fn after(&self, _: u64, then: Box<dyn FnOnce() + Send>) {
            then();
        }
    }

    fn tries(until: u32, passes: Option<bool>) -> (bool, u32) {
        let tried = Cell::new(0);
        let take = || {
            tried.set(tried.get() + 1);
            if tried.get() > until { Ok(()) } else { Err(()) }
        };
        let taken = retried(&Now, take, |()| passes);
        (taken.is_ok(), tried.get())
    }

    #[test]
    fn ker_42_whoever_was_killed_is_waited_for_and_whoever_lives_is_not() {
        assert_eq!(tries(0, None), (true, 1));
        assert_eq!(tries(5, Some(true)), (true, 6), "free in a moment");
        assert_eq!(tries(u32::MAX, Some(true)), (false, LOOKS + 1), "bounded");
        assert_eq!(tries(u32::MAX, Some(false)), (false, ALIVE_LOOKS + 1), "at once");
        assert_eq!(tries(u32::MAX, None), (false, 1), "that will not pass");
    }
}
