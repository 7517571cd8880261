//! Large removals wait for a word of a person (FLD-13).
//!
//! What was removed in the last minute counts with what is to be removed now: whoever removes a large folder on a slow disk, or file by
//! file, is asked before the most of it is gone, though each plan sees a part alone. It is weighed against the most files that were there at
//! once within that minute: temporary files that came and went one after the other were never there together. What is held stays so, also
//! after a restart and whatever files come, until somebody says so or so little is left to be removed that nobody would be asked.

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

/// How it stood when removals began to be held: see [`Before`].
const HELD_OVER: &str = "held_over";
/// A person let removals happen.
const CONFIRMED: &str = "confirmed";

/// What was removed on one side lately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Gone {
    files: usize,
    /// The most files that were there at once when one of them was.
    of: usize,
}

impl Gone {
    /// Whether removals are too many together with these, in a folder that has so many files left.
    fn is_too_much_with(self, removals: usize, left: usize) -> bool {
        let (all, rest, most) = (self.files + removals, left.saturating_sub(removals), self.of.max(left));
        let fewer = all.min(most - rest);
        removals > 0 && (all > REMOVALS_MAX || (fewer >= REMOVALS_FEW && rest * 2 < most))
    }
}

/// What new removals are weighed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Before {
    here: Gone,
    there: Gone,
    /// Files that are there.
    files: usize,
}

impl Before {
    fn text(self) -> String {
        let Self { here, there, files } = self;
        format!("{} {} {} {} {files}", here.files, there.files, here.of, there.of)
    }

    /// As it was written, where so many files are there now: what came since lets nothing go. The version before wrote the first two numbers
    /// only, and took all that was removed for files that were there at once: what it held stays held.
    fn read(text: &str, files: usize) -> Option<Self> {
        let numbers: Vec<usize> = text.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
        let of = |gone: usize| Gone { files: gone, of: files.saturating_add(gone) };
        match numbers[..] {
            [here, there, here_of, there_of, then] => Some(Self {
                here: Gone { files: here, of: here_of },
                there: Gone { files: there, of: there_of },
                files: files.min(then),
            }),
            [here, there] => Some(Self { here: of(here), there: of(there), files }),
            _ => None,
        }
    }

    fn are_too_many(self, (here, there): (usize, usize)) -> bool {
        self.here.is_too_much_with(here, self.files) || self.there.is_too_much_with(there, self.files)
    }
}

/// Where files are removed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Side {
    Here,
    There,
}

/// When files were removed within the last minute, and how many there were then.
#[derive(Debug, Default)]
pub(super) struct Lately {
    here: VecDeque<(u64, usize)>,
    there: VecDeque<(u64, usize)>,
    /// Files that there were at the last plan, those that it removes included.
    files: usize,
}

impl Lately {
    fn note(&mut self, side: Side, now_ms: u64) {
        let removals = match side {
            Side::Here => &mut self.here,
            Side::There => &mut self.there,
        };
        removals.push_back((now_ms, self.files));
        // More than too many says no more.
        if removals.len() > REMOVALS_MAX + 1 {
            removals.pop_front();
        }
    }

