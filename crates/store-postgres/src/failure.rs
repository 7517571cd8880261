//! The first step of a round trip that failed, and what that means for whoever waits.

use base::StoreError;
use tokio_postgres::Error;

use crate::errors;
use crate::pipeline::{Answer, Answers, Step};

/// A step that failed, the first of its round trip.
pub(crate) struct Failure {
    /// Which step.
    pub(crate) at: usize,
    cause: Cause,
}

enum Cause {
    /// Nothing was sent.
    Unsent(StoreError),
    /// No answer came.
    Silent(String),
    /// The server or the driver said so.
    Said(Error),
}

impl Failure {
    pub(crate) fn unsent(at: usize, error: StoreError) -> Self {
        Self { at, cause: Cause::Unsent(error) }
    }

    pub(crate) fn silent(reason: String) -> Self {
        Self { at: 0, cause: Cause::Silent(reason) }
    }

    /// The answers, if all are good.
    pub(crate) fn first_of(answers: Answers) -> Result<Vec<Answer>, Self> {
        let said = |at, error| Self { at, cause: Cause::Said(error) };
        answers.into_iter().enumerate().map(|(at, answer)| answer.map_err(|error| said(at, error))).collect()
    }

    /// Whether the connection cannot be used any more, or must not: its prepared statements no longer fit.
    pub(crate) fn ends_connection(&self) -> bool {
        match &self.cause {
            Cause::Unsent(_) | Cause::Silent(_) => true,
            Cause::Said(error) => errors::ends_connection(error) || errors::is_stale_statement(error),
        }
    }

    /// Why the server refuses to write at all, if it does.
    pub(crate) fn read_only(&self) -> Option<String> {
        match &self.cause {
            Cause::Said(error) => errors::is_read_only(error).then(|| errors::text(error)),
            Cause::Unsent(_) | Cause::Silent(_) => None,
        }
    }

    /// The error of a round trip without COMMIT.
    pub(crate) fn error(&self, steps: &[Step<'_>]) -> StoreError {
        match &self.cause {
            Cause::Unsent(error) => error.clone(),
            Cause::Silent(reason) => StoreError::Unavailable(reason.clone()),
            Cause::Said(error) => errors::of_statement(steps[self.at].name(), error),
        }
    }

    /// The error of a round trip that ends with COMMIT. If the server itself refused a step before it, COMMIT undid.
    pub(crate) fn commit_error(&self, steps: &[Step<'_>]) -> StoreError {
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
