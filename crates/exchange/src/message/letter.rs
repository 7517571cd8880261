//! A message as it came, with what was read of it (EXC-3).
//!
//! It is read and hashed when it is made, which is before any transaction: a store has one writer, whose time all share.

use base::{OpError, OpResult, codes};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::form::Form;

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
    /// Reads a text.
    ///
    /// # Errors
    /// As [`Form::read`].
    pub fn read(text: String) -> OpResult<Self> {
        let form = Form::read(&text)?;
        Ok(Self { digest: digest(&text), form, text })
    }

    /// Refuses one that is too large.
    ///
    /// # Errors
    /// `ALIMIT`.
    pub fn within(&self, bytes_max: usize) -> OpResult<()> {
        let bytes = self.text.len();
        if bytes <= bytes_max {
            return Ok(());
        }
        Err(OpError::before_start(codes::ALIMIT, format!("a message of {bytes} bytes, at most {bytes_max}")))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exc_3_a_message_that_is_too_large_is_refused() {
        let head =
            r#"{"company":"acme","subsystem":"sales","from":"phone","to":"erp","created_at":"2026-11-16T12:00:00Z"}"#;
        let text = format!(r#"{{"version":1,"id":"m","head":{head},"body":{{"type":"t","version":1,"payload":0}}}}"#);
        let (bytes, letter) = (text.len(), Letter::read(text).unwrap());
        assert_eq!(letter.within(bytes), Ok(()));
        assert_eq!(letter.within(bytes - 1).unwrap_err().code, codes::ALIMIT);
    }
}
