//! Where the handshake is cut: at each step, in each way that can happen there.

use std::fmt;

/// Steps: calls of the server, and what the database does between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum At {
    Start,
    Narrow,
    /// Messages are processed in the database's transaction.
    Work,
    Prepare,
    /// The server agreed; the database has not committed.
    BeforeCommit,
    /// The database committed; the server was not told.
    AfterCommit,
    Commit,
    Rollback,
    Interrupt,
    Resolve,
}

/// What goes wrong there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// The server is killed, and a new one started, before the step.
    ServerBefore,
    /// The server is killed when the call is on its way; nobody hears an answer.
    ServerAfter,
    /// The call never leaves.
    Unsent,
    /// The call arrives; its answer does not.
    AnswerLost,
    /// Who plays the database's side dies before the step, and its transaction with it.
    DiesBefore,
    /// It dies after the step.
    DiesAfter,
    /// It stands still for longer than the server waits.
    Hangs,
    /// The database refuses to go on.
    DatabaseFails,
}

/// A step and its fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    pub(crate) at: At,
    pub(crate) fault: Fault,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {:?}", self.fault, self.at)
    }
}

impl Point {
    /// Whether others on the same server feel it.
    pub(crate) fn kills_server(self) -> bool {
        matches!(self.fault, Fault::ServerBefore | Fault::ServerAfter)
    }

    /// Whether nobody tells the server for too long whether the database committed.
    pub(crate) fn is_unknown(self) -> bool {
        use Fault::{DiesAfter, DiesBefore, Hangs};
        match self.at {
            At::Prepare => self.fault == DiesAfter,
            At::BeforeCommit | At::AfterCommit => matches!(self.fault, DiesBefore | Hangs),
            At::Commit | At::Rollback => self.fault == DiesBefore,
            At::Resolve => true,
            At::Start | At::Narrow | At::Work | At::Interrupt => false,
        }
    }
}

/// All of them.
pub(crate) fn all() -> Vec<Point> {
    use Fault::{AnswerLost, DatabaseFails, DiesAfter, DiesBefore, Hangs, ServerAfter, ServerBefore, Unsent};
    let calls = [ServerBefore, ServerAfter, Unsent, AnswerLost, DiesBefore, DiesAfter];
    let ends = [ServerBefore, ServerAfter, AnswerLost, DiesBefore];
    let faults: [(At, &[Fault]); 10] = [
        (At::Start, &calls),
        (At::Narrow, &calls),
        (At::Work, &[ServerBefore, DiesBefore, Hangs, DatabaseFails]),
        (At::Prepare, &calls),
        (At::BeforeCommit, &[ServerBefore, DiesBefore, Hangs, DatabaseFails]),
        (At::AfterCommit, &[ServerBefore, DiesBefore, Hangs]),
        (At::Commit, &calls),
        (At::Rollback, &ends),
        (At::Interrupt, &ends),
        (At::Resolve, &ends),
    ];
    faults.iter().flat_map(|(at, faults)| faults.iter().map(|fault| Point { at: *at, fault: *fault })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exc_14_at_least_forty_points() {
        let mut points = all();
        assert!(points.len() >= 40, "{}", points.len());
        points.sort();
        points.dedup();
        assert_eq!(points, {
            let mut again = all();
            again.sort();
            again
        });
    }
}
