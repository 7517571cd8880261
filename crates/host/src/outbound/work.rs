//! Work of the program itself outside of any transaction, under names.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use base::{CallResult, WorkCall};
use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::{Instant, timeout_at};

type Work = dyn Fn(WorkCall) -> Result<String, String> + Send + Sync;

/// The registered works, and room for some at once.
pub(super) struct Works {
    named: RwLock<BTreeMap<&'static str, Arc<Work>>>,
    places: Arc<Semaphore>,
}

impl Works {
    pub(super) fn new(at_once_max: usize) -> Self {
        Self { named: RwLock::default(), places: Arc::new(Semaphore::new(at_once_max)) }
    }

    pub(super) fn register(&self, name: &'static str, work: Arc<Work>) {
        self.named.write().unwrap_or_else(PoisonError::into_inner).insert(name, work);
    }

    /// Runs a piece of work on a thread where it may block. One that does not end in time is told as unknown and keeps
    /// its place until it ends: a thread cannot be ended from outside.
    pub(super) async fn run(&self, call: WorkCall, deadline: Instant) -> CallResult {
        let (name, timeout_ms) = (call.name, call.timeout_ms);
        let named = self.named.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        let Some(work) = named else { return CallResult::NotMade(format!("there is no work `{name}`")) };
        let Ok(Ok(place)) = timeout_at(deadline, Arc::clone(&self.places).acquire_owned()).await else {
            return CallResult::NotMade(format!("no room for work `{name}` within {timeout_ms} ms"));
        };
        let working = spawn_blocking(move || {
            let result = work(call);
            drop(place);
            result
        });
        match timeout_at(deadline, working).await {
            Ok(ended) => judge(name, ended),
            Err(_) => CallResult::Unknown(format!("work `{name}` did not end within {timeout_ms} ms")),
        }
    }
}

/// Work that failed may have been done in part.
fn judge(name: &str, ended: Result<Result<String, String>, JoinError>) -> CallResult {
    match ended {
        Ok(Ok(result)) => CallResult::Worked(result),
        Ok(Err(reason)) => CallResult::Unknown(format!("work `{name}` failed: {reason}")),
        Err(error) if error.is_cancelled() => CallResult::NotMade(format!("work `{name}` was not begun")),
        Err(_) => CallResult::Unknown(format!("work `{name}` panicked")),
    }
}
