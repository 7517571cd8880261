//! Who waits for whom, as lines beside the tree: each that waits has a lane, from those whose results it needs to itself. Pure.

use std::collections::{BTreeMap, BTreeSet};

/// Lanes side by side.
const LANES_MAX: usize = 5;

/// Somebody who waits, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lane {
    /// Its place beside the others.
    pub(super) at: usize,
    /// The line of who waits.
    pub(super) to: usize,
    /// The lines of those that it waits for.
    pub(super) from: BTreeSet<usize>,
    /// Not a wait: its result is that of the other.
    pub(super) is_promise: bool,
}

/// Somebody who waits, and for whom, by line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wait {
    pub(super) to: usize,
    pub(super) from: BTreeSet<usize>,
    pub(super) is_promise: bool,
}

impl Wait {
    fn first(&self) -> usize {
        self.from.first().copied().unwrap_or(self.to).min(self.to)
    }

    fn last(&self) -> usize {
        self.from.last().copied().unwrap_or(self.to).max(self.to)
    }
}

impl Lane {
    /// Whether it passes the upper and the lower half of a line.
    pub(super) fn passes(&self, line: usize) -> (bool, bool) {
        let first = self.from.first().copied().unwrap_or(self.to).min(self.to);
        let last = self.from.last().copied().unwrap_or(self.to).max(self.to);
        (first < line && line <= last, first <= line && line < last)
    }
}

/// Gives each that waits a lane that nobody else has there; those for whom there is none are left out.
pub(super) fn lanes(mut waits: Vec<Wait>) -> Vec<Lane> {
    waits.retain(|wait| wait.first() < wait.last());
    waits.sort_by_key(|wait| (wait.first(), wait.last()));
    let mut free_from = [0_usize; LANES_MAX];
    let mut lanes = vec![];
    for wait in waits {
        let Some(at) = free_from.iter().position(|free| *free <= wait.first()) else { continue };
        free_from[at] = wait.last();
        lanes.push(Lane { at, to: wait.to, from: wait.from, is_promise: wait.is_promise });
    }
    lanes
}

/// The waits of tasks, as lines wait for lines.
pub(super) fn waits(places: &BTreeMap<i64, usize>, of: &[(i64, BTreeSet<i64>, Option<i64>)]) -> Vec<Wait> {
    let mut all = vec![];
    for (number, waits, same_as) in of {
        let Some(to) = places.get(number).copied() else { continue };
        let lines = |numbers: &mut dyn Iterator<Item = &i64>| -> BTreeSet<usize> {
            numbers.filter_map(|number| places.get(number).copied()).filter(|line| *line != to).collect()
        };
        all.push(Wait { to, from: lines(&mut waits.iter()), is_promise: false });
        all.push(Wait { to, from: lines(&mut same_as.iter()), is_promise: true });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wfl_23_who_waits_has_a_lane_and_chains_share_one() {
        let places: BTreeMap<i64, usize> = (1..=5_i64).zip(0..).collect();
        // 3 waits for 2; 4 for 3; 5 for 1 and 4; the result of 1 is that of 5; 9 has no line.
        let of = [
            (3, [2].into(), None),
            (4, [3, 9].into(), None),
            (5, [1, 4].into(), None),
            (1, [].into(), Some(5)),
            (9, [1].into(), None),
        ];
        let found = lanes(waits(&places, &of));
        let told: Vec<_> = found.iter().map(|lane| (lane.at, lane.to, lane.is_promise)).collect();
        assert_eq!(told, [(0, 4, false), (1, 0, true), (2, 2, false), (2, 3, false)]);
        assert_eq!(found[2].passes(1), (false, true));
        assert_eq!(found[2].passes(2), (true, false));
        assert_eq!(found[0].passes(2), (true, true));
    }

    #[test]
    fn wfl_23_there_are_no_more_lanes_than_fit() {
        let wait = |to: usize| Wait { to, from: [0].into(), is_promise: false };
        assert_eq!(lanes((1..50).map(wait).collect()).len(), LANES_MAX);
    }
}
