//! Why a ready, unfinished task does not go on, and what is to be done about it (WFL-13, WFL-27): pure.
//!
//! The original's seven cases: (1) the server was off, (2) there are no actors: nobody polls its queue; (3) the actors cannot keep up;
//! (4) the result is stored and the graph does not know; (5) it is ready and was never queued; (6) it is REGISTERED and in no queue;
//! (7) as 5, and the task itself is missing.

use base::Heard;
use base::mutants::{self, Mutant};

use crate::decision::next::State;

/// What is known of a ready, unfinished task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Since when it waits for no other task.
    pub ready: Heard,
    /// Its row is there.
    pub has_task: bool,
    /// The server itself does it.
    pub is_own: bool,
    /// Where its decision stands, if there is one.
    pub decision: Option<Stands>,
    /// It is in its queue.
    pub is_queued: bool,
    /// What was queued before was handed out; `None`: nobody ever polled its queue.
    pub up_to: Option<Heard>,
    /// What else than a worker it waits for.
    pub waits: Option<Wait>,
}

/// A decision as it is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stands {
    /// Its state.
    pub state: State,
    /// When it was put into its queue, or from when on it may be taken.
    pub queued: Heard,
    /// When it was last put there again.
    pub restarted: Option<Heard>,
    /// Until when its worker has to be heard of, if somebody has it.
    pub until: Option<Heard>,
}

/// What a task waits for that is no worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// A moment.
    Time,
    /// A signal.
    Signal,
    /// A process of its own.
    Process,
}

/// What is found of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// Cases 1 and 2: nobody ever polled its queue.
    NobodyPolls,
    /// Case 3: its queue was not yet handed out so far.
    Backlog,
    /// It is in its queue, and its turn has come.
    Next,
    /// Somebody works on it.
    InWork,
    /// Who took it is silent for too long; whoever looks after decisions gives it to another (WFL-11).
    Silent,
    /// It waits for something else than a worker.
    Waits(Wait),
    /// Case 4: it ended, and the graph does not know.
    NotApplied,
    /// Case 5: it is ready and was never queued.
    NotQueued,
    /// Case 6: it should be in its queue and is not.
    Dropped,
    /// Case 7: the task is missing.
    Missing,
    /// The server itself should have begun it, or have seen that it ended.
    NotBegun,
}

impl Finding {
    /// A word for programs, which never changes.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NobodyPolls => "nobody-polls",
            Self::Backlog | Self::Next => "backlog",
            Self::InWork => "in-work",
            Self::Silent => "silent",
            Self::Waits(Wait::Time) => "waits-time",
            Self::Waits(Wait::Signal) => "waits-signal",
            Self::Waits(Wait::Process) => "waits-process",
            Self::NotApplied => "not-applied",
            Self::NotQueued | Self::Dropped | Self::NotBegun => "not-queued",
            Self::Missing => "missing",
        }
    }

    /// For people.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::NobodyPolls => "nobody ever polled the queue of this actor",
            Self::Backlog => "it waits in its queue behind others: the workers of this actor do not keep up",
            Self::Next => "it is in its queue, to be given to the next worker that polls",
            Self::InWork => "a worker has taken it",
            Self::Silent => "a worker has taken it and is silent for too long: it is given to another one soon",
            Self::Waits(Wait::Time) => "it waits for its time",
            Self::Waits(Wait::Signal) => "it waits for a signal",
            Self::Waits(Wait::Process) => "it waits for a process of its own",
            Self::NotApplied => "its result is stored, and the graph does not know of it",
            Self::NotQueued => "it is ready and was never queued",
            Self::Dropped => "it should be in its queue and is not",
            Self::Missing => "its task is missing",
            Self::NotBegun => "the server should have begun it or seen its end",
        }
    }

    /// It is to be repaired; else it is left alone.
    #[must_use]
    pub fn is_ill(self) -> bool {
        matches!(self, Self::NotApplied | Self::NotQueued | Self::Dropped | Self::Missing | Self::NotBegun)
    }
}

/// What is found of a ready, unfinished task.
#[must_use]
pub fn judge(seen: &Seen, now: Heard) -> Finding {
    let state = seen.decision.map(|decision| decision.state);
    match state {
        Some(State::Finish) => Finding::NotApplied,
        _ if !seen.has_task => Finding::Missing,
        Some(State::Work) if seen.decision.and_then(|decision| decision.until).is_some_and(|until| until <= now) => {
            Finding::Silent
        }
        Some(State::Work) if mutants::on(Mutant::WorkflowWorkQueuedAgain) => Finding::Dropped,
        Some(State::Work) => Finding::InWork,
        _ if seen.waits.is_some() => Finding::Waits(seen.waits.unwrap_or(Wait::Time)),
        _ if seen.is_own => Finding::NotBegun,
        _ => in_queue(seen, now),
    }
}

/// It should be in its queue. Whether it was forgotten shows only once those who were queued with it were handed out.
fn in_queue(seen: &Seen, now: Heard) -> Finding {
    if seen.is_queued && seen.decision.is_some_and(|decision| decision.queued > now) {
        return Finding::Waits(Wait::Time);
    }
    match (seen.up_to, seen.decision) {
        (None, _) => Finding::NobodyPolls,
        (Some(_), Some(_)) if mutants::on(Mutant::WorkflowBacklogQueuedAgain) => Finding::Dropped,
        (Some(up_to), _) if up_to <= reference(seen) => Finding::Backlog,
        (Some(_), _) if seen.is_queued => Finding::Next,
        (Some(_), Some(_)) => Finding::Dropped,
        (Some(_), None) => Finding::NotQueued,
    }
}

