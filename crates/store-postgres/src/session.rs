//! One connection as batches see it: transactions, the parts of their jobs, and what is still to be sent.
//!
//! Writes, savepoints and releases are not sent when they are made but with the next read or with COMMIT, so that a job
//! costs about as many round trips as it has reads, plus BEGIN and COMMIT. Invariants:
//! - The first error of a part is final; nothing is sent for that part any more.
//! - Most parts of a batch never need their savepoint: one is made at the first write, and taken out again if the part
//!   ends before it was sent. An error without a savepoint to go back to, or in a step of an earlier part, loses the
//!   whole transaction. Its jobs run again with a savepoint each and every write sent at once (`eager`), so that the
//!   error meets the job that made it.
//! - A ROLLBACK TO is always the first of its round trip: no failed step can stand before it and be forgiven by it.
//! - After a COMMIT was sent and not answered the outcome is unknown and nothing here runs it again.

use std::sync::Arc;

use base::{Connection, Heard, Isolation, StoreError, StoreResult, Tx};
use tokio::runtime::Runtime;

use crate::errors;
use crate::link::{Broken, HEARD, Link};
use crate::pipeline::{Answer, Call, Step};
use crate::shared::Shared;
use crate::threads;

/// Runs of a transaction that others keep breaking, before the job hears of it.
const RUNS_MAX: u32 = 10;
/// The same for several jobs in one transaction: the larger it is, the easier it breaks.
const BATCH_RUNS_MAX: u32 = 3;
/// The first pause between two runs is a random part of this; it doubles with each run.
const PAUSE_US: u64 = 1_000;
/// The longest pause.
const PAUSE_US_MAX: u64 = 64_000;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Serial transactions.
    Write,
    /// Snapshots that cannot write.
    Read,
}

/// Whether a part can be undone apart from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Savepoint {
    /// The transaction has one part.
    Alone,
    /// The part has written nothing yet.
    Unneeded,
    /// Made here, not sent yet; the first of the part's steps.
    Waiting,
    /// The server has it.
    Sent,
}

/// One job's part of a transaction.
pub(super) struct Part {
    pub(super) first_error: Option<StoreError>,
    /// Rows read and written, for the budget.
    pub(super) rows: usize,
    /// Where its steps begin among those that wait to be sent.
    pub(super) start: usize,
    pub(super) savepoint: Savepoint,
}

impl Part {
    const ALONE: Self = Self { first_error: None, rows: 0, start: 0, savepoint: Savepoint::Alone };
}

/// A step that failed, the first of its round trip.
pub(super) struct Failure {
    pub(super) at: usize,
    cause: Cause,
}

enum Cause {
    /// Nothing was sent.
    Unsent(StoreError),
    /// No answer came.
    Silent(String),
    /// The server or the driver said so.
    Said(tokio_postgres::Error),
}

/// A connection with its open transaction, if any.
pub(crate) struct Session {
    pub(super) shared: Arc<Shared>,
    pub(super) runtime: Runtime,
    pub(super) link: Option<Link>,
    pub(super) mode: Mode,
    pub(super) heard: Heard,
    /// Made and not sent yet.
    pub(super) pending: Vec<Step<'static>>,
    pub(super) pending_bytes: usize,
    pub(super) part: Part,
    /// The transaction can go on.
    pub(super) is_open: bool,
    /// Every write is sent at once.
    pub(super) eager: bool,
    eager_next: bool,
    /// The last error met a part that had already ended.
    blamed_late: bool,
    /// The connection broke in this run.
    lost_link: bool,
}

