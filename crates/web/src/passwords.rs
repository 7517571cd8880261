//! Hashing of passwords, off the threads that answer requests, a few at a time.
//!
//! A hash takes 19 MiB and some tens of milliseconds: without a bound, a flood of logins would take all memory and all cores from
//! those who are logged in already.

use std::sync::Arc;

use base::codes;
use kernel::accounts::password;
use tokio::sync::Semaphore;

use crate::error::{ApiError, BUSY};

/// Hashes computed at once: below 80 MiB together.
const AT_ONCE: usize = 4;
/// Those that may wait; more are answered `XBUSY`.
const WAITING_MAX: usize = 64;

/// The places for hashing.
pub(crate) struct Passwords {
    places: Arc<Semaphore>,
    waiting: Semaphore,
}

impl Passwords {
    pub(crate) fn new() -> Self {
        Self { places: Arc::new(Semaphore::new(AT_ONCE)), waiting: Semaphore::new(WAITING_MAX) }
    }

    /// The hash to store.
    pub(crate) async fn hash(&self, password: String, salt: [u8; 16]) -> Result<String, ApiError> {
        self.compute(move || password::hash(&password, &salt)).await
    }

    /// The hash that a password fits. Where there is none to fit it takes as long.
    pub(crate) async fn fitting(&self, password: String, hash: Option<String>) -> Result<Option<String>, ApiError> {
        let work = move || {
            let (hash, exists) = hash.map_or_else(|| (password::nobodys_hash(), false), |hash| (hash, true));
            (password::matches(&password, &hash) && exists).then_some(hash)
        };
        self.compute(work).await
    }

    async fn compute<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
        let busy = || ApiError::refused(codes::XBUSY, BUSY);
        let waiting = self.waiting.try_acquire().map_err(|_| busy())?;
        let place = self.places.clone().acquire_owned().await.map_err(|_| busy())?;
        drop(waiting);
        let kept_place = move || {
            let done = work();
            // Kept until here: a client that goes away does not take back the memory.
            drop(place);
            done
        };
        let done = tokio::task::spawn_blocking(kept_place).await;
        done.map_err(|error| ApiError::refused(codes::BPANIC, error.to_string()))
    }
}
