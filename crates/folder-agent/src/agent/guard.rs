//! Large removals wait for a word of a person (FLD-13).
//!
//! What was removed in the last minute counts with what is to be removed now: whoever removes a large folder on a slow disk, or file by
//! file, is asked before the most of it is gone, though each plan sees a part alone. It is weighed against the most files that were there at
//! once within that minute: temporary files that came and went one after the other were never there together. What is held stays so, also
//! after a restart and whatever files come, until somebody says so or so little is left to be removed that nobody would be asked.
//!
//! The minute is one in which the daemon ran. One that begins again goes on as if the last removal had been made right then: so removals around
//! a restart, or of a daemon that is killed again and again, are weighed together, and a removal counts for two minutes of running at most.

use std::collections::VecDeque;

use super::Agent;
use crate::disk::Disk;
use crate::model::Content;
use crate::state::StateError;

/// More than this at once is always asked about.
const REMOVALS_MAX: usize = 1_000;
/// Whoever removes one file of two knows what they do.
const REMOVALS_FEW: usize = 10;
/// What is removed within this time is at once.
const AT_ONCE_MS: u64 = 60_000;
/// What follows the first removal of a part within this time is of the same part: so a minute has few.
const PART_MS: u64 = 1_000;

/// How it stood when removals began to be held: see [`Before`].
const HELD_OVER: &str = "held_over";
/// A person let removals happen.
const CONFIRMED: &str = "confirmed";
/// What was removed lately: see [`Lately`].
const REMOVED: &str = "removed_lately";

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

/// Files that were removed one soon after the other.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Part {
    /// When the first of them was.
    at_ms: u64,
    files: usize,
    /// How many there were then.
    of: usize,
}

impl Part {
    fn is_of(&self, now_ms: u64) -> bool {
        now_ms < self.at_ms + AT_ONCE_MS
    }
}

/// What was removed within the last minute.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Lately {
    here: VecDeque<Part>,
    there: VecDeque<Part>,
    /// Files that there were at the last plan, those that it removes included.
    #[serde(skip)]
    files: usize,
}

impl Lately {
    fn note(&mut self, side: Side, now_ms: u64) {
        let parts = match side {
            Side::Here => &mut self.here,
            Side::There => &mut self.there,
        };
        match parts.back_mut().filter(|part| now_ms < part.at_ms + PART_MS) {
            Some(part) => (part.files, part.of) = (part.files + 1, part.of.max(self.files)),
            None => {
                parts.retain(|part| part.is_of(now_ms));
                parts.push_back(Part { at_ms: now_ms, files: 1, of: self.files });
            }
        }
    }

    fn before(&self, now_ms: u64) -> Before {
        let gone = |parts: &VecDeque<Part>| {
            let parts = || parts.iter().filter(|part| part.is_of(now_ms));
            Gone { files: parts().map(|part| part.files).sum(), of: parts().map(|part| part.of).max().unwrap_or(0) }
        };
        Before { here: gone(&self.here), there: gone(&self.there), files: self.files }
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.here.iter().chain(&self.there)
    }

    /// As it is kept. It changes with a removal and with the end of the minute, not as its parts grow old: that would be a write for each.
    fn text(&self, now_ms: u64) -> Option<String> {
        self.parts().any(|part| part.is_of(now_ms)).then(|| serde_json::to_string(self).ok()).flatten()
    }

    /// As it was kept by a daemon that ended: its last removal counts as if it was made now.
    fn read(text: &str, now_ms: u64) -> Option<Self> {
        let mut lately: Self = serde_json::from_str(text).ok()?;
        let last_ms = lately.parts().map(|part| part.at_ms).max()?;
        for parts in [&mut lately.here, &mut lately.there] {
            parts.retain(|part| part.is_of(last_ms));
            parts.iter_mut().for_each(|part| part.at_ms = now_ms.saturating_sub(last_ms - part.at_ms));
        }
        Some(lately)
    }
}

impl<D: Disk> Agent<D> {
    /// A file was removed. Folders do not count.
    pub(super) fn note_removal(&mut self, side: Side, content: &Content) {
        if *content != Content::Folder {
            let now_ms = self.now.ran_ms;
            self.lately().note(side, now_ms);
        }
    }

    /// Saves the state, with what was removed lately: a removal is never saved without being counted.
    pub(super) fn save(&mut self) -> Result<(), StateError> {
        let now_ms = self.now.ran_ms;
        let removed = self.lately().text(now_ms);
        self.state.set(REMOVED, removed);
        self.state.save()
    }

    fn lately(&mut self) -> &mut Lately {
        let read = || Lately::read(self.state.value(REMOVED)?, self.now.ran_ms);
        self.removed.get_or_insert_with(|| read().unwrap_or_default())
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
            self.removed = Some(Lately::default());
        }
    }

    /// What was removed lately, or, while removals are held, before they were.
    fn removed_before(&mut self) -> Before {
        let is_file = |content: &Content| *content != Content::Folder;
        let files = self.state.synced().values().filter(|synced| is_file(&synced.content)).count();
        let now_ms = self.now.ran_ms;
        self.lately().files = files;
        let held_over = self.state.value(HELD_OVER).and_then(|text| Before::read(text, files));
        held_over.unwrap_or_else(|| self.lately().before(now_ms))
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
        let at = |now_ms: u64| {
            let Before { here, there, files } = lately.before(now_ms);
            (here.files, here.of, there.files, there.of, files)
        };
        assert_eq!(at(60_999), (1, 30, 2, 30, 20));
        assert_eq!(at(61_000), (1, 30, 1, 20, 20));
        assert_eq!(at(63_000), (0, 0, 0, 0, 20));
        for after_ms in 0..5_000 {
            lately.note(Side::There, 70_000 + after_ms);
        }
        assert_eq!((lately.before(75_000).there.files, lately.there.len()), (5_000, 5));
    }

    #[test]
    fn fld_13_what_was_removed_lately_goes_on_after_a_restart_as_if_the_last_was_made_then() {
        let mut lately = Lately { files: 30, ..Lately::default() };
        [(Side::There, 900_000), (Side::There, 940_000), (Side::Here, 970_000)]
            .iter()
            .for_each(|(side, at_ms)| lately.note(*side, *at_ms));
        let text = lately.text(1_029_999).unwrap();
        assert_eq!(lately.text(1_030_000), None, "nothing is kept of what is over");
        let gone = |begun_ms: u64, after_ms: u64| {
            let Before { here, there, .. } = Lately::read(&text, begun_ms).unwrap().before(begun_ms + after_ms);
            (here.files, there.files, here.of)
        };
        assert_eq!(gone(200_000, 0), (1, 1, 30), "the first was over by the last");
        assert_eq!((gone(200_000, 30_000), gone(200_000, 60_000)), ((1, 0, 30), (0, 0, 0)));
        assert_eq!(gone(5, 59_000), (1, 1, 30), "the time before it began has no numbers");
        assert!(["", "{}", "[1]"].iter().all(|text| Lately::read(text, 0).is_none()));
    }
}
