//! Pauses that grow, and differ between those who began together.

use std::time::Duration;

use base::Entropy;

use crate::OsEntropy;

/// The next pause: twice the last one, within bounds.
#[derive(Debug, Clone)]
pub(super) struct Pause {
    first: Duration,
    longest: Duration,
    next: Duration,
}

impl Pause {
    pub(super) fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, next: first }
    }

    /// It went well again.
    pub(super) fn reset(&mut self) {
        self.next = self.first;
    }

    /// How long to wait now: at least half of what it would be without chance.
    pub(super) fn wait(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(self.longest);
        let half_ms = u64::try_from(pause.as_millis() / 2).unwrap_or(u64::MAX);
        Duration::from_millis(half_ms + OsEntropy.below(half_ms + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_2_pauses_grow_to_a_bound_and_begin_anew() {
        let ms = Duration::from_millis;
        let mut pause = Pause::new(ms(200), ms(1_000));
        for bound in [200, 400, 800, 1_000, 1_000] {
            let wait = pause.wait();
            assert!(ms(bound / 2) <= wait && wait <= ms(bound), "{wait:?} for {bound}");
        }
        pause.reset();
        assert!(pause.wait() <= ms(200));
    }
}
