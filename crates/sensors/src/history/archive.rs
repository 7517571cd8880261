//! The seam to a store of history beside the namespace's own.

use std::sync::{Arc, PoisonError, RwLock};

use super::question::{Question, Tries};
use super::row::{HistoryRow, TryRow};
use crate::id::SensorId;

/// Rows that are written together, always the same under one name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// Its name: the same for every try to write it.
    pub name: String,
    /// Accepted data.
    pub history: Vec<HistoryRow>,
    /// Tries to tell.
    pub tries: Vec<TryRow>,
}

/// Why an archive did not do what it was asked, for the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ArchiveError(pub String);

/// What an archive answers, told once from any thread.
pub type Archived<T> = Box<dyn FnOnce(Result<T, ArchiveError>) + Send>;

/// A store of history that takes batches and answers questions. A namespace is named by its place, which no later life of the
/// namespace has.
pub trait Archive: Send + Sync {
    /// Writes a batch. Told `Ok`, it is written; told an error, it may be, and the same batch comes again. Whoever reads sees each
    /// row once, however often it was written.
    fn write(&self, place: &str, batch: Batch, done: Archived<()>);

    /// The rows that are asked for, newest first. `sensors` are those that the question means; none: all.
    fn history(&self, place: &str, question: &Question, sensors: &[SensorId], done: Archived<Vec<HistoryRow>>);

    /// Tries of a client's events.
    fn tries(&self, place: &str, tries: &Tries, done: Archived<Vec<TryRow>>);
}

/// The archive of this server, if it has one (`home.common::<Archives>()`).
#[derive(Default)]
pub struct Archives(RwLock<Option<Arc<dyn Archive>>>);

impl Archives {
    /// From now on history moves there.
    pub fn set(&self, archive: Arc<dyn Archive>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(archive);
    }

    /// The archive.
    #[must_use]
    pub fn get(&self) -> Option<Arc<dyn Archive>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
