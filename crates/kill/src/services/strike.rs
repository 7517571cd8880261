//! What strikes.

use std::fmt;

use crate::rng::Rng;

/// What happens to one node, or to all in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strike {
    /// `kill -9`.
    Kill,
    /// SIGSTOP, for longer than its lease.
    Pause,
    /// Its connections to PostgreSQL break, and there are no new ones.
    Cut,
    /// Nothing passes between it and PostgreSQL, and neither side is told. Afterwards what was on its way arrives.
    Silence,
    /// All nodes are told to end and started again, one after the other.
    Restart,
    /// The same with another configuration.
    Upgrade,
}

impl Strike {
    pub(super) const ALL: [Self; 6] = [Self::Kill, Self::Pause, Self::Cut, Self::Silence, Self::Restart, Self::Upgrade];

    /// All of them in some order, again and again.
    pub(super) fn draw(rng: &mut Rng, count: usize) -> Vec<Self> {
        let mut drawn = vec![];
        while drawn.len() < count {
            let mut all: Vec<(u64, Self)> = Self::ALL.iter().map(|strike| (rng.number(), *strike)).collect();
            all.sort_unstable_by_key(|(number, _)| *number);
            drawn.extend(all.into_iter().map(|(_, strike)| strike));
        }
        drawn.truncate(count);
        drawn
    }
}

impl fmt::Display for Strike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kill => "kill",
            Self::Pause => "pause",
            Self::Cut => "cut off from PostgreSQL",
            Self::Silence => "silence of PostgreSQL",
            Self::Restart => "restart of all in turn",
            Self::Upgrade => "upgrade of all in turn",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_strikes_once_before_any_does_again() {
        let drawn = Strike::draw(&mut Rng::new(7), 14);
        for all in drawn.chunks(6).take(2) {
            assert!(Strike::ALL.iter().all(|strike| all.contains(strike)), "{drawn:?}");
        }
        assert_eq!((drawn.len(), Strike::draw(&mut Rng::new(7), 14)), (14, drawn));
    }
}
