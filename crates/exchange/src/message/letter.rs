//! A message as it came, with what was read of it (EXC-3).
//!
//! It is read and hashed when it is made, which is before any transaction: a store has one writer, whose time all share.

use base::{OpError, OpResult};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::form::{Form, MESSAGE_BYTES};

/// A message that can be taken, as far as its text alone tells. Text, form and digest never differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Letter {
    text: String,
    form: Form,
    digest: [u8; 32],
}

/// What a text is known by.
pub(crate) fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

impl Letter {
    /// Reads a text of the size that a message may have where nobody sets another limit.
    ///
    /// # Errors
    /// As [`Form::read`].
    pub fn read(text: String) -> OpResult<Self> {
        Self::read_within(text, MESSAGE_BYTES)
    }

    /// Reads a text of at most so many bytes.
    ///
    /// # Errors
    /// As [`Form::read`].
    pub fn read_within(text: String, bytes_max: usize) -> OpResult<Self> {
        let form = Form::read(&text, bytes_max)?;
        Ok(Self { digest: digest(&text), form, text })
    }

    /// As it came.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What was read of it.
    #[must_use]
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// What it is known by.
    #[must_use]
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }
}

impl TryFrom<String> for Letter {
    type Error = OpError;

    fn try_from(text: String) -> OpResult<Self> {
        Self::read(text)
    }
}

impl From<Letter> for String {
    fn from(letter: Letter) -> Self {
        letter.text
    }
}
