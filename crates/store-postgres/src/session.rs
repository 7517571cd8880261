//! One worker's connection: opening and replacing it, and round trips on it.
//!
//! What a session keeps of the open transaction (its parts and what is still to be sent) is used by `batch` and `tx`. Invariant: after a failure that leaves the connection in doubt it is dropped, never used again.

use std::sync::Arc;

use base::{Heard, Isolation, StoreError, StoreResult};
use tokio::runtime::Runtime;

use crate::batch::Parts;
use crate::errors;
use crate::failure::Failure;
use crate::link::{Broken, HEARD, Link};
use crate::pipeline::{Answer, Call, Step};
use crate::shared::Shared;
use crate::threads;

/// The first pause between two runs is a random part of twice this; it doubles with each run.
const PAUSE_US: u64 = 1_000;
/// The longest pause. All of them together outlast a slow COMMIT of the other.
const PAUSE_US_MAX: u64 = 256_000;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Serial transactions.
    Write,
    /// Snapshots that cannot write.
    Read,
}

/// A connection with its open transaction, if any.
pub(crate) struct Session {
    pub(crate) shared: Arc<Shared>,
    pub(crate) mode: Mode,
    pub(crate) link: Option<Link>,
    runtime: Runtime,
    pub(crate) heard: Heard,
    /// The open transaction.
    pub(crate) parts: Parts,
    /// The connection broke in this run.
    pub(crate) lost_link: bool,
    /// Another transaction came between since this was last asked.
    pub(crate) met_another: bool,
}

impl Session {
    pub(crate) fn new(shared: Arc<Shared>, mode: Mode) -> StoreResult<Self> {
        Ok(Self {
            shared,
            mode,
            link: None,
            runtime: threads::runtime()?,
            heard: Heard(0),
            parts: Parts::default(),
            lost_link: false,
            met_another: false,
        })
    }

    /// Whether another transaction came between since the last time this was asked.
    pub(crate) fn take_met_another(&mut self) -> bool {
        std::mem::take(&mut self.met_another)
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
        self.parts.close();
    }

    /// Says good-bye to the server.
    pub(crate) fn leave(mut self) {
        if let Some(link) = self.link.take() {
            link.leave(&self.runtime);
        }
    }

    /// Begins a transaction. One that did not begin well is not left half open: its connection is dropped.
    pub(crate) fn try_begin(&mut self, isolation: Isolation) -> StoreResult<()> {
        match self.send_begin(isolation) {
            Ok(heard) => {
                (self.heard, self.lost_link) = (heard, false);
                self.parts.open();
                Ok(())
            }
            Err(error) => {
                self.disconnect();
                Err(error)
            }
        }
    }

    fn send_begin(&mut self, isolation: Isolation) -> StoreResult<Heard> {
        let known = self.link.as_ref().map_or(Ok(None), |link| link.known(&HEARD))?;
        let Some(statement) = known else { return Err(no_connection()) };
        let clock = Call { sql: &HEARD, statement, params: Vec::new() };
        let steps = [Step::Text(begin_text(self.mode, isolation)), Step::Rows(clock, 1)];
        match self.round_trip(&steps).map_err(|failure| failure.error(&steps))?.pop() {
            Some(Answer::Rows(rows)) if rows.len() == 1 => Ok(Heard(rows[0].int(0) + self.shared.heard_shift_ms())),
            _ => unreachable!("the clock gives one row"),
        }
    }

    /// Sends the steps and hears the answers, up to the first that failed.
    pub(crate) fn round_trip(&mut self, steps: &[Step<'_>]) -> Result<Vec<Answer>, Failure> {
        let Some(link) = &self.link else { return Err(Failure::unsent(0, no_connection())) };
        let answers = match link.talk(&self.runtime, steps) {
            Ok(answers) => Failure::first_of(answers),
            Err(Broken::Silent(reason)) => Err(Failure::silent(reason)),
            Err(Broken::Unsent(unsent)) => {
                let error = errors::of_statement(steps[unsent.at].name(), &unsent.error);
                Err(Failure::unsent(unsent.at, error))
            }
        };
        answers.inspect_err(|failure| self.learn_from(failure))
    }

    /// What a failure says about the connection and the server.
    fn learn_from(&mut self, failure: &Failure) {
        if failure.ends_connection() {
            self.disconnect();
        }
        if let (Mode::Write, Some(reason)) = (self.mode, failure.read_only()) {
            self.shared.gate.refuse_writes(&reason);
        }
    }

    /// Lets a random time pass, longer with each run.
    pub(crate) fn pause(&self, runs: u32) {
        let bound = (PAUSE_US << runs.min(16)).min(PAUSE_US_MAX);
        threads::pause(&self.runtime, self.shared.entropy.below(bound));
    }
}

fn no_connection() -> StoreError {
    StoreError::Unavailable("no connection".into())
}

fn begin_text(mode: Mode, isolation: Isolation) -> &'static str {
    match (mode, isolation) {
        (Mode::Read, _) => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        (Mode::Write, Isolation::Serial) => "BEGIN ISOLATION LEVEL SERIALIZABLE",
        (Mode::Write, Isolation::Claim) => "BEGIN ISOLATION LEVEL READ COMMITTED",
    }
}
