//! What a device changes, and what became of it.

use std::collections::BTreeMap;

use base::Sha;
use sha2::{Digest, Sha256};

/// What kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    New,
    Write,
    Rename,
    Delete,
}

/// A change that a device made and wants everybody to have.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) number: u64,
    pub(super) what: What,
    pub(super) id: Option<String>,
    pub(super) path: String,
    /// The version that it was made from.
    pub(super) base: u64,
    pub(super) try_us: u64,
    /// It was refused: first what is there, then a copy.
    pub(super) is_denied: bool,
}

impl Edit {
    pub(super) fn brings(&self) -> bool {
        matches!(self.what, What::New | What::Write)
    }
}

/// What is known of a content that somebody wrote.
#[derive(Debug, Clone)]
pub(super) struct Text {
    /// The edit whose content was seen when this was written; 0: none.
    pub(super) over: u64,
    /// Who wrote it says who it is. Others are their connection: a new file of theirs whose answer was lost, and that somebody moved since, is
    /// known to nobody, and is made once more.
    pub(super) is_named: bool,
    /// The file, once the server said that it has it.
    pub(super) acknowledged: Option<String>,
}

/// All contents that were ever written, by the edit that wrote them.
#[derive(Default)]
pub(super) struct Texts {
    all: BTreeMap<u64, Text>,
    by_hash: BTreeMap<String, u64>,
}

/// The bytes of an edit: nobody else writes the same.
pub(super) fn bytes(number: u64, over: u64) -> Vec<u8> {
    let mut bytes = format!("edit {number} over {over};").into_bytes();
    bytes.extend(std::iter::repeat_n(b'.', usize::try_from(number % 40).unwrap_or(0)));
    bytes
}

pub(super) fn hash(bytes: &[u8]) -> String {
    Sha(Sha256::digest(bytes).into()).to_string()
}

impl Texts {
    /// A new content over another.
    pub(super) fn write(&mut self, over: u64, is_named: bool) -> (u64, Vec<u8>) {
        let number = self.all.len() as u64 + 1;
        let bytes = bytes(number, over);
        self.by_hash.insert(hash(&bytes), number);
        self.all.insert(number, Text { over, is_named, acknowledged: None });
        (number, bytes)
    }

    /// Whose content this is.
    pub(super) fn of_hash(&self, hash: &str) -> Option<u64> {
        self.by_hash.get(hash).copied()
    }

    pub(super) fn get(&self, number: u64) -> Option<&Text> {
        self.all.get(&number)
    }

    pub(super) fn acknowledge(&mut self, number: u64, file: &str) {
        if let Some(text) = self.all.get_mut(&number) {
            text.acknowledged = Some(file.to_owned());
        }
    }

    pub(super) fn acknowledged(&self) -> impl Iterator<Item = (u64, &str)> {
        self.all.iter().filter_map(|(number, text)| Some((*number, text.acknowledged.as_deref()?)))
    }
}
