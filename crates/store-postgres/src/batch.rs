//! A transaction of one or several jobs as `base::run_batch` sees it: parts, and what is still to be sent.
//!
//! Writes, savepoints and releases are not sent when they are made but with the next read or with COMMIT, so that a job
//! costs about as many round trips as it has reads, plus BEGIN and COMMIT. Invariants:
//! - The first error of a part is final; nothing is sent for that part any more.
//! - Most parts never need their savepoint: one is made at the first write, and taken out again if the part ends before
//!   it was sent.
//! - A ROLLBACK TO is always the first of its round trip: no failed step can stand before it and be forgiven by it.
//! - An error without a savepoint to go back to loses the whole transaction. It runs again, and the part whose step it
//!   was is *doomed*: its first call gives that error, and the others are done.
//! - After a COMMIT was sent and not answered the outcome is unknown and nothing here runs it again.

use std::collections::BTreeMap;

use base::{Connection, Isolation, Job, StoreError, StoreResult, Tx};

use crate::pipeline::{Answer, Step};
use crate::session::{Mode, Session};

/// Runs of a transaction that others keep breaking, before the job hears of it.
const RUNS_MAX: u32 = 10;
/// The same for several jobs in one transaction: the larger it is, the easier it breaks.
const BATCH_RUNS_MAX: u32 = 3;
/// Runs of a batch to find those whose errors lose it, before its jobs run one by one.
const DOOM_RUNS_MAX: u32 = 5;

const SAVEPOINT: Step<'static> = Step::Text("SAVEPOINT job");
const RELEASE: Step<'static> = Step::Text("RELEASE SAVEPOINT job");
const ROLLBACK_TO: Step<'static> = Step::Text("ROLLBACK TO SAVEPOINT job");

/// Whether a part can be undone apart from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Savepoint {
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
struct Part {
    /// Counted from 1 in a batch; 0 is a job alone.
    number: u32,
    first_error: Option<StoreError>,
    /// Rows read and written, for the budget.
    rows: usize,
    /// When its job must be over.
    deadline_us: u64,
    /// Where its steps begin among those that wait to be sent.
    start: usize,
    savepoint: Savepoint,
}

/// The open transaction: the current part, and what all parts have still to send.
pub(crate) struct Parts {
    part: Part,
    /// Made and not sent yet, with the parts they belong to.
    pending: Vec<Step<'static>>,
    owners: Vec<u32>,
    pending_bytes: usize,
    /// The transaction can go on.
    is_open: bool,
    /// Parts that have lost this batch before, with their errors.
    doomed: BTreeMap<u32, StoreError>,
    /// The next run is of the same batch.
    is_rerun: bool,
    /// This run doomed somebody.
    has_doomed: bool,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            part: Part::new(0, 0, Savepoint::Alone),
            pending: Vec::new(),
            owners: Vec::new(),
            pending_bytes: 0,
            is_open: false,
            doomed: BTreeMap::new(),
            is_rerun: false,
            has_doomed: false,
        }
    }
}

impl Part {
    fn new(number: u32, start: usize, savepoint: Savepoint) -> Self {
        Self { number, first_error: None, rows: 0, deadline_us: u64::MAX, start, savepoint }
    }
}

impl Parts {
    fn start_afresh(&mut self) {
        let doomed = std::mem::take(&mut self.doomed);
        let doomed = if self.is_rerun { doomed } else { BTreeMap::new() };
        *self = Self { doomed, ..Self::default() };
    }

    pub(crate) fn open(&mut self) {
        self.is_open = true;
    }

    pub(crate) fn close(&mut self) {
        self.is_open = false;
    }

    /// Whether the current part may go on; a doomed one hears its error now.
    pub(crate) fn go_on(&mut self) -> StoreResult<()> {
        if self.part.first_error.is_some() || !self.is_open {
            return Err(StoreError::Poisoned);
        }
        match self.doomed.get(&self.part.number).cloned() {
            Some(error) => Err(self.fail(error)),
            None => Ok(()),
        }
    }

    /// Whether the time of the current part's job is over.
    pub(crate) fn is_late(&self, now_us: u64) -> bool {
        self.part.deadline_us < now_us
    }

