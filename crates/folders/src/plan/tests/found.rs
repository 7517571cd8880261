//! Each rule that is left out is missed by some test.

use super::{cases, random};
use crate::plan::mutants::{Mutant, switch};

const SEEDS: u64 = 400;

const CASES: &[fn()] = &[
    cases::base_check,
    cases::merging,
    cases::folders_renamed_behind_the_back,
    cases::repeats,
    cases::new_files,
    cases::deletes,
    cases::revived,
    cases::deleted_folders,
    cases::one_row_for_a_folder,
    cases::rename_over,
    cases::saved_by_an_editor,
    cases::swaps_and_chains,
    cases::cycles,
];

fn fails(mutant: Mutant, test: impl FnOnce() + std::panic::UnwindSafe) -> bool {
    switch(Some(mutant));
    let failed = std::panic::catch_unwind(test).is_err();
    switch(None);
    failed
}

/// By the rules one by one; and by random trees, where those can show it.
fn is_found(mutant: Mutant, by_random: bool) {
    assert!(CASES.iter().any(|case| fails(mutant, case)), "{mutant:?} was not found by any case");
    let found = (0..SEEDS).any(|seed| {
        fails(mutant, move || random::level_clients_are_taken(seed))
            || fails(mutant, move || random::whoever_is_behind_destroys_nothing(seed))
    });
    assert!(found || !by_random, "{mutant:?} was not found by random trees");
}

#[test]
fn fld_26_every_rule_that_is_left_out_is_missed() {
    for mutant in [
        Mutant::EditsUnseen,
        Mutant::RenamesUnseen,
        Mutant::DeletesUnseen,
        Mutant::FolderTakesAll,
        Mutant::OverwritesUnseen,
        Mutant::NewOverOld,
        Mutant::ParksNobody,
    ] {
        is_found(mutant, true);
    }
    for mutant in [
        Mutant::ForgetsRepeats,
        Mutant::RenamesEach,
        Mutant::RevivesNobody,
        Mutant::PathsAreRenames,
        Mutant::SavesAsNew,
        Mutant::CyclesTaken,
    ] {
        is_found(mutant, false);
    }
}
