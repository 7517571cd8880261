//! What an operator may set, for all namespaces together (`home.common::<Rules>()`).

use std::sync::{PoisonError, RwLock};

use base::{Heard, OpError, OpResult, codes};

use crate::codes::AEXCHANGE;
use crate::folders;
use crate::message::form::MESSAGE_BYTES;

/// Where the texts of messages are (EXC-5, EXC-8).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Bodies {
    /// In the store alone: several nodes see the same.
    #[default]
    Store,
    /// As files in folders, one of each message, which follow what the store says.
    Folders,
    /// In blobs, as soon as messages are done (`packs`): several nodes see the same.
    Blobs,
}

/// The limits and times of the handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Messages of one process.
    pub files_max: usize,
    /// Bytes of the messages of one process.
    pub bytes_max: i64,
    /// How long a process may take to prepare.
    pub started_ms: i64,
    /// How long a process may take to commit.
    pub ready_ms: i64,
    /// How long what is done is kept.
    pub kept_ms: i64,
    /// Bytes of one message.
    pub message_bytes: usize,
    /// Where the texts of messages are.
    pub bodies: Bodies,
    /// Bytes of the path of the folder of all namespaces, where there are folders.
    pub root_bytes: usize,
    /// How long what is done waits for others that go into its pack, where bodies are in blobs.
    pub gather_ms: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            files_max: 10,
            bytes_max: 20 << 20,
            started_ms: 600_000,
            ready_ms: 300_000,
            kept_ms: 92 * 86_400_000,
            message_bytes: MESSAGE_BYTES,
            bodies: Bodies::Store,
            root_bytes: 0,
            gather_ms: 10_000,
        }
    }
}

impl Settings {
    /// The smaller of these limits and a request's: how many messages, and how many bytes of them.
    ///
    /// # Errors
    /// `ALIMIT`: none at all are wanted.
    pub fn within(&self, max_files: Option<u32>, max_mb: Option<f64>) -> OpResult<(usize, i64)> {
        if max_files == Some(0) || max_mb.is_some_and(|mb| mb.is_nan() || mb <= 0.0) {
            return Err(OpError::new(codes::ALIMIT, "max_files and max_mb are more than 0"));
        }
        let files = max_files.map_or(usize::MAX, |files| files as usize).min(self.files_max);
        #[expect(clippy::cast_possible_truncation, reason = "a bound; what is larger is cut to the largest number")]
        let bytes = max_mb.map_or(i64::MAX, |mb| (mb * 1_048_576.0) as i64).min(self.bytes_max);
        Ok((files, bytes))
    }
}

/// The rules.
#[derive(Debug, Default)]
pub struct Rules(RwLock<Settings>);

impl Rules {
    /// Sets them.
    pub fn set(&self, settings: Settings) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = settings;
    }

    /// As they are.
    #[must_use]
    pub fn get(&self) -> Settings {
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses a database whose files would have too long paths (EXC-4).
    pub(crate) fn check_path(&self, namespace: &str, db: &str) -> OpResult<()> {
        let Settings { bodies, root_bytes, .. } = self.get();
        if bodies != Bodies::Folders || folders::fits(root_bytes + 1 + namespace.len(), db) {
            return Ok(());
        }
        Err(OpError::new(
            AEXCHANGE,
            format!("the paths of files of database `{db}` would be too long: move the folder up"),
        ))
    }

    /// From when on the clerk of the folders shall look at what changes its place now; nobody does where there are no folders.
    pub(crate) fn due(&self, now: Heard) -> Option<Heard> {
        (self.get().bodies == Bodies::Folders).then_some(now)
    }

    /// From when on somebody shall look at what comes to rest now: the clerk of the folders at once, the packer after a while, so that
    /// others join it.
    pub(crate) fn due_at_rest(&self, now: Heard) -> Option<Heard> {
        let Settings { bodies, gather_ms, .. } = self.get();
        match bodies {
            Bodies::Store => None,
            Bodies::Folders => Some(now),
            Bodies::Blobs => Some(now.plus_ms(gather_ms)),
        }
    }
}
