//! What a call or a timeout does to a process (EXC-10 to EXC-20): pure, told state and event, answers with the step.
//!
//! ```text
//! STARTED ──prepare──▶ READY_TO_COMMIT ──commit──▶ CLEANUP ──moved──▶ ended: committed
//!    │                   │        │                   └─a move failed─▶ FAILED ──moved─▶ ended: committed
//!    │ rollback,         │        └─too long─▶ UNKNOWN ──commit, rollback, resolve──▶ ended
//!    │ interrupt,        │ rollback,            └─nobody says it for months─▶ ended: forgotten
//!    │ too long          │ interrupt
//!    ▼                   ▼
//!  ended: nothing of it happened
//! ```
//!
//! Every call may come twice because its answer was lost, and late because somebody was taken for gone: the same call gets the same
//! answer, and what a database says of its own commit is believed whenever it comes.

use base::mutants::{self, Mutant};

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The database committed.
    Committed,
    /// The database said that it did not.
    RolledBack,
    /// It was interrupted.
    Interrupted,
    /// It took too long to prepare.
    TimedOut,
    /// Nobody ever said whether the database committed.
    Forgotten,
}

/// Where a process stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Messages were given.
    Started,
    /// Results and replies are here; the database may commit.
    Ready,
    /// The database committed; files are moved.
    Cleanup,
    /// A move failed and is tried again.
    Failed,
    /// Nobody knows whether the database committed.
    Unknown,
    /// It is over.
    Ended(Outcome),
    /// There is no such process.
    Absent,
}

/// What comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The database names what it will process.
    Narrow,
    /// Results and replies; whether they are the same as those that are here.
    Prepare {
        /// The same as before.
        same: bool,
    },
    /// The database committed.
    Commit,
    /// The database did not.
    Rollback,
    /// Somebody ends it.
    Interrupt,
    /// The same, unless it was prepared: its database may be committing then, and somebody else may be at work in it.
    GiveUp,
    /// It stands in its state for too long.
    TooLong,
    /// Its outcome is unknown for longer than anything is kept (EXC-22).
    TooOld,
    /// A file could not be moved.
    MoveFailed,
    /// All files are where they belong.
    Moved,
    /// Somebody found out whether the database committed.
    Resolve {
        /// It did.
        committed: bool,
    },
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Nothing; the answer is `OK`.
    Agree,
    /// Nothing; the answer is `CANCELLED`.
    Cancel,
    /// Nothing; the call is refused with this reason.
    Refuse(&'static str),
    /// Keep what is named, let go of the rest; `OK`.
    Narrow,
    /// Keep results and replies; `OK`.
    Prepare,
    /// What was prepared holds: replies go out, results count; `OK`.
    Commit,
    /// Nothing of it happened: messages are free again, replies are dropped; `OK`.
    Undo(Outcome),
    /// Set aside what was given and prepared until somebody knows.
    SetAside,
    /// As [`Step::Commit`], from where it was set aside.
    CommitAside,
    /// As [`Step::Undo`], from where it was set aside.
    UndoAside,
    /// Let go of what was set aside: nobody will ever know.
    ForgetAside,
    /// Try the moves again later.
    Fail,
    /// It is over.
    End,
}

/// What an event does in a state.
#[must_use]
pub fn next(state: State, event: Event) -> Step {
    match event {
        Event::Narrow => {
            if state == State::Started {
                Step::Narrow
            } else {
                Step::Cancel
            }
        }
        Event::Prepare { same } => prepare(state, same),
        Event::Commit => commit(state),
        Event::Rollback => undo(state, Outcome::RolledBack),
        Event::Interrupt => undo(state, Outcome::Interrupted),
        Event::GiveUp => give_up(state),
        Event::TooLong => too_long(state),
        Event::TooOld => {
            if state == State::Unknown {
                Step::ForgetAside
            } else {
                Step::Agree
            }
        }
        Event::MoveFailed => {
            if state == State::Cleanup {
                Step::Fail
            } else {
                Step::Agree
            }
        }
        Event::Moved => {
            if matches!(state, State::Cleanup | State::Failed) {
                Step::End
            } else {
                Step::Agree
            }
        }
        Event::Resolve { committed } => resolve(state, committed),
    }
}

fn prepare(state: State, same: bool) -> Step {
    match state {
        State::Started => Step::Prepare,
        State::Ready if mutants::on(Mutant::ExchangePrepareTwice) => Step::Prepare,
        State::Ready if same => Step::Agree,
        _ => Step::Cancel,
    }
}

fn commit(state: State) -> Step {
    match state {
        State::Ready => Step::Commit,
        State::Cleanup | State::Failed | State::Ended(Outcome::Committed) => Step::Agree,
        State::Unknown if mutants::on(Mutant::ExchangeLateCommitIgnored) => Step::Cancel,
        State::Unknown => Step::CommitAside,
        State::Started | State::Ended(_) | State::Absent => Step::Cancel,
    }
}

/// A database that said that it committed cannot take that back: its messages are told already.
const COMMITTED: &str = "the database said that it committed";

fn undo(state: State, how: Outcome) -> Step {
    match state {
        State::Started | State::Ready => Step::Undo(how),
        State::Unknown => Step::UndoAside,
        State::Cleanup | State::Failed | State::Ended(Outcome::Committed) => Step::Refuse(COMMITTED),
        State::Ended(Outcome::RolledBack | Outcome::Interrupted) => Step::Agree,
        State::Ended(Outcome::TimedOut | Outcome::Forgotten) | State::Absent => Step::Cancel,
    }
}

