//! The real clock: calendar time, monotonic time, and the time during which this process really ran.
//!
//! Invariants: monotonic and ran time never go back; ran time never runs faster than monotonic time, and one stop of
//! ours adds one second to it at most, however long it was (KER-43).
//!
//! Deliberately not here: the store's listening time (an engine adds ran time to what it has stored), and detection of
//! the stop itself: nobody needs to know that there was one.

use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base::{Clock, Wall};

/// How often the ticker looks, so that an idle process is not taken for a stopped one.
const TICK: Duration = Duration::from_millis(100);
/// The longest time between two looks that counts: ten ticks, so that a busy machine loses nothing.
const GAP_MAX_US: u64 = 1_000_000;

/// Where monotonic time begins: for all clocks of the process alike, so that a deadline made with one means the same to
/// a store that was given another.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The arithmetic of ran time: looks at a monotonic clock, added up, with long gaps cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RanTime {
    looked_us: u64,
    ran_us: u64,
}

impl RanTime {
    /// Nothing ran before `mono_us`.
    #[must_use]
    pub const fn starting_at(mono_us: u64) -> Self {
        Self { looked_us: mono_us, ran_us: 0 }
    }

    /// Looks at the clock, which shows `mono_us`, and tells how many milliseconds ran so far.
    pub fn look(&mut self, mono_us: u64) -> u64 {
        let gap_us = mono_us.saturating_sub(self.looked_us);
        self.looked_us = self.looked_us.max(mono_us);
        self.ran_us += gap_us.min(GAP_MAX_US);
        self.ran_us / 1000
    }
}

/// The clock of the machine. A ticker thread looks at it as long as it lives.
#[derive(Debug)]
pub struct RealClock {
    shared: Arc<Shared>,
    ticker: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    stopped: Condvar,
}

#[derive(Debug)]
struct State {
    ran: RanTime,
    stop: bool,
}

impl RealClock {
    /// A clock whose ran time begins now.
    ///
    /// # Panics
    /// If the machine has no room for one more thread: then nothing else would work either.
    #[must_use]
    pub fn new() -> Self {
        let state = Mutex::new(State { ran: RanTime::starting_at(monotonic_us()), stop: false });
        let shared = Arc::new(Shared { state, stopped: Condvar::new() });
        let ticking = Arc::clone(&shared);
        let ticker = std::thread::Builder::new().name("clock".into()).spawn(move || ticking.tick());
        Self { shared, ticker: Some(ticker.expect("a thread for the clock")) }
    }
}

impl Default for RealClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for RealClock {
    fn drop(&mut self) {
        self.shared.lock().stop = true;
        self.shared.stopped.notify_all();
        // The ticker runs nothing of others, so it cannot have panicked, and it is not the thread that drops us.
        let _ = self.ticker.take().map(JoinHandle::join);
    }
}

impl Clock for RealClock {
    fn wall(&self) -> Wall {
        let since = |from: SystemTime, to: SystemTime| to.duration_since(from).map(|time| time.as_millis());
        let now = SystemTime::now();
        let ms = |ms: u128| i64::try_from(ms).unwrap_or(i64::MAX);
        Wall(since(UNIX_EPOCH, now).map_or_else(|_| -since(now, UNIX_EPOCH).map_or(0, ms), ms))
    }

    fn monotonic_us(&self) -> u64 {
        monotonic_us()
    }

    fn ran_ms(&self) -> u64 {
        self.shared.look(&mut self.shared.lock())
    }
}

fn monotonic_us() -> u64 {
    u64::try_from(START.elapsed().as_micros()).unwrap_or(u64::MAX)
}

impl Shared {
    /// Reads the clock under the lock: a thread that was stopped between reading and locking would bring an old time.
    fn look(&self, state: &mut State) -> u64 {
        state.ran.look(monotonic_us())
    }

    fn tick(&self) {
        let mut state = self.lock();
        while !state.stop {
            self.look(&mut state);
            state = self.stopped.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_US: u64 = 1_000_000;

    #[test]
    fn ker_43_a_stop_of_ours_counts_one_second_at_most() {
        let mut ran = RanTime::starting_at(0);
        assert_eq!(ran.look(100_000), 100);
        assert_eq!(ran.look(100_000 + 1200 * SECOND_US), 1_100, "stopped for 20 minutes");
        assert_eq!(ran.look(200_000 + 1200 * SECOND_US), 1_200, "and goes on as before");
    }

    #[test]
    fn ker_43_an_idle_or_busy_process_loses_nothing() {
        let mut ran = RanTime::starting_at(7);
        let last = (1..=1000u64).map(|tick| ran.look(7 + tick * SECOND_US)).last();
        assert_eq!(last, Some(1_000_000));
    }

    #[test]
    fn ker_5_ran_time_never_goes_back() {
        let mut ran = RanTime::starting_at(5 * SECOND_US);
        assert_eq!(ran.look(5 * SECOND_US + 2_000), 2);
        assert_eq!(ran.look(SECOND_US), 2, "an older look changes nothing");
        assert_eq!(ran.look(5 * SECOND_US + 3_000), 3, "and what was counted is not counted again");
    }

    #[test]
    fn ker_5_many_short_looks_lose_no_microseconds() {
        let mut ran = RanTime::starting_at(0);
        let last = (1..=10_000u64).map(|look| ran.look(look)).last();
        assert_eq!(last, Some(10));
    }

    #[test]
    fn ker_5_the_three_times_of_the_real_clock_rise() {
        let clock = RealClock::new();
        let (wall, first_us) = (clock.wall(), clock.monotonic_us());
        while clock.ran_ms() < 3 {
            std::thread::yield_now();
        }
        assert!(clock.monotonic_us() >= first_us + 2_000 && clock.ran_ms() <= clock.monotonic_us() / 1000);
        assert!(wall.0 > 1_700_000_000_000, "{wall:?} is after 2023");
    }

    #[test]
    fn ker_43_the_ticker_looks_when_nobody_asks() {
        let clock = RealClock::new();
        let looked_us = || clock.shared.lock().ran.looked_us;
        let (first_us, bound_us) = (looked_us(), clock.monotonic_us() + 20 * SECOND_US);
        while looked_us() == first_us {
            assert!(clock.monotonic_us() < bound_us, "no look within 20 s");
            std::thread::yield_now();
        }
    }

    #[test]
    fn all_clocks_of_a_process_show_one_monotonic_time() {
        let (early, late) = (RealClock::new(), RealClock::new());
        let times = [early.monotonic_us(), late.monotonic_us(), early.monotonic_us()];
        assert!(times.is_sorted(), "{times:?}");
    }

    #[test]
    fn a_dropped_clock_ends_its_thread() {
        let clock = RealClock::new();
        let shared = Arc::downgrade(&clock.shared);
        drop(clock);
        assert_eq!(shared.strong_count(), 0);
    }
}
