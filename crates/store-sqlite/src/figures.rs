//! What a store takes up: sizes of its files, and the room beside them.
//!
//! Looked at by the checkpointer's thread, which may wait for a disk that hangs; whoever asks is told what was seen last.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use base::StoreFigures;

/// What was seen last.
#[derive(Clone, Default)]
pub(crate) struct Figures(Arc<Mutex<StoreFigures>>);

impl Figures {
    pub(crate) fn get(&self) -> StoreFigures {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the files of a database.
    pub(crate) fn look(&self, database: &Path) {
        let mut log = database.as_os_str().to_owned();
        log.push("-wal");
        let bytes = |path: &Path| fs::metadata(path).ok().map(|meta| meta.len());
        let seen = StoreFigures {
            data_bytes: bytes(database),
            log_bytes: bytes(Path::new(&log)),
            free_bytes: database.parent().and_then(free_bytes),
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = seen;
    }
}

fn free_bytes(folder: &Path) -> Option<u64> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let room = rustix::fs::statvfs(folder).ok()?;
    Some(room.f_bavail.saturating_mul(room.f_frsize))
}