/// Since when it should be in its queue: its last restart, else when it became ready, and never before it may be taken.
fn reference(seen: &Seen) -> Heard {
    let queued =
        seen.decision.map_or(seen.ready, |decision| decision.restarted.unwrap_or(seen.ready).max(decision.queued));
    queued.max(seen.ready)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands(state: State) -> Option<Stands> {
        Some(Stands { state, queued: Heard(10), restarted: None, until: None })
    }

    fn seen() -> Seen {
        Seen {
            ready: Heard(10),
            has_task: true,
            is_own: false,
            decision: stands(State::Registered),
            is_queued: true,
            up_to: Some(Heard(11)),
            waits: None,
        }
    }

    fn found(seen: Seen) -> Finding {
        judge(&seen, Heard(100))
    }

    #[test]
    fn wfl_13_cases_1_and_2_nobody_polls_and_nothing_is_done() {
        for is_queued in [true, false] {
            for decision in [None, stands(State::Registered)] {
                let found = found(Seen { up_to: None, is_queued, decision, ..seen() });
                assert_eq!((found, found.is_ill()), (Finding::NobodyPolls, false));
            }
        }
    }

    #[test]
    fn wfl_13_case_3_actors_that_cannot_keep_up_are_let_be() {
        for is_queued in [true, false] {
            let found = found(Seen { up_to: Some(Heard(10)), is_queued, ..seen() });
            assert_eq!((found, found.is_ill()), (Finding::Backlog, false), "the same moment is not later");
        }
        let restarted =
            Some(Stands { restarted: Some(Heard(50)), queued: Heard(50), ..stands(State::Registered).unwrap() });
        let late = Seen { decision: restarted, is_queued: false, ..seen() };
        assert_eq!(found(Seen { up_to: Some(Heard(50)), ..late }), Finding::Backlog, "counted from its last restart");
        assert_eq!(found(Seen { up_to: Some(Heard(51)), ..late }), Finding::Dropped);
        assert_eq!(
            found(Seen { up_to: Some(Heard(10)), decision: None, is_queued: false, ..seen() }),
            Finding::Backlog
        );
    }

    #[test]
    fn wfl_13_case_4_a_result_that_the_graph_does_not_know_is_applied() {
        for has_task in [true, false] {
            let found =
                found(Seen { decision: stands(State::Finish), is_queued: false, has_task, up_to: None, ..seen() });
            assert_eq!((found, found.is_ill()), (Finding::NotApplied, true));
        }
    }

    #[test]
    fn wfl_13_cases_5_and_6_what_was_forgotten_is_queued() {
        let never = found(Seen { decision: None, is_queued: false, ..seen() });
        assert_eq!((never, never.is_ill()), (Finding::NotQueued, true));
        let dropped = found(Seen { is_queued: false, ..seen() });
        assert_eq!((dropped, dropped.is_ill()), (Finding::Dropped, true));
    }

    #[test]
    fn wfl_13_case_7_a_missing_task_is_told_apart() {
        for decision in [None, stands(State::Registered), stands(State::Work)] {
            let found = found(Seen { has_task: false, decision, ..seen() });
            assert_eq!((found, found.is_ill()), (Finding::Missing, true));
        }
    }

    #[test]
    fn wfl_15_what_is_well_is_left_alone() {
        let work = |until| Some(Stands { until: Some(Heard(until)), ..stands(State::Work).unwrap() });
        assert_eq!(found(Seen { decision: work(101), is_queued: false, ..seen() }), Finding::InWork);
        assert_eq!(found(Seen { decision: work(100), is_queued: false, ..seen() }), Finding::Silent);
        assert_eq!(found(seen()), Finding::Next);
        for wait in [Wait::Time, Wait::Signal, Wait::Process] {
            let waits = Seen { waits: Some(wait), is_queued: false, up_to: None, ..seen() };
            assert_eq!(found(waits), Finding::Waits(wait));
            assert_eq!(found(Seen { decision: None, ..waits }), Finding::Waits(wait));
        }
        let pause = Some(Stands { queued: Heard(101), ..stands(State::Registered).unwrap() });
        assert_eq!(
            found(Seen { decision: pause, ..seen() }),
            Finding::Waits(Wait::Time),
            "a pause before the next try"
        );
        assert_eq!(
            found(Seen { decision: pause, is_queued: false, ..seen() }),
            Finding::Backlog,
            "also where its place is lost"
        );
        assert!(!Finding::Silent.is_ill() && !Finding::InWork.is_ill() && !Finding::Next.is_ill());
    }

    #[test]
    fn what_the_server_itself_did_not_begin_is_begun() {
        let own = Seen { is_own: true, decision: None, is_queued: false, up_to: None, ..seen() };
        assert_eq!(found(own), Finding::NotBegun);
        assert_eq!(
            found(Seen { decision: stands(State::Registered), ..own }),
            Finding::NotBegun,
            "nothing it waits for"
        );
    }

    #[test]
    fn wfl_27_every_finding_has_its_word() {
        let words = [
            (Finding::NobodyPolls, "nobody-polls"),
            (Finding::Backlog, "backlog"),
            (Finding::Silent, "silent"),
            (Finding::NotApplied, "not-applied"),
            (Finding::NotQueued, "not-queued"),
            (Finding::Dropped, "not-queued"),
            (Finding::Missing, "missing"),
            (Finding::Waits(Wait::Signal), "waits-signal"),
            (Finding::Waits(Wait::Time), "waits-time"),
            (Finding::Waits(Wait::Process), "waits-process"),
        ];
        for (finding, word) in words {
            assert_eq!(finding.word(), word);
        }
    }
}
