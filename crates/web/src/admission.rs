//! Admission (KER-45): more than we can answer is refused at once, before its body is read.
//!
//! Two bounds on requests in flight: one for all, so that memory and waiting stay bounded, and a smaller one per
//! namespace, so that one tenant's flood leaves places for the others. The second is taken after the key is known, so
//! that strangers cannot use up a tenant's places.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::codes;
use kernel::Kernel;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::ApiError;

/// Paths that are answered whatever happens: an overloaded server must still say that it lives.
const ALWAYS: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// A place among the requests in flight, given back when dropped.
pub(crate) type Place = OwnedSemaphorePermit;

/// The places of all requests in flight.
pub(crate) struct Admission {
    all: Arc<Semaphore>,
    namespaces: BTreeMap<String, Arc<Semaphore>>,
}

impl Admission {
    pub(crate) fn new(kernel: &Kernel, all: usize, per_namespace: usize) -> Self {
        let places = |ns: &Arc<kernel::Namespace>| (ns.name.clone(), Arc::new(Semaphore::new(per_namespace)));
        Self { all: Arc::new(Semaphore::new(all)), namespaces: kernel.namespaces().map(places).collect() }
    }

    /// A place among all requests; `None` where none is needed.
    pub(crate) fn enter(&self, path: &str) -> Result<Option<Place>, ApiError> {
        if ALWAYS.contains(&path) {
            return Ok(None);
        }
        take(&self.all, "all").map(Some)
    }

    /// A place among the requests of a namespace.
    pub(crate) fn enter_namespace(&self, name: &str) -> Result<Option<Place>, ApiError> {
        self.namespaces.get(name).map(|places| take(places, "namespace")).transpose()
    }
}

fn take(places: &Arc<Semaphore>, reason: &'static str) -> Result<Place, ApiError> {
    places.clone().try_acquire_owned().map_err(|_| {
        metrics::counter!("fastness_http_refused_total", "reason" => reason).increment(1);
        ApiError::refused(codes::XBUSY, "too many requests in flight")
    })
}
