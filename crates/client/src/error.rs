//! What goes wrong, split by what the caller does next.

use std::fmt;

use serde::Deserialize;

use crate::replica::ReplicaError;

/// A refusal, fault or bug that the server told (KER-9).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ApiError {
    /// Letter and short name. The letter says what to do next: A and N change the request, C and X try again, D update the
    /// client, S get another key, T ask for less, O wait for the namespace, B tell its makers.
    pub code: String,
    /// Number of the letter's class.
    pub major: u8,
    /// Where in its cycle the operation was: 0 before it began, 1 work, 2 validation; from 3 on it is committed.
    pub phase: u8,
    /// For a person.
    pub message: String,
    /// Further facts.
    #[serde(default)]
    pub detail: Vec<String>,
    /// The version under which the operation was committed all the same.
    #[serde(default)]
    pub version: Option<i64>,
    /// `unknown`: the work may have been done, as the server says, or because an earlier try of the same call broke.
    #[serde(default)]
    pub outcome: Option<String>,
    /// HTTP status.
    #[serde(skip)]
    pub status: u16,
    /// Seconds after which another try is worth it, if the server said so.
    #[serde(skip)]
    pub retry_after_s: Option<u64>,
}

impl ApiError {
    /// The letter of the code.
    #[must_use]
    pub fn letter(&self) -> char {
        self.code.chars().next().unwrap_or(' ')
    }

    /// Whether the server itself does not know if the work was done.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.outcome.as_deref() == Some("unknown")
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        self.detail.iter().try_for_each(|fact| write!(f, "; {fact}"))
    }
}

impl std::error::Error for ApiError {}

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server refused, or failed after all tries.
    #[error(transparent)]
    Api(Box<ApiError>),
    /// No answer came through, after all tries. What was asked may have been done: the same key tells.
    #[error("no answer after {attempts} tries: {reason}")]
    Unreachable {
        /// How often it was tried.
        attempts: u32,
        /// Of the last try.
        reason: String,
        /// The Idempotency-Key of all tries, if the call was a change.
        key: Option<String>,
        /// Whether one of the tries may have arrived. If none did, nothing was done.
        sent: bool,
    },
    /// The answer is not one of this API's: something else answered, or a version that is not known here.
    #[error("the answer (status {status}) cannot be read: {reason}")]
    Unreadable {
        /// HTTP status.
        status: u16,
        /// What is wrong with it.
        reason: String,
    },
    /// The call cannot be made like this.
    #[error("the call cannot be made: {0}")]
    Invalid(String),
    /// The answer came and could not be taken in.
    #[error(transparent)]
    Replica(#[from] ReplicaError),
}
