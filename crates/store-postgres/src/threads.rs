//! The one place of this engine that starts threads and waits.
//!
//! An engine owns its threads, and its connections need a clock of their own to notice a silent server; the time that
//! operations see still comes from `base::Clock`.

#![expect(clippy::disallowed_methods, reason = "the engine's own threads and its wait for the network")]

use std::sync::{Condvar, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use base::{StoreError, StoreResult};
use tokio::runtime::Runtime;
use tokio::time::error::Elapsed;

/// How long an answer may still come in after its time was over. After a stop of our own process (SIGSTOP, a frozen
/// machine) the limit has passed at once, although the answer lies in the socket.
const GRACE: Duration = Duration::from_millis(500);

/// Starts a named thread.
pub(crate) fn start(name: String, run: impl FnOnce() + Send + 'static) -> StoreResult<JoinHandle<()>> {
    let failed = |error| StoreError::Unavailable(format!("no thread could be started: {error}"));
    std::thread::Builder::new().name(name).spawn(run).map_err(failed)
}

/// Runs something on a thread of its own and waits for it: the caller may stand inside an async runtime, where the
/// driver's runtime cannot be entered.
pub(crate) fn apart<T: Send>(run: impl FnOnce() -> StoreResult<T> + Send) -> StoreResult<T> {
    let panicked = |_| Err(StoreError::Unavailable("the engine panicked, see the log".into()));
    std::thread::scope(|scope| scope.spawn(run).join().unwrap_or_else(panicked))
}

/// A runtime for one connection.
pub(crate) fn runtime() -> StoreResult<Runtime> {
    let failed = |error| StoreError::Unavailable(format!("no runtime could be started: {error}"));
    tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().map_err(failed)
}

/// Waits for `work`, at most `limit` and the grace.
pub(crate) async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Result<T, Elapsed> {
    let mut work = std::pin::pin!(work);
    match tokio::time::timeout(limit, &mut work).await {
        Ok(done) => Ok(done),
        Err(_) => tokio::time::timeout(GRACE, work).await,
    }
}

/// Lets `us` microseconds pass while the connection's task goes on.
pub(crate) fn pause(runtime: &Runtime, us: u64) {
    let pause = async { tokio::time::sleep(Duration::from_micros(us)).await }; // tidy: sleep — the pause of `Connection::again`
    runtime.block_on(pause);
}

/// Lets time pass on the thread of [`crate::bell`].
pub(crate) async fn rest(time: Duration) {
    tokio::time::sleep(time).await; // tidy: sleep — words gather meanwhile
}

/// Waits for a change, at most `limit`; a poisoned lock is taken as it is, for a panic is contained where it happens.
pub(crate) fn wait<'a, T>(changed: &Condvar, guard: MutexGuard<'a, T>, limit: Duration) -> MutexGuard<'a, T> {
    changed.wait_timeout(guard, limit).unwrap_or_else(PoisonError::into_inner).0
}