impl Session {
    pub(crate) fn new(shared: Arc<Shared>, mode: Mode) -> StoreResult<Self> {
        Ok(Self {
            shared,
            runtime: threads::runtime()?,
            link: None,
            mode,
            heard: Heard(0),
            pending: Vec::new(),
            pending_bytes: 0,
            part: Part::ALONE,
            is_open: false,
            eager: false,
            eager_next: false,
            blamed_late: false,
            lost_link: false,
        })
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Opens a connection if there is none; when that fails, the whole store is down.
    pub(crate) fn connect(&mut self) -> StoreResult<()> {
        if self.link.is_some() {
            return Ok(());
        }
        match self.shared.address.connect(&self.runtime) {
            Ok(link) => self.link = Some(link),
            Err(none) => {
                // A crowded server still serves those that are connected: only this job is refused.
                if !(none.is_crowded && self.shared.gate.heard_lately(self.shared.now_us())) {
                    self.shared.go_down(&none.reason);
                }
                return Err(none.into());
            }
        }
        Ok(())
    }

    /// Drops the connection; the server undoes what was open on it.
    pub(crate) fn disconnect(&mut self) {
        self.link = None;
        self.lost_link = true;
        self.is_open = false;
    }

    /// Says good-bye to the server.
    pub(crate) fn leave(mut self) {
        if let Some(link) = self.link.take() {
            link.leave(&self.runtime);
        }
    }

    fn start_afresh(&mut self) {
        self.clear_pending();
        self.part = Part::ALONE;
        self.is_open = false;
        self.eager = std::mem::take(&mut self.eager_next);
        self.blamed_late = false;
        self.lost_link = false;
    }

    pub(super) fn clear_pending(&mut self) {
        self.pending.clear();
        self.pending_bytes = 0;
    }

    fn try_begin(&mut self, isolation: Isolation) -> StoreResult<()> {
        let statement = match &self.link {
            Some(link) => link.known(&HEARD)?,
            None => None,
        };
        let Some(statement) = statement else { return Err(StoreError::Unavailable("no connection".into())) };
        let clock = Call { sql: &HEARD, statement, params: Vec::new() };
        let steps = [Step::Text(begin_text(self.mode, isolation)), Step::Rows(clock, 1)];
        match self.round_trip(&steps).map_err(|failure| failure.error(&steps))?.pop() {
            Some(Answer::Rows(rows)) if rows.len() == 1 => self.heard = Heard(rows[0].int(0)),
            _ => unreachable!("the clock gives one row"),
        }
        self.is_open = true;
        Ok(())
    }

    /// Sends the steps and hears the answers, up to the first that failed.
    pub(super) fn round_trip(&mut self, steps: &[Step<'_>]) -> Result<Vec<Answer>, Failure> {
        let Some(link) = &self.link else {
            return Err(Failure { at: 0, cause: Cause::Unsent(StoreError::Unavailable("no connection".into())) });
        };
        let answers = match link.talk(&self.runtime, steps) {
            Ok(answers) => first_failure(answers),
            Err(Broken::Silent(reason)) => Err(Failure { at: 0, cause: Cause::Silent(reason) }),
            Err(Broken::Unsent(unsent)) => {
                let error = errors::of_statement(steps[unsent.at].name(), &unsent.error);
                Err(Failure { at: unsent.at, cause: Cause::Unsent(error) })
            }
        };
        answers.inspect_err(|failure| self.learn_from(failure))
    }

    /// What a failure says about the connection and the server.
    fn learn_from(&mut self, failure: &Failure) {
        match &failure.cause {
            Cause::Said(error) => {
                if errors::ends_connection(error) || errors::is_stale_statement(error) {
                    self.disconnect();
                }
                if self.mode == Mode::Write && errors::is_read_only(error) {
                    self.shared.gate.refuse_writes(&errors::text(error));
                }
            }
            Cause::Unsent(_) | Cause::Silent(_) => self.disconnect(),
        }
    }

    /// Sends what waits and `last`, and gives its answer. An error is final for the part, or for the transaction.
    pub(super) fn send(&mut self, last: Step<'_>) -> StoreResult<Answer> {
        let mut steps: Vec<Step<'_>> = std::mem::take(&mut self.pending);
        self.pending_bytes = 0;
        steps.push(last);
        let start = std::mem::take(&mut self.part.start);
        if self.part.savepoint == Savepoint::Waiting {
            self.part.savepoint = Savepoint::Sent;
        }
        match self.round_trip(&steps) {
            Ok(mut answers) => {
                self.count_rows(&answers[start..])?;
                answers.pop().ok_or(StoreError::Poisoned)
            }
            Err(failure) => {
                let late = failure.at < start || self.part.savepoint == Savepoint::Unneeded;
                Err(self.fail(failure.error(&steps), late))
            }
        }
    }

    /// Makes the part's savepoint if it has none.
    pub(super) fn need_savepoint(&mut self) {
        if self.part.savepoint == Savepoint::Unneeded {
            self.part.start = self.pending.len();
            self.pending.push(Step::Text("SAVEPOINT job"));
            self.part.savepoint = Savepoint::Waiting;
        }
    }

    /// Remembers the first error of the part; a late one, or one that the server does not forgive, ends everything.
    pub(super) fn fail(&mut self, error: StoreError, late: bool) -> StoreError {
        self.blamed_late |= late;
        let ends_all = matches!(error, StoreError::Conflict | StoreError::Unavailable(_) | StoreError::Unknown(_));
        if late || ends_all {
            self.is_open = false;
        }
        self.part.first_error.get_or_insert_with(|| error.clone());
        error
    }

    fn send_commit(&mut self) -> StoreResult<()> {
        let mut steps: Vec<Step<'_>> = std::mem::take(&mut self.pending);
        self.pending_bytes = 0;
        steps.push(Step::Text("COMMIT"));
        self.is_open = false;
        let failure = match self.round_trip(&steps) {
            Ok(_) => return Ok(()),
            Err(failure) => failure,
        };
        self.blamed_late = true;
        Err(failure.commit_error(&steps))
    }

    fn pause(&self, runs: u32) {
        let bound = (PAUSE_US << runs.min(16)).min(PAUSE_US_MAX);
        threads::pause(&self.runtime, self.shared.entropy.below(bound));
    }
}

impl Failure {
    /// The error of a round trip without COMMIT.
    pub(super) fn error(&self, steps: &[Step<'_>]) -> StoreError {
        match &self.cause {
            Cause::Unsent(error) => error.clone(),
            Cause::Silent(reason) => StoreError::Unavailable(reason.clone()),
            Cause::Said(error) => errors::of_statement(steps[self.at].name(), error),
        }
    }

    /// The error of a round trip that ends with COMMIT. If the server itself refused a step before it, COMMIT undid.
    fn commit_error(&self, steps: &[Step<'_>]) -> StoreError {
        match &self.cause {
            Cause::Unsent(error) => error.clone(),
            Cause::Silent(reason) => StoreError::Unknown(reason.clone()),
            Cause::Said(error) if self.at + 1 == steps.len() || error.as_db_error().is_none() => {
                errors::of_commit(error)
            }
            Cause::Said(error) => errors::of_statement(steps[self.at].name(), error),
        }
    }
}

fn first_failure(answers: Vec<Result<Answer, tokio_postgres::Error>>) -> Result<Vec<Answer>, Failure> {
    let one =
        |(at, answer): (usize, Result<Answer, _>)| answer.map_err(|error| Failure { at, cause: Cause::Said(error) });
    answers.into_iter().enumerate().map(one).collect()
}

fn begin_text(mode: Mode, isolation: Isolation) -> &'static str {
    match (mode, isolation) {
        (Mode::Read, _) => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        (Mode::Write, Isolation::Serial) => "BEGIN ISOLATION LEVEL SERIALIZABLE",
        (Mode::Write, Isolation::Claim) => "BEGIN ISOLATION LEVEL READ COMMITTED",
    }
}

impl Connection for Session {
    /// A connection that broke while it was idle is replaced: nothing was done on it yet.
    fn begin(&mut self, isolation: Isolation) -> StoreResult<()> {
        self.start_afresh();
        let was_connected = self.link.is_some();
        self.connect()?;
        match self.try_begin(isolation) {
            Err(_) if was_connected && self.link.is_none() => {
                self.connect()?;
                self.lost_link = false;
                self.try_begin(isolation)
            }
            result => result,
        }
    }

    fn savepoint(&mut self) -> StoreResult<()> {
        if !self.is_open {
            return Err(self.first_error().unwrap_or(StoreError::Poisoned));
        }
        self.part = Part { start: self.pending.len(), savepoint: Savepoint::Unneeded, ..Part::ALONE };
        if self.eager {
            self.need_savepoint();
        }
        Ok(())
    }

    /// A savepoint that was not sent is taken out: nobody will undo this part alone any more.
    fn release(&mut self) -> StoreResult<()> {
        match self.part.savepoint {
            Savepoint::Alone | Savepoint::Unneeded => {}
            Savepoint::Waiting => drop(self.pending.remove(self.part.start)),
            Savepoint::Sent => self.pending.push(Step::Text("RELEASE SAVEPOINT job")),
        }
        Ok(())
    }

    fn undo(&mut self) -> StoreResult<()> {
        match self.part.savepoint {
            Savepoint::Alone | Savepoint::Unneeded => {}
            Savepoint::Waiting => self.pending.truncate(self.part.start),
            Savepoint::Sent => {
                assert_eq!(self.part.start, 0, "what was before the savepoint was sent with it");
                self.clear_pending();
                self.pending.push(Step::Text("ROLLBACK TO SAVEPOINT job"));
                self.pending.push(Step::Text("RELEASE SAVEPOINT job"));
            }
        }
        Ok(())
    }

    fn commit(&mut self) -> StoreResult<()> {
        if self.mode == Mode::Read {
            // What was read was read; only the snapshot is given back.
            let _ = self.send_commit();
            return Ok(());
        }
        let begun_us = self.shared.now_us();
        self.send_commit()?;
        let now_us = self.shared.now_us();
        self.shared.gate.hear(now_us);
        self.shared.counters.committed(now_us.saturating_sub(begun_us));
        Ok(())
    }

    fn rollback(&mut self) {
        self.clear_pending();
        self.is_open = false;
        if self.link.is_some() && self.round_trip(&[Step::Text("ROLLBACK")]).is_err() {
            self.disconnect();
        }
    }

    fn tx(&mut self) -> &mut dyn Tx {
        self
    }

    fn first_error(&self) -> Option<StoreError> {
        self.part.first_error.clone()
    }

    fn is_open(&self) -> bool {
        self.is_open
    }

    fn again(&mut self, error: &StoreError, runs: u32) -> bool {
        match (self.mode, error) {
            (Mode::Write, StoreError::Conflict) => self.try_again(runs),
            (Mode::Write, StoreError::Unknown(_) | StoreError::Unavailable(_)) => false,
            (Mode::Write, _) => self.find_culprit(),
            (Mode::Read, StoreError::Unavailable(_)) => runs == 1 && self.lost_link,
            (Mode::Read, _) => false,
        }
    }
}

impl Session {
    /// Whether a transaction that another one broke runs again. A batch gives up sooner: its jobs do it one by one.
    fn try_again(&mut self, runs: u32) -> bool {
        let runs_max = if self.is_batch() { BATCH_RUNS_MAX } else { RUNS_MAX };
        let again = runs < runs_max;
        if again {
            self.shared.counters.retried();
            self.pause(runs);
            self.eager_next = self.eager;
        }
        again
    }

    fn is_batch(&self) -> bool {
        self.part.savepoint != Savepoint::Alone
    }

    /// Whether another run that sends every write at once would show whose error it was.
    fn find_culprit(&mut self) -> bool {
        self.eager_next = self.is_batch() && self.blamed_late && !self.eager;
        self.eager_next
    }
}
