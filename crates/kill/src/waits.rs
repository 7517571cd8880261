//! How long things took: what half of them, and all but one of a hundred, took at most.

use std::fmt;
use std::time::Duration;

/// Latencies of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waits {
    /// Half took no longer than this.
    pub p50: Duration,
    /// All but one of a hundred.
    pub p99: Duration,
}

impl Waits {
    /// Of these.
    #[must_use]
    pub fn of(mut waits: Vec<Duration>) -> Self {
        waits.sort_unstable();
        let at = |percent: usize| waits.get(waits.len() * percent / 100).copied().unwrap_or_default();
        Self { p50: at(50), p99: at(99) }
    }
}

impl fmt::Display for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p50, p99] = [self.p50, self.p99].map(|time| time.as_secs_f64() * 1_000.0);
        write!(f, "p50 {p50:.1} ms, p99 {p99:.1} ms")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_and_all_but_one_of_a_hundred() {
        let waits = Waits::of((1..=100).map(Duration::from_millis).collect());
        assert_eq!(waits.to_string(), "p50 51.0 ms, p99 100.0 ms");
        assert_eq!(Waits::of(vec![]), Waits::default());
    }
}
