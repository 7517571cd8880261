//! What all devices of a world share, and what the judge knows.

use std::collections::{BTreeMap, BTreeSet};

use super::device::content;
use super::edit::Texts;
use super::judge::Living;

/// Numbers of edits without content begin here.
const OTHERS: u64 = 1_000_000;

/// Connections of this world begin here.
const CONNECTIONS: u64 = 1_000_000;

#[derive(Default)]
pub(super) struct Shared {
    pub(super) directory: Option<String>,
    pub(super) connections: u64,
    pub(super) texts: Texts,
    /// Edits that became copies.
    pub(super) copied: BTreeSet<u64>,
    pub(super) calm: bool,
    pub(super) answers: u64,
    /// What there is, as it was looked at last.
    pub(super) living: BTreeMap<String, Living>,
    pub(super) open: Vec<String>,
    others: u64,
    error: Option<String>,
}

impl Shared {
    pub(super) fn new() -> Self {
        Self { connections: CONNECTIONS, ..Self::default() }
    }

    pub(super) fn bytes_of(&self, number: u64) -> Vec<u8> {
        content(number, self.texts.get(number).map_or(0, |text| text.over))
    }

    pub(super) fn other_number(&mut self) -> u64 {
        self.others += 1;
        OTHERS + self.others
    }

    /// Something that must not be.
    pub(super) fn wrong(&mut self, text: &str) {
        self.error.get_or_insert_with(|| text.to_owned());
    }

    pub(super) fn check(&self) -> Result<(), String> {
        self.error.clone().map_or(Ok(()), Err)
    }
}