    /// Remembers the first error of the part.
    pub(crate) fn fail(&mut self, error: StoreError) -> StoreError {
        self.part.first_error.get_or_insert_with(|| error.clone());
        error
    }

    /// An error of `owner`: the transaction is lost if it cannot be undone apart, or if the error is not its own doing.
    fn fail_of(&mut self, owner: u32, error: StoreError) -> StoreError {
        let is_apart = owner == self.part.number && self.part.savepoint == Savepoint::Sent;
        if !is_apart || !is_own_doing(&error) {
            self.is_open = false;
            self.doom(owner, &error);
        }
        self.fail(error)
    }

    fn doom(&mut self, owner: u32, error: &StoreError) {
        if is_own_doing(error) {
            self.has_doomed = true;
            self.doomed.insert(owner, error.clone());
        }
    }

    /// Makes the part's savepoint if it has none.
    pub(crate) fn need_savepoint(&mut self) {
        if self.part.savepoint == Savepoint::Unneeded {
            self.part.start = self.pending.len();
            self.push(SAVEPOINT, 0);
            self.part.savepoint = Savepoint::Waiting;
        }
    }

    pub(crate) fn push(&mut self, step: Step<'static>, bytes: usize) {
        self.pending.push(step);
        self.owners.push(self.part.number);
        self.pending_bytes += bytes;
    }

    /// How many steps wait, how many of them are writes of the part, and how many bytes.
    pub(crate) fn waiting(&self) -> (usize, usize, usize) {
        let savepoints = usize::from(self.part.savepoint == Savepoint::Waiting);
        (self.pending.len(), self.pending.len() - self.part.start - savepoints, self.pending_bytes)
    }

    /// What waits and whose it is; it counts as sent.
    fn take_pending(&mut self) -> (Vec<Step<'static>>, Vec<u32>) {
        self.part.start = 0;
        self.pending_bytes = 0;
        if self.part.savepoint == Savepoint::Waiting {
            self.part.savepoint = Savepoint::Sent;
        }
        (std::mem::take(&mut self.pending), std::mem::take(&mut self.owners))
    }

    /// Forgets what waits from `start` on.
    fn forget(&mut self, start: usize) {
        self.pending.truncate(start);
        self.owners.truncate(start);
    }

    fn release(&mut self) {
        match self.part.savepoint {
            Savepoint::Alone | Savepoint::Unneeded => {}
            // It was not sent, and nobody will undo this part alone any more.
            Savepoint::Waiting => {
                self.pending.remove(self.part.start);
                self.owners.remove(self.part.start);
            }
            Savepoint::Sent => self.push(RELEASE, 0),
        }
    }

    fn undo(&mut self) {
        match self.part.savepoint {
            Savepoint::Alone | Savepoint::Unneeded => {}
            Savepoint::Waiting => self.forget(self.part.start),
            Savepoint::Sent => {
                assert_eq!(self.part.start, 0, "what was before the savepoint was sent with it");
                self.forget(0);
                self.push(ROLLBACK_TO, 0);
                self.push(RELEASE, 0);
            }
        }
    }

    /// Rows of the current part so far, these included.
    pub(crate) fn add_rows(&mut self, rows: usize) -> usize {
        self.part.rows = self.part.rows.saturating_add(rows);
        self.part.rows
    }

    fn is_batch(&self) -> bool {
        self.part.number > 0
    }
}

/// Whether the job that met the error would meet it again; others come between, and servers go, by chance.
fn is_own_doing(error: &StoreError) -> bool {
    !matches!(error, StoreError::Conflict | StoreError::Unavailable(_) | StoreError::Unknown(_))
}

impl Session {
    /// Sends what waits and `last`, and gives its answer. An error is final for the part, or for the transaction.
    pub(crate) fn send(&mut self, last: Step<'_>) -> StoreResult<Answer> {
        self.send_all(vec![last])?.pop().ok_or(StoreError::Poisoned)
    }

