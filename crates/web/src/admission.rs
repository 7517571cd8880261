//! Admission (KER-45): more than we can answer is refused before its body is read.
//!
//! Two bounds on requests in flight: one for all, so that memory and waiting stay bounded, and a smaller one per
//! namespace, so that one tenant's flood leaves places for the others. The second is taken after the key is known, so
//! that strangers cannot use up a tenant's places.
//!
//! Invariant: what a request took it keeps until its work is done, not until its client goes away ([`Stay`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use base::codes;
use kernel::keys;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{ApiError, BUSY};

/// Paths that machines ask every few seconds, and that are answered whatever happens: an overloaded server must still say that it lives.
pub(crate) const ALWAYS: [&str; 3] = ["/healthz", "/readyz", "/metrics"];
/// Keys that one namespace remembers as refused; then it begins anew.
const REMEMBERED_MAX: usize = 1_024;

/// How many requests were sent away for want of a place. Whoever counts on being spoken to looks whether there were more since.
#[derive(Debug, Default)]
pub struct SentAway(AtomicU64);

impl SentAway {
    /// So many of this namespace so far, and of those of which nobody knows whose they were.
    #[must_use]
    pub fn of(ns: &kernel::Namespace) -> u64 {
        let many = |sent_away: Arc<Self>| sent_away.0.load(Ordering::Relaxed);
        many(ns.home.memory()) + many(ns.home.common())
    }

    fn one(&self, reason: &'static str) -> ApiError {
        self.0.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("fastness_http_refused_total", "reason" => reason).increment(1);
        ApiError::refused(codes::XBUSY, BUSY)
    }
}

/// A place among the requests in flight, given back when dropped.
type Place = OwnedSemaphorePermit;

/// What one request takes of our bounds: its places, and the memory of its body.
///
/// Everything that works for the request holds on to it, a job waiting in a store too: hyper drops a request's future
/// when the client hangs up, but the job and its input stay, and must go on to count.
#[derive(Debug)]
pub(crate) struct Stay {
    place: Mutex<Option<Place>>,
    own_place: Mutex<Option<Place>>,
    memory: OnceLock<OwnedSemaphorePermit>,
}

impl Stay {
    fn new(place: Option<Place>) -> Self {
        Self { place: Mutex::new(place), own_place: Mutex::default(), memory: OnceLock::new() }
    }

    /// Takes a place among the requests of a namespace, and remembers the key if there is none.
    pub(crate) fn enter(&self, tenant: &Tenant, key: Option<&str>) -> Result<(), ApiError> {
        let place = take(&tenant.places).ok_or_else(|| {
            key.into_iter().for_each(|key| tenant.remember(key));
            tenant.sent_away.one("namespace")
        })?;
        *lock(&self.own_place) = Some(place);
        Ok(())
    }

    /// Gives its places back: it waits from now on, and counts among those who do.
    pub(crate) fn leave(&self) {
        drop(lock(&self.place).take());
        drop(lock(&self.own_place).take());
    }

    /// Keeps the memory of the body, which becomes the input of a job.
    pub(crate) fn keep_memory(&self, memory: OwnedSemaphorePermit) {
        // A body is read once.
        let _ = self.memory.set(memory);
    }
}

fn lock(place: &Mutex<Option<Place>>) -> MutexGuard<'_, Option<Place>> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The requests of one namespace.
pub(crate) struct Tenant {
    places_max: usize,
    places: Arc<Semaphore>,
    /// Hashes of valid keys that found no place.
    refused: Mutex<BTreeSet<[u8; 32]>>,
    sent_away: Arc<SentAway>,
}

impl Tenant {
    fn new(places_max: usize, sent_away: Arc<SentAway>) -> Self {
        let places = Arc::new(Semaphore::new(places_max));
        Self { places_max, places, refused: Mutex::default(), sent_away }
    }

    /// Refuses a key that was refused before if there is still no place: without asking the store who it is.
    ///
    /// Not every key: a stranger who reads 503 where others read 401 would learn which namespaces there are. Whoever
    /// holds a key that once was valid knows.
    pub(crate) fn check_room(&self, key: &str) -> Result<(), ApiError> {
        let is_full = self.places.available_permits() == 0;
        let is_refused = is_full && self.refused().contains(&keys::hash(key));
        if is_refused { Err(self.sent_away.one("namespace")) } else { Ok(()) }
    }

    fn remember(&self, key: &str) {
        let mut refused = self.refused();
        if refused.len() >= REMEMBERED_MAX {
            refused.clear();
        }
        refused.insert(keys::hash(key));
    }

    fn refused(&self) -> std::sync::MutexGuard<'_, BTreeSet<[u8; 32]>> {
        // A set of hashes is whole between any two steps.
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The places of all requests in flight.
pub(crate) struct Admission {
    all: Arc<Semaphore>,
    per_namespace: usize,
    /// Namespaces come and go; one that comes again finds the places that it had.
    tenants: Mutex<BTreeMap<String, Arc<Tenant>>>,
    sent_away: Arc<SentAway>,
}

impl Admission {
    /// What is refused before its namespace is known is counted for all together.
    pub(crate) fn new(all: usize, per_namespace: usize, sent_away: Arc<SentAway>) -> Self {
        Self { all: Arc::new(Semaphore::new(all)), per_namespace, tenants: Mutex::default(), sent_away }
    }

    /// Begins a stay, with a place among all requests where one is needed.
    pub(crate) fn enter(&self, path: &str) -> Result<Arc<Stay>, ApiError> {
        let needed = !ALWAYS.contains(&path);
        let place = needed.then(|| take(&self.all).ok_or_else(|| self.sent_away.one("all"))).transpose()?;
        Ok(Arc::new(Stay::new(place)))
    }

    /// The requests of a namespace. When its limit was changed it begins with new places; those who are in leave the old
    /// ones, so that for a moment there may be more.
    pub(crate) fn tenant(&self, ns: &kernel::Namespace) -> Arc<Tenant> {
        let own = ns.standing().requests_max.and_then(|max| usize::try_from(max).ok());
        let places = own.map_or(self.per_namespace, |own| own.min(self.per_namespace));
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tenant) = tenants.get(&ns.name).filter(|tenant| tenant.places_max == places) {
            return tenant.clone();
        }
        let tenant = Arc::new(Tenant::new(places, ns.home.memory()));
        tenants.insert(ns.name.clone(), tenant.clone());
        tenant
    }
}

fn take(places: &Arc<Semaphore>) -> Option<Place> {
    places.clone().try_acquire_owned().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_45_a_full_namespace_refuses_from_memory_only_keys_that_were_valid() {
        let (tenant, all) = (Tenant::new(1, Arc::default()), Arc::new(Semaphore::new(9)));
        let stay = || Stay::new(take(&all));
        let first = stay();
        assert!(tenant.check_room("a").is_ok() && first.enter(&tenant, Some("a")).is_ok());
        assert!(tenant.check_room("a").is_ok(), "not refused before");
        assert!(stay().enter(&tenant, Some("a")).is_err());
        assert_eq!(tenant.check_room("a").unwrap_err().0.code, codes::XBUSY);
        assert!(tenant.check_room("a-stranger's").is_ok());
        drop(first);
        assert!(tenant.check_room("a").is_ok(), "there is a place again");
    }

    #[test]
    fn ker_34_the_memory_of_refused_keys_is_bounded() {
        let tenant = Tenant::new(0, Arc::default());
        (0..3 * REMEMBERED_MAX).for_each(|key| tenant.remember(&key.to_string()));
        assert!(tenant.refused().len() <= REMEMBERED_MAX);
    }
}