fn give_up(state: State) -> Step {
    match state {
        State::Started => Step::Undo(Outcome::Interrupted),
        State::Ended(Outcome::Interrupted) => Step::Agree,
        State::Ready | State::Cleanup | State::Failed | State::Unknown | State::Ended(_) | State::Absent => {
            Step::Cancel
        }
    }
}

fn too_long(state: State) -> Step {
    match state {
        State::Started => Step::Undo(Outcome::TimedOut),
        State::Ready if mutants::on(Mutant::ExchangeReadyUndone) => Step::Undo(Outcome::TimedOut),
        State::Ready => Step::SetAside,
        _ => Step::Agree,
    }
}

fn resolve(state: State, committed: bool) -> Step {
    match (state, committed) {
        (State::Unknown, true) => Step::CommitAside,
        (State::Unknown, false) => Step::UndoAside,
        (State::Cleanup | State::Failed | State::Ended(Outcome::Committed), true) => Step::Agree,
        (State::Ended(Outcome::RolledBack | Outcome::Interrupted), false) => Step::Agree,
        (State::Absent, _) => Step::Cancel,
        _ => Step::Refuse("its outcome is not unknown"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Event::{Commit, GiveUp, Interrupt, Narrow, Rollback, TooLong, TooOld};
    use State::{Absent, Cleanup, Ended, Failed, Ready, Started, Unknown};

    const PREPARE: Event = Event::Prepare { same: false };
    const SAME: Event = Event::Prepare { same: true };
    const ALL: [State; 11] = [
        Started,
        Ready,
        Cleanup,
        Failed,
        Unknown,
        Ended(Outcome::Committed),
        Ended(Outcome::RolledBack),
        Ended(Outcome::Interrupted),
        Ended(Outcome::TimedOut),
        Ended(Outcome::Forgotten),
        Absent,
    ];

    /// Steps of an event in all states, in their order.
    fn row(event: Event) -> Vec<Step> {
        ALL.iter().map(|state| next(*state, event)).collect()
    }

    #[test]
    fn exc_11_every_call_in_every_state() {
        use Step::{Agree, Cancel, CommitAside, Prepare, Refuse, Undo, UndoAside};
        let refused = Refuse(COMMITTED);
        let no = Cancel;
        assert_eq!(row(Narrow), [Step::Narrow, no, no, no, no, no, no, no, no, no, no]);
        assert_eq!(row(PREPARE), [Prepare, no, no, no, no, no, no, no, no, no, no]);
        assert_eq!(row(SAME), [Prepare, Agree, no, no, no, no, no, no, no, no, no]);
        assert_eq!(row(Commit), [no, Step::Commit, Agree, Agree, CommitAside, Agree, no, no, no, no, no]);
        let undo = Undo(Outcome::RolledBack);
        assert_eq!(row(Rollback), [undo, undo, refused, refused, UndoAside, refused, Agree, Agree, no, no, no]);
        let undo = Undo(Outcome::Interrupted);
        assert_eq!(row(Interrupt), [undo, undo, refused, refused, UndoAside, refused, Agree, Agree, no, no, no]);
        let late = Undo(Outcome::TimedOut);
        assert_eq!(row(TooLong)[..3], [late, Step::SetAside, Agree]);
    }

    #[test]
    fn exc_22_only_an_unknown_outcome_is_forgotten_and_it_is_final() {
        for state in ALL {
            let expected = if state == Unknown { Step::ForgetAside } else { Step::Agree };
            assert_eq!(next(state, TooOld), expected, "{state:?}");
        }
        for event in [Commit, Rollback, Interrupt, GiveUp, SAME] {
            assert_eq!(next(Ended(Outcome::Forgotten), event), Step::Cancel, "{event:?}");
        }
        for committed in [true, false] {
            assert!(matches!(next(Ended(Outcome::Forgotten), Event::Resolve { committed }), Step::Refuse(_)));
        }
    }

    #[test]
    fn exc_16_an_interrupt_ends_what_was_not_committed_and_nothing_else() {
        for state in [Started, Ready] {
            assert_eq!(next(state, Interrupt), Step::Undo(Outcome::Interrupted));
        }
        for state in [Cleanup, Failed, Ended(Outcome::Committed)] {
            assert!(matches!(next(state, Interrupt), Step::Refuse(_)), "{state:?}");
        }
        assert_eq!(next(Ended(Outcome::Interrupted), Interrupt), Step::Agree, "the same again");
    }

    #[test]
    fn exc_16_a_process_is_given_up_only_before_it_is_prepared() {
        let expected = |state| match state {
            Started => Step::Undo(Outcome::Interrupted),
            Ended(Outcome::Interrupted) => Step::Agree,
            _ => Step::Cancel,
        };
        for state in ALL {
            assert_eq!(next(state, GiveUp), expected(state), "{state:?}");
        }
    }

    #[test]
    fn exc_17_a_call_that_was_answered_is_answered_the_same_again() {
        // Where a step leads to, as the operations carry it out.
        let after = |state: State, event: Event| match next(state, event) {
            Step::Prepare => Ready,
            Step::Commit => Cleanup,
            Step::Undo(how) => Ended(how),
            Step::CommitAside => Ended(Outcome::Committed),
            Step::UndoAside => Ended(Outcome::RolledBack),
            _ => state,
        };
        let answer = |step: Step| match step {
            Step::Cancel => "CANCELLED",
            Step::Refuse(_) => "refused",
            _ => "OK",
        };
        for state in ALL {
            for event in [SAME, Commit, Rollback, Interrupt, GiveUp] {
                let (first, then) = (next(state, event), after(state, event));
                assert_eq!(answer(first), answer(next(then, event)), "{event:?} in {state:?}");
            }
        }
    }
}
