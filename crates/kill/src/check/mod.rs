//! The judge: what clients were told, against what is there.
//!
//! - nothing acknowledged is lost: its entry is there with the id, amount, memo and version that were told;
//! - nothing is done twice: effects are 1 if acknowledged, 0 or 1 if unknown, 0 if refused, and nobody else's;
//! - operations are serial: an account's versions rise strictly, in the order in which its client asked, and every
//!   balance that was told is the sum of the entries up to it;
//! - both sides of a transfer, its journal line and the row of its key are there, or none of them;
//! - the raw store is sound: SQLite's own check, and every invariant of every service.

mod books;
mod judge;
mod postgres_books;
mod store;

use std::fmt;

pub use books::{Backstage, Books, Entry};
pub use judge::judge;
pub use store::{check_invariants, check_left};

/// A promise was broken by the server: what this harness looks for. Any other error is a failure of the harness.
#[derive(Debug)]
pub struct Violation(String);

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VIOLATION: {}", self.0)
    }
}

impl std::error::Error for Violation {}

/// A broken promise as an error.
pub fn violation(text: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Violation(text.into()))
}