    /// Sends what waits and all of `last` in one round trip, and gives their answers.
    pub(crate) fn send_all(&mut self, last: Vec<Step<'_>>) -> StoreResult<Vec<Answer>> {
        let (steps, mut owners) = self.parts.take_pending();
        let mut steps: Vec<Step<'_>> = steps;
        let first = steps.len();
        owners.extend(last.iter().map(|_| self.parts.part.number));
        steps.extend(last);
        match self.round_trip(&steps) {
            Ok(mut answers) => {
                let own = owners.iter().position(|owner| *owner == self.parts.part.number).unwrap_or(0);
                self.count_rows(&answers[own..])?;
                Ok(answers.split_off(first))
            }
            Err(failure) => Err(self.parts.fail_of(owners[failure.at], failure.error(&steps))),
        }
    }

    fn send_commit(&mut self) -> StoreResult<()> {
        let (steps, owners) = self.parts.take_pending();
        let mut steps: Vec<Step<'_>> = steps;
        steps.push(Step::Text("COMMIT"));
        self.parts.close();
        let Err(failure) = self.round_trip(&steps) else { return Ok(()) };
        let error = failure.commit_error(&steps);
        if let Some(owner) = owners.get(failure.at) {
            self.parts.doom(*owner, &error);
        }
        Err(error)
    }

    /// Whether a transaction that another one broke runs again. A batch gives up sooner: its jobs do it one by one.
    fn try_again(&mut self, runs: u32) -> bool {
        self.met_another = true;
        let again = runs < if self.parts.is_batch() { BATCH_RUNS_MAX } else { RUNS_MAX };
        if again {
            self.shared.counters.retried();
            self.pause(runs);
        }
        again
    }
}

impl Connection for Session {
    /// A connection that broke while it was idle is replaced: nothing was done on it yet.
    fn begin(&mut self, isolation: Isolation) -> StoreResult<()> {
        self.parts.start_afresh();
        let was_connected = self.link.is_some();
        self.connect()?;
        match self.try_begin(isolation) {
            Err(_) if was_connected => {
                self.connect()?;
                self.try_begin(isolation)
            }
            result => result,
        }
    }

    fn savepoint(&mut self) -> StoreResult<()> {
        let parts = &mut self.parts;
        if !parts.is_open {
            return Err(parts.part.first_error.clone().unwrap_or(StoreError::Poisoned));
        }
        parts.part = Part::new(parts.part.number + 1, parts.pending.len(), Savepoint::Unneeded);
        if parts.part.number == 1 {
            // A batch that is lost before it has a second job is not run again as one: nobody would be doomed, and a
            // statement that takes too long would do so twice.
            parts.need_savepoint();
        }
        Ok(())
    }

    fn release(&mut self) -> StoreResult<()> {
        self.parts.release();
        Ok(())
    }

    fn undo(&mut self) -> StoreResult<()> {
        self.parts.undo();
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
        self.parts.forget(0);
        self.parts.close();
        if self.link.is_some() && self.round_trip(&[Step::Text("ROLLBACK")]).is_err() {
            self.disconnect();
        }
    }

    fn serve(&mut self, job: &dyn Job) {
        self.parts.part.deadline_us = job.deadline_us();
    }

    fn tx(&mut self) -> &mut dyn Tx {
        self
    }

    fn first_error(&self) -> Option<StoreError> {
        self.parts.part.first_error.clone()
    }

    fn is_open(&self) -> bool {
        self.parts.is_open
    }

    fn is_late(&self, job: &dyn Job) -> bool {
        job.deadline_us() < self.shared.now_us()
    }

    fn again(&mut self, error: &StoreError, runs: u32) -> bool {
        let again = match (self.mode, error) {
            (Mode::Write, StoreError::Conflict) => self.try_again(runs),
            (Mode::Write, StoreError::Unknown(_) | StoreError::Unavailable(_)) => false,
            (Mode::Write, _) => self.parts.is_batch() && self.parts.has_doomed && runs < DOOM_RUNS_MAX,
            (Mode::Read, StoreError::Unavailable(_) | StoreError::Conflict) => runs == 1 && self.lost_link,
            (Mode::Read, _) => false,
        };
        self.parts.is_rerun = again;
        again
    }
}
