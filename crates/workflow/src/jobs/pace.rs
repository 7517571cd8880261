//! How much a job may change now (WFL-28): so many in a second of listening time, and no more than a second's worth at once. Pure.

use base::Heard;

const SECOND_US: i64 = 1_000_000;

/// When the next change is due, in microseconds of listening time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pace {
    pub(super) due_us: i64,
    pub(super) rate: i64,
}

impl Pace {
    fn interval_us(self) -> i64 {
        SECOND_US / self.rate.clamp(1, SECOND_US)
    }

    /// How many changes are due now.
    pub(super) fn allowed(self, now: Heard) -> usize {
        let us = now.0.saturating_mul(1_000).saturating_sub(self.floor_us(now));
        if us < 0 { 0 } else { usize::try_from(us / self.interval_us() + 1).unwrap_or(0) }
    }

    /// What was not used in the last second is lost.
    fn floor_us(self, now: Heard) -> i64 {
        self.due_us.max(now.0.saturating_mul(1_000) - SECOND_US + self.interval_us())
    }

    /// After so many changes.
    pub(super) fn after(self, changes: usize, now: Heard) -> i64 {
        let used = i64::try_from(changes).unwrap_or(i64::MAX).saturating_mul(self.interval_us());
        self.floor_us(now).saturating_add(used)
    }

    /// How long until the next one is due.
    pub(super) fn wait_ms(self, now: Heard) -> i64 {
        (self.due_us - now.0.saturating_mul(1_000)).max(0).div_euclid(1_000) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wfl_28_no_more_than_a_seconds_worth_at_once_and_the_rate_over_time() {
        let pace = Pace { due_us: 0, rate: 10 };
        assert_eq!(pace.allowed(Heard(3_600_000)), 10, "an hour of rest is no credit");
        let mut due_us = 5_000_000;
        let mut changes = 0;
        for ms in (5_000..15_000).step_by(7) {
            let pace = Pace { due_us, rate: 10 };
            let allowed = pace.allowed(Heard(ms));
            changes += allowed;
            due_us = pace.after(allowed, Heard(ms));
        }
        assert!((100..=101).contains(&changes), "{changes} in ten seconds");
        assert_eq!(Pace { due_us: 6_000_000, rate: 1 }.allowed(Heard(5_999)), 0);
        assert_eq!(Pace { due_us: 6_000_000, rate: 1 }.wait_ms(Heard(5_900)), 101);
    }
}
