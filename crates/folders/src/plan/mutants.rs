//! Rules that tests leave out, one at a time, to see that they are missed. Nothing of this is in the program.

/// A rule that is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mutant {
    /// An edit is taken whatever it was made from.
    EditsUnseen,
    /// A rename is taken though somebody renamed the file since.
    RenamesUnseen,
    /// A file is deleted that changed since.
    DeletesUnseen,
    /// A deleted folder takes along what the client did not know.
    FolderTakesAll,
    /// What is renamed takes the place of what the client did not know.
    OverwritesUnseen,
    /// A new file takes the place of another.
    NewOverOld,
    /// What was brought before is brought again.
    ForgetsRepeats,
    /// A deleted file cannot be edited any more.
    RevivesNobody,
    /// An old path is taken for a rename.
    PathsAreRenames,
    /// Each file of a renamed folder is renamed.
    RenamesEach,
    /// An editor's save deletes the old file and makes a new one.
    SavesAsNew,
    /// Files that swap their names are not told to step aside.
    ParksNobody,
    /// A folder may be moved into itself.
    CyclesTaken,
}

#[cfg(test)]
pub(super) use switch::{on, switch};

#[cfg(not(test))]
pub(super) const fn on(_: Mutant) -> bool {
    false
}

#[cfg(test)]
mod switch {
    use super::Mutant;
    use std::cell::Cell;

    thread_local! {
        static ON: Cell<Option<Mutant>> = const { Cell::new(None) };
    }

    pub(in crate::plan) fn on(mutant: Mutant) -> bool {
        ON.get() == Some(mutant)
    }

    pub(in crate::plan) fn switch(mutant: Option<Mutant>) {
        ON.set(mutant);
    }
}
