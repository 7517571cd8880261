//! Refusals for want of room are held back a little (KER-45).
//!
//! A client that ignores Retry-After and comes again at once would cost us more than the work it asks for. Held back,
//! it waits on its own connection: it can ask only as often as we let it. What is held is a small answer and nothing
//! else, neither a place nor a body; the number held is bounded, beyond it refusals go out at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::response::Response;
use base::codes;
use tokio::sync::Semaphore;

use crate::error::Failure;
use crate::metrics::Raised;
use crate::shutdown::Shutdown;
use crate::wait::pause;

/// How long a refusal is held: well below the Retry-After that it carries, so that the polite lose nothing.
const HELD: Duration = Duration::from_millis(200);
/// How many are held: as many as there are connections, unless these are set higher.
const HELD_MAX: usize = 4_096;
/// How often the log tells that requests are refused.
const TOLD_EVERY_MS: u64 = 10_000;

/// The refusals being held back.
pub(crate) struct Refusals {
    places: Semaphore,
    time: Duration,
    /// When the log may tell again.
    silent_until_ms: AtomicU64,
}

impl Refusals {
    pub(crate) fn new() -> Self {
        Self { places: Semaphore::new(HELD_MAX), time: HELD, silent_until_ms: AtomicU64::new(0) }
    }

    /// Returns when a refusal may go out. A server that stops holds none.
    pub(crate) async fn hold(&self, shutdown: &Shutdown) {
        let Ok(_place) = self.places.try_acquire() else { return };
        let _held = Raised::of(metrics::gauge!("fastness_http_refusals_held"));
        tokio::select! {
            () = pause(self.time) => {}
            () = shutdown.begun() => {}
        }
    }

    /// Tells the operator, but not once per refusal: a flood must not become one of the log.
    pub(crate) fn tell(&self, now_ms: u64) {
        let silent_until_ms = self.silent_until_ms.load(Ordering::Relaxed);
        let next = now_ms + TOLD_EVERY_MS;
        let order = Ordering::Relaxed;
        if now_ms >= silent_until_ms
            && self.silent_until_ms.compare_exchange(silent_until_ms, next, order, order).is_ok()
        {
            tracing::warn!("more is asked than we take, requests are refused; /metrics tells how many");
        }
    }
}

/// Whether an answer refuses for want of room.
pub(crate) fn is_busy(response: &Response) -> bool {
    response.extensions().get::<Failure>().is_some_and(|failure| failure.0.code == codes::XBUSY)
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Holds as good as for ever.
    fn long(places: usize) -> Refusals {
        let time = Duration::from_secs(3_600);
        Refusals { places: Semaphore::new(places), time, silent_until_ms: AtomicU64::new(0) }
    }

    fn poll(work: impl Future<Output = ()>) -> Poll<()> {
        pin!(work).poll(&mut Context::from_waker(Waker::noop()))
    }

    fn within_runtime(test: impl FnOnce()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async { test() });
    }

    #[test]
    fn ker_45_refusals_are_held_up_to_a_bound() {
        within_runtime(|| {
            let (refusals, shutdown) = (long(1), Shutdown::new());
            let mut first = pin!(refusals.hold(&shutdown));
            assert_eq!(poll(first.as_mut()), Poll::Pending);
            assert_eq!(poll(refusals.hold(&shutdown)), Poll::Ready(()), "beyond the bound");
        });
    }

    #[test]
    fn ker_35_a_server_that_stops_holds_no_refusal() {
        within_runtime(|| {
            let (refusals, shutdown) = (long(2), Shutdown::new());
            let mut first = pin!(refusals.hold(&shutdown));
            assert_eq!(poll(first.as_mut()), Poll::Pending);
            shutdown.begin();
            assert_eq!(poll(first), Poll::Ready(()));
            assert_eq!(poll(refusals.hold(&shutdown)), Poll::Ready(()));
        });
    }

    #[test]
    fn ker_45_a_held_refusal_goes_out_after_its_time() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let refusals = Refusals { time: Duration::from_millis(1), ..long(1) };
        runtime.block_on(refusals.hold(&Shutdown::new()));
        assert_eq!(refusals.places.available_permits(), 1);
    }

    #[test]
    fn a_flood_is_told_once_in_a_while() {
        let refusals = long(1);
        for (now_ms, silent_until_ms) in [(5, 10_005), (6, 10_005), (10_004, 10_005), (10_005, 20_005)] {
            refusals.tell(now_ms);
            assert_eq!(refusals.silent_until_ms.load(Ordering::Relaxed), silent_until_ms);
        }
    }
}
