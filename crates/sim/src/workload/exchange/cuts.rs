//! Every point at which something may be cut: network, server, store, connector, database, disk, each at every step it takes part in.
//! A run remembers which of them it met; a test asks that some runs together meet all.

use crate::office::Mishap;

/// A call to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Start,
    Narrow,
    Prepare,
    Commit,
    Rollback,
    Interrupt,
    Resolve,
    Send,
    Fetch,
    Acknowledge,
}

/// Where a connector is when it dies or hangs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moment {
    /// It waits for the answer to its start.
    Starting,
    /// It has messages and did nothing with them.
    Given,
    /// It waits for the answer to its narrowing.
    Narrowing,
    /// It works in the transaction of its database.
    Working,
    /// It waits for the answer to its prepare.
    Preparing,
    /// It may commit in its database, and did not.
    Prepared,
    /// It committed in its database, and told nobody.
    Committed,
    /// It waits for the answer to its commit.
    Confirming,
    /// It waits for the answer to its rollback or interrupt.
    Undoing,
}

/// What goes wrong in a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trouble {
    /// Another transaction has what a message needs: back to the savepoint.
    Deadlock,
    /// A message is wrong: back to the savepoint.
    Incorrect,
    /// Its commit fails.
    CommitFailed,
    /// Its commit fails because somebody wrote down that this process never committed.
    Voided,
}

/// A call that comes after its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Late {
    /// The process was given up while the database worked.
    Prepare,
    /// The outcome was unknown when the database told it.
    Commit,
    /// The outcome was unknown when the database said that it did not commit.
    Rollback,
}

/// Something was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cut {
    /// The network lost a request.
    RequestLost(Step),
    /// The network lost an answer.
    AnswerLost(Step),
    /// The server died before an answer was heard.
    ServerDied(Step),
    /// The server's store failed.
    StoreFailed(Step),
    /// The connector died.
    Died(Moment),
    /// The connector hung for longer than the server waits.
    Hung(Moment),
    /// The database.
    Database(Trouble),
    /// A call that comes after its time.
    Late(Late),
    /// The files of messages.
    Files(Mishap),
}

const CALLS: [Step; 10] = [
    Step::Start,
    Step::Narrow,
    Step::Prepare,
    Step::Commit,
    Step::Rollback,
    Step::Interrupt,
    Step::Resolve,
    Step::Send,
    Step::Fetch,
    Step::Acknowledge,
];
const DYING: [Moment; 9] = [
    Moment::Starting,
    Moment::Given,
    Moment::Narrowing,
    Moment::Working,
    Moment::Preparing,
    Moment::Prepared,
    Moment::Committed,
    Moment::Confirming,
    Moment::Undoing,
];
const HANGING: [Moment; 3] = [Moment::Working, Moment::Prepared, Moment::Committed];
const TROUBLES: [Trouble; 4] = [Trouble::Deadlock, Trouble::Incorrect, Trouble::CommitFailed, Trouble::Voided];
const LATE: [Late; 3] = [Late::Prepare, Late::Commit, Late::Rollback];
const MISHAPS: [Mishap; 4] = [Mishap::FileRefused, Mishap::DiedInBatch, Mishap::AnswerLost, Mishap::DiedBeforeNoted];

impl Cut {
    /// All of them.
    fn all() -> Vec<Self> {
        let mut all: Vec<Self> = vec![];
        all.extend(CALLS.map(Self::RequestLost));
        all.extend(CALLS.map(Self::AnswerLost));
        all.extend(CALLS.map(Self::ServerDied));
        // A read fails with its server alone.
        all.extend(CALLS.into_iter().filter(|call| *call != Step::Fetch).map(Self::StoreFailed));
        all.extend(DYING.map(Self::Died));
        all.extend(HANGING.map(Self::Hung));
        all.extend(TROUBLES.map(Self::Database));
        all.extend(LATE.map(Self::Late));
        all.extend(MISHAPS.map(Self::Files));
        all
    }

    /// Its name.
    pub(super) fn name(self) -> String {
        format!("{self:?}")
    }
}

/// Names of all points at which the worlds of exchange cut something.
#[must_use]
pub fn exchange_cuts() -> Vec<String> {
    Cut::all().into_iter().map(Cut::name).collect()
}
