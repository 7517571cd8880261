//! One time for the whole stop (KER-35): `server.drain`, from the signal on. A part that needs less of it leaves the rest to the next one.
//!
//! Requests in flight are cut off after six tenths (what came from the broker has as long, beside them), tasks and calls to the outside after
//! nine; the last tenth is for closing. However short the whole is, tasks get a second to say how they ended: else other nodes would wait for them.

use std::time::Duration;

/// Tenths of the whole after which requests in flight are cut off.
const REQUESTS: u32 = 6;
/// Tenths after which tasks are.
const TASKS: u32 = 9;
/// What tasks get at least.
const TASKS_MIN: Duration = Duration::from_secs(1);

/// A stop that has begun.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop {
    whole: Duration,
    begun_ms: u64,
}

impl Stop {
    /// Began at this moment of the process's own time.
    pub(crate) const fn begun(whole: Duration, begun_ms: u64) -> Self {
        Self { whole, begun_ms }
    }

    /// How long requests in flight may take of this whole.
    pub(crate) fn requests(whole: Duration) -> Duration {
        whole * REQUESTS / 10
    }

    /// How long tasks may still take.
    pub(crate) fn tasks(&self, now_ms: u64) -> Duration {
        self.left(TASKS, now_ms).max(TASKS_MIN)
    }

    /// How long may still be waited for whatever else does not end by itself.
    pub(crate) fn rest(&self, now_ms: u64) -> Duration {
        self.left(10, now_ms) / 2
    }

    fn left(&self, tenths: u32, now_ms: u64) -> Duration {
        let passed = Duration::from_millis(now_ms.saturating_sub(self.begun_ms));
        (self.whole * tenths / 10).saturating_sub(passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Duration = Duration::from_secs(10);

    #[test]
    fn ker_35_all_parts_of_a_stop_together_take_no_longer_than_the_whole() {
        let stop = Stop::begun(WHOLE, 5_000);
        let requests = Stop::requests(WHOLE);
        let after_requests = 5_000 + u64::try_from(requests.as_millis()).unwrap();
        let tasks = stop.tasks(after_requests);
        let after_tasks = after_requests + u64::try_from(tasks.as_millis()).unwrap();
        assert_eq!((requests.as_secs(), tasks.as_secs(), stop.rest(after_tasks).as_millis()), (6, 3, 500));
        assert!(requests + tasks + stop.rest(after_tasks) < WHOLE);
    }

    #[test]
    fn ker_35_what_one_part_does_not_need_the_next_one_has() {
        assert_eq!(Stop::begun(WHOLE, 5_000).tasks(5_100).as_millis(), 8_900);
    }

    #[test]
    fn ker_35_tasks_can_always_say_how_they_ended() {
        assert_eq!(Stop::begun(Duration::ZERO, 5_000).tasks(9_000), TASKS_MIN);
        assert_eq!((Stop::requests(Duration::ZERO), Stop::begun(Duration::ZERO, 0).rest(1)), Default::default());
    }
}
