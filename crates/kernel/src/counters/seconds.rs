//! What was counted of each kind in each of the last seconds, in memory: read without the store, and also while that is down.
//!
//! Seconds are those of the calendar, by which the counts come. After a jump of the calendar the seconds that are not among the
//! last any more are gone: this is a picture of the last minutes, the store has the rest.

use std::collections::VecDeque;

use base::Wall;

use super::sums::{FIELD_COUNT, add_fields};

/// Seconds that are kept.
pub const SECONDS_KEPT: i64 = 600;
/// Seconds times kinds that wait to be gathered: some more than a round leaves.
const FRESH_MAX: usize = 64;

/// Milliseconds of a second.
const SECOND_MS: i64 = 1_000;

/// What was counted of a kind in a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Count {
    kind: &'static str,
    second: i64,
    fields: [i64; FIELD_COUNT],
}

/// What was counted since the last gathering, beside the sums by name and under their lock.
#[derive(Debug, Default)]
pub(super) struct Fresh(VecDeque<Count>);

impl Fresh {
    pub(super) fn add(&mut self, kind: &'static str, now: Wall, fields: &[i64; FIELD_COUNT]) {
        let second = now.0.div_euclid(SECOND_MS);
        let same = |count: &&mut Count| count.second == second && count.kind == kind;
        if let Some(count) = self.0.iter_mut().rev().find(same) {
            return add_fields(&mut count.fields, fields);
        }
        if self.0.len() == FRESH_MAX {
            self.0.pop_front();
        }
        self.0.push_back(Count { kind, second, fields: *fields });
    }

    pub(super) fn take(&mut self) -> Self {
        std::mem::take(self)
    }
}

/// The last seconds, oldest first.
#[derive(Debug, Default)]
pub(super) struct Ring(VecDeque<(i64, Vec<Count>)>);

impl Ring {
    /// Takes in what was counted, and forgets what is not among the last seconds.
    pub(super) fn gather(&mut self, fresh: Fresh, now: Wall) {
        let last = now.0.div_euclid(SECOND_MS);
        let kept = last - SECONDS_KEPT + 1..=last;
        self.0.retain(|(second, _)| kept.contains(second));
        fresh.0.into_iter().filter(|count| kept.contains(&count.second)).for_each(|count| self.add(count));
    }

    fn add(&mut self, count: Count) {
        let at = match self.0.binary_search_by_key(&count.second, |(second, _)| *second) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (count.second, vec![]));
                at
            }
        };
        let counts = &mut self.0[at].1;
        match counts.iter_mut().find(|known| known.kind == count.kind) {
            Some(known) => add_fields(&mut known.fields, &count.fields),
            None => counts.push(count),
        }
    }

    /// What was counted of a kind, by second, oldest first; seconds without are left out.
    pub(super) fn of(&self, kind: &str) -> Vec<(i64, [i64; FIELD_COUNT])> {
        let counts = self.0.iter().flat_map(|(_, counts)| counts).filter(|count| count.kind == kind);
        counts.map(|count| (count.second, count.fields)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() -> [i64; FIELD_COUNT] {
        [1, 0, 0, 0, 0]
    }

    #[test]
    fn ker_29_seconds_are_kept_for_ten_minutes_whatever_the_calendar_does() {
        let (mut ring, noon) = (Ring::default(), 1_794_744_000);
        for second in noon..noon + 700 {
            let mut fresh = Fresh::default();
            (0..3).for_each(|ms| fresh.add("task", Wall(second * 1_000 + ms), &one()));
            ring.gather(fresh, Wall(second * 1_000 + 5));
        }
        let seconds = ring.of("task");
        assert_eq!((seconds.len(), seconds[0]), (600, (noon + 100, [3, 0, 0, 0, 0])));
        assert_eq!(ring.of("operation"), []);
        ring.gather(Fresh::default(), Wall((noon + 689) * 1_000));
        assert_eq!(ring.of("task").len(), 590, "seconds to come are gone when the calendar goes back");
        ring.gather(Fresh::default(), Wall((noon + 100_000) * 1_000));
        assert_eq!(ring.of("task"), []);
    }

    #[test]
    fn ker_34_what_nobody_gathers_is_bounded() {
        let mut fresh = Fresh::default();
        (0..1_000).for_each(|second| fresh.add("task", Wall(second * 1_000), &one()));
        assert_eq!(fresh.0.len(), FRESH_MAX);
        assert_eq!(fresh.0.back().map(|count| count.second), Some(999), "the oldest go");
    }
}
