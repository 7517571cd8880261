//! Rules that tests leave out, one at a time, to see that they are missed. Nothing of this is in the program.

/// A rule that is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mutant {
    /// A content that was changed on both sides is replaced by the server's.
    KeepsNoCopy,
    /// What is missing from the server's tree is removed.
    RemovesMissing,
    /// A change is asked for on top of whatever the server has.
    ForgetsBase,
    /// A deleted file is removed though it was changed here.
    RemovesEdited,
    /// What lies where the server's tree wants another is removed.
    RemovesTheWay,
    /// What is gone here is deleted there, whatever became of it meanwhile.
    DeletesUnseen,
    /// A file is asked to take the place of another that is not asked to leave it.
    TakesOver,
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
