//! Large removals wait for a word of a person (FLD-13).

use super::Agent;
use crate::disk::Disk;
use crate::model::Content;

/// More than this at once is always asked about.
const REMOVALS_MAX: usize = 1_000;
/// Whoever removes one file of two knows what they do.
const REMOVALS_FEW: usize = 10;

/// Whether so many removals are too many for a folder of so many files.
pub(super) fn are_too_many(removals: usize, files: usize) -> bool {
    removals > REMOVALS_MAX || (removals >= REMOVALS_FEW && removals * 2 > files)
}

impl<D: Disk> Agent<D> {
    /// Whether these are too many removals, here or on the server, which nobody confirmed.
    pub(super) fn hold_removals(&mut self, here: usize, there: usize) -> bool {
        let is_file = |content: &Content| *content != Content::Folder;
        let files = self.state.synced().values().filter(|synced| is_file(&synced.content)).count();
        if !are_too_many(here, files) && !are_too_many(there, files) {
            self.report.held = None;
            if here + there == 0 {
                self.state.set("confirmed", None);
            }
            return false;
        }
        if self.state.value("confirmed") == Some("yes") {
            self.report.held = None;
            return false;
        }
        if self.report.held.is_none() {
            self.tell("held", "", &format!("{here} removals here and {there} on the server wait for a confirmation"));
        }
        self.report.held = Some((here as u64, there as u64));
        true
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
}