    fn before(&mut self, now_ms: u64) -> Before {
        let gone = |removals: &mut VecDeque<(u64, usize)>| {
            removals.retain(|(at, _)| now_ms < at + AT_ONCE_MS);
            Gone { files: removals.len(), of: removals.iter().map(|(_, of)| *of).max().unwrap_or(0) }
        };
        Before { here: gone(&mut self.here), there: gone(&mut self.there), files: self.files }
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
        if self.state.value(CONFIRMED) == Some("yes") || !before.are_too_many((here, there)) {
            self.let_go(here + there == 0);
            return false;
        }
        if self.report.held.is_none() {
            self.tell("held", "", &format!("{here} removals here and {there} on the server wait for a confirmation"));
            self.state.set(HELD_OVER, Some(before.text()));
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
    fn removed_before(&mut self) -> Before {
        let is_file = |content: &Content| *content != Content::Folder;
        let files = self.state.synced().values().filter(|synced| is_file(&synced.content)).count();
        self.removed.files = files;
        let held_over = self.state.value(HELD_OVER).and_then(|text| Before::read(text, files));
        held_over.unwrap_or_else(|| self.removed.before(self.now.ran_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether removals are held after others, in a folder that had so many files at once and has so many left.
    fn is_held(removals: usize, before: usize, of: usize, left: usize) -> bool {
        Gone { files: before, of }.is_too_much_with(removals, left)
    }

    #[test]
    fn fld_13_more_than_half_or_more_than_a_thousand_removals_are_asked_about() {
        assert!(is_held(1_001, 0, 0, 1_000_000) && !is_held(1_000, 0, 0, 1_000_000));
        assert!(is_held(51, 0, 0, 100) && !is_held(50, 0, 0, 100));
        assert!(!is_held(3, 0, 0, 3), "a handful is no accident");
        assert!(is_held(10, 0, 0, 10) && !is_held(9, 0, 0, 9));
    }

    #[test]
    fn fld_13_what_was_removed_before_counts_as_if_it_went_now() {
        assert!(is_held(1, 1_000, 1_001_000, 1_000_000) && !is_held(1, 999, 1_000_999, 1_000_000));
        // Forty of a hundred are gone, and eleven go: fifty-one of what were a hundred.
        assert!(is_held(11, 40, 100, 60) && !is_held(10, 40, 100, 60));
        assert!(is_held(1, 9, 10, 1) && !is_held(1, 8, 9, 1), "one by one to the last");
        assert!(!is_held(0, 5_000, 5_000, 0), "nothing is to be held");
    }

    #[test]
    fn fld_13_files_that_were_never_there_at_once_are_not_weighed_as_if_they_were() {
        assert!(!is_held(1, 9, 6, 6) && !is_held(1, 900, 6, 6), "five files, and one that comes and goes");
        assert!(!is_held(1, 50, 1, 1), "in an empty folder");
        assert!(!is_held(5, 50, 9, 9), "still a handful");
        assert!(is_held(11, 50, 20, 20), "what was there before them goes");
    }

    #[test]
    fn fld_13_what_is_held_is_weighed_as_it_was_also_when_the_version_before_wrote_it() {
        let before = Before { here: Gone { files: 40, of: 100 }, there: Gone { files: 2, of: 70 }, files: 60 };
        assert_eq!(before.text(), "40 2 100 70 60");
        assert_eq!(Before::read(&before.text(), 5_000), Some(before), "what came since lets nothing go");
        assert_eq!(Before::read(&before.text(), 50), Some(Before { files: 50, ..before }));
        let old = Before::read("40 0", 60).unwrap();
        assert!(old.are_too_many((11, 0)) && !old.are_too_many((10, 0)));
        assert!(["", "x 1", "1", "1 2 3"].iter().all(|text| Before::read(text, 60).is_none()));
    }

    #[test]
    fn fld_13_removals_count_for_a_minute_and_no_longer() {
        let mut lately = Lately { files: 30, ..Lately::default() };
        lately.note(Side::There, 1_000);
        lately.note(Side::Here, 2_000);
        lately.files = 20;
        lately.note(Side::There, 3_000);
        let mut at = |now_ms: u64| {
            let Before { here, there, files } = lately.before(now_ms);
            (here.files, here.of, there.files, there.of, files)
        };
        assert_eq!(at(60_999), (1, 30, 2, 30, 20));
        assert_eq!(at(61_000), (1, 30, 1, 20, 20));
        assert_eq!(at(63_000), (0, 0, 0, 0, 20));
        for _ in 0..5_000 {
            lately.note(Side::There, 70_000);
        }
        assert_eq!(lately.before(70_000).there.files, REMOVALS_MAX + 1);
    }
}
