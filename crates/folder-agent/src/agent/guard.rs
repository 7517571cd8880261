//! Large removals wait for a word of a person (FLD-13).
//!
//! What was removed in the last minute counts with what is to be removed now: whoever removes a large folder on a slow disk, or file by
//! file, is asked before the most of it is gone, though each plan sees a part alone. What is held stays so, also after a restart, until
//! somebody says so or nothing is to be removed any more.

use std::collections::VecDeque;

use super::Agent;
use crate::disk::Disk;
use crate::model::Content;

/// More than this at once is always asked about.
const REMOVALS_MAX: usize = 1_000;
/// Whoever removes one file of two knows what they do.
const REMOVALS_FEW: usize = 10;
/// What is removed within this time is at once.
const AT_ONCE_MS: u64 = 60_000;

/// What was removed lately when removals began to be held, here and on the server.
const HELD_OVER: &str = "held_over";
/// A person let removals happen.
const CONFIRMED: &str = "confirmed";

/// Whether so many removals are too many for a folder of so many files.
fn are_too_many(removals: usize, files: usize) -> bool {
    removals > REMOVALS_MAX || (removals >= REMOVALS_FEW && removals * 2 > files)
}

/// Whether removals are too many together with those that were made before them, in a folder that has so many files left.
fn are_too_many_with(removals: usize, before: usize, left: usize) -> bool {
    removals > 0 && are_too_many(removals + before, left + before)
}

/// Where files are removed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Side {
    Here,
    There,
}

/// When files were removed, within the last minute.
#[derive(Debug, Default)]
pub(super) struct Lately {
    here: VecDeque<u64>,
    there: VecDeque<u64>,
}

impl Lately {
    fn note(&mut self, side: Side, now_ms: u64) {
        let times = match side {
            Side::Here => &mut self.here,
            Side::There => &mut self.there,
        };
        times.push_back(now_ms);
        // More than too many says no more.
        if times.len() > REMOVALS_MAX + 1 {
            times.pop_front();
        }
    }

    fn counts(&mut self, now_ms: u64) -> (usize, usize) {
        for times in [&mut self.here, &mut self.there] {
            times.retain(|at| now_ms < at + AT_ONCE_MS);
        }
        (self.here.len(), self.there.len())
    }
}

impl<D: Disk> Agent<D> {
    /// A file was removed. Folders do not count.
    pub(super) fn note_removal(&mut self, side: Side, content: &Content) {
        if *content != Content::Folder {
            self.removed.note(side, self.now.ran_ms);
        }
    }

    /// Whether these are too many removals, here or on the server, which nobody confirmed.
    pub(super) fn hold_removals(&mut self, here: usize, there: usize) -> bool {
        let before = self.removed_before();
        if !self.are_held((here, there), before) {
            self.let_go(here + there == 0);
            return false;
        }
        if self.report.held.is_none() {
            self.tell("held", "", &format!("{here} removals here and {there} on the server wait for a confirmation"));
            self.state.set(HELD_OVER, Some(format!("{} {}", before.0, before.1)));
        }
        self.report.held = Some((here as u64, there as u64));
        true
    }

    /// A person lets what is held happen. Also before the first plan after a start found it again.
    pub(super) fn confirm_removals(&mut self) {
        if self.state.value(HELD_OVER).is_some() {
            self.state.set(CONFIRMED, Some("yes".to_owned()));
            self.is_stale = true;
        }
    }

    fn are_held(&self, now: (usize, usize), before: (usize, usize)) -> bool {
        if self.state.value(CONFIRMED) == Some("yes") {
            return false;
        }
        let is_file = |content: &Content| *content != Content::Folder;
        let files = self.state.synced().values().filter(|synced| is_file(&synced.content)).count();
        are_too_many_with(now.0, before.0, files) || are_too_many_with(now.1, before.1, files)
    }

    fn let_go(&mut self, is_done: bool) {
        self.report.held = None;
        self.state.set(HELD_OVER, None);
        if is_done && self.state.value(CONFIRMED).is_some() {
            self.state.set(CONFIRMED, None);
            // A person knows of these.
            self.removed = Lately::default();
        }
    }

    /// What was removed lately, or, while removals are held, before they were.
    fn removed_before(&mut self) -> (usize, usize) {
        let held_over = self.state.value(HELD_OVER).and_then(|text| text.split_once(' '));
        let known = held_over.and_then(|(here, there)| Some((here.parse().ok()?, there.parse().ok()?)));
        known.unwrap_or_else(|| self.removed.counts(self.now.ran_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fld_13_more_than_half_or_more_than_a_thousand_removals_are_asked_about() {
        assert!(are_too_many(1_001, 1_000_000) && !are_too_many(1_000, 1_000_000));
        assert!(are_too_many(51, 100) && !are_too_many(50, 100));
        assert!(!are_too_many(3, 3), "a handful is no accident");
    }

    #[test]
    fn fld_13_what_was_removed_before_counts_as_if_it_went_now() {
        assert!(are_too_many_with(1, 1_000, 1_000_000) && !are_too_many_with(1, 999, 1_000_000));
        // Forty of a hundred are gone, and eleven go: fifty-one of what were a hundred.
        assert!(are_too_many_with(11, 40, 60) && !are_too_many_with(10, 40, 60));
        assert!(!are_too_many_with(0, 5_000, 0), "nothing is to be held");
    }

    #[test]
    fn fld_13_removals_count_for_a_minute_and_no_longer() {
        let mut lately = Lately::default();
        lately.note(Side::There, 1_000);
        lately.note(Side::Here, 2_000);
        lately.note(Side::There, 3_000);
        assert_eq!(lately.counts(60_999), (1, 2));
        assert_eq!(lately.counts(61_000), (1, 1));
        assert_eq!(lately.counts(63_000), (0, 0));
        for _ in 0..5_000 {
            lately.note(Side::There, 70_000);
        }
        assert_eq!(lately.counts(70_000), (0, REMOVALS_MAX + 1));
    }
}
