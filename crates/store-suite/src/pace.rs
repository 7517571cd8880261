//! Bounds and waiting: every wait of the suite ends, and says for what it waited.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use base::{Outcome, StoreError, Timers};
use host::ThreadTimers;

/// The longest wait for anything; far beyond what a right engine needs on a busy machine.
pub const LONG: Duration = Duration::from_secs(20);
/// Pause between two tries of [`until_committed`].
const PAUSE_MS: u64 = 50;
/// How long one of two jobs waits for the other. On an engine with one writer they never meet.
const MEETING: Duration = Duration::from_millis(20);

/// Submits until it is committed; for a store that comes back by itself.
///
/// # Panics
/// If it is not within [`LONG`], or fails for another reason than that the store refuses writes.
pub(crate) fn until_committed(mut attempt: impl FnMut() -> Outcome) {
    let (timers, mut waited_ms) = (ThreadTimers::new(), 0);
    loop {
        match attempt() {
            Outcome::Committed => return,
            refused => assert!(no_room(&refused), "{refused:?} from a store that has room again"),
        }
        assert!(u128::from(waited_ms) < LONG.as_millis(), "the store takes no work {LONG:?} after it has room again");
        pause(&timers);
        waited_ms += PAUSE_MS;
    }
}

fn pause(timers: &ThreadTimers) {
    let (over, wait) = channel::<()>();
    timers.after(PAUSE_MS, Box::new(move || drop(over)));
    assert_eq!(wait.recv_timeout(LONG), Err(RecvTimeoutError::Disconnected), "a timer within {LONG:?}");
}

/// Contracts of one binary share a server, and a process where `cargo test` runs them (nextest gives the long writer a time of its own:
/// `.config/nextest.toml`). A transaction that has written and then runs for seconds makes PostgreSQL refuse
/// many others of that server ("conflict out to old pivot", seen in every third run), so those that insist on a commit
/// under contention do not run beside it. What an operation may cost others is the engine's budget, not theirs.
static LONG_WRITE: RwLock<()> = RwLock::new(());

/// For contracts under contention: nobody writes for long meanwhile.
pub(crate) fn beside_no_long_write() -> RwLockReadGuard<'static, ()> {
    LONG_WRITE.read().unwrap_or_else(PoisonError::into_inner)
}

/// For the contract that writes for long.
pub(crate) fn as_long_write() -> RwLockWriteGuard<'static, ()> {
    LONG_WRITE.write().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a store refused because it has no room, or because it is still getting over it.
pub(crate) fn no_room(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failed(StoreError::Full(_) | StoreError::Unavailable(_)))
}

/// Two jobs that should overlap wait here for each other, for a moment.
#[derive(Debug, Default)]
pub(crate) struct Meeting {
    arrived: Mutex<u32>,
    both: Condvar,
}

impl Meeting {
    /// Comes, and goes on when the other has come as well, or was waited for long enough.
    pub(crate) fn attend(&self) {
        let mut arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner);
        *arrived += 1;
        self.both.notify_all();
        drop(self.both.wait_timeout_while(arrived, MEETING, |arrived| *arrived < 2));
    }
}
