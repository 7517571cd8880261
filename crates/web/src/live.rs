//! Connections that stay (KER-34, KER-45): how many there may be, and what wakes them.
//!
//! A live connection gives its place among the requests in flight back when it is open, and has one of its own: at most so many
//! per namespace and per key. All live connections of a namespace share one ear at the kernel.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use base::codes;
use kernel::{Hint, Namespace, Topic, Watch};
use tokio::sync::{broadcast, watch};

use crate::error::{ApiError, BUSY};

/// Topics that wait for one who listens to them.
const TOPICS_WAITING: usize = 1_024;

/// What all live connections share.
pub(crate) struct Live {
    per_namespace: usize,
    per_key: usize,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    /// Connections by namespace and key; no entry is zero.
    open: BTreeMap<String, BTreeMap<String, usize>>,
    bells: BTreeMap<(String, Watch), (Weak<Namespace>, watch::Sender<u64>)>,
    /// One for all topics of a namespace: a service may have as many as it has customers.
    topics: BTreeMap<String, (Weak<Namespace>, broadcast::Sender<Topic>)>,
}

/// The place of one live connection, given back when dropped.
pub(crate) struct LivePlace {
    inner: Arc<Mutex<Inner>>,
    namespace: String,
    key: String,
}

impl Live {
    pub(crate) fn new(per_namespace: usize, per_key: usize) -> Self {
        Self { per_namespace, per_key, inner: Arc::default() }
    }

    /// Takes a place for a key of a namespace.
    pub(crate) fn enter(&self, namespace: &str, key: &str) -> Result<LivePlace, ApiError> {
        let mut inner = lock(&self.inner);
        let keys = inner.open.entry(namespace.to_owned()).or_default();
        let (all, of_key) = (keys.values().sum::<usize>(), keys.get(key).copied().unwrap_or(0));
        if all >= self.per_namespace || of_key >= self.per_key {
            metrics::counter!("fastness_http_refused_total", "reason" => "live").increment(1);
            return Err(ApiError::refused(codes::XBUSY, BUSY));
        }
        keys.insert(key.to_owned(), of_key + 1);
        Ok(LivePlace { inner: self.inner.clone(), namespace: namespace.to_owned(), key: key.to_owned() })
    }

    /// Tells of news of a namespace from now on; wake-ups in a row become one.
    pub(crate) fn bell(&self, ns: &Arc<Namespace>, what: Watch) -> watch::Receiver<u64> {
        let mut inner = lock(&self.inner);
        if let Some((known, bell)) = inner.bells.get(&(ns.name.clone(), what))
            && std::ptr::eq(known.as_ptr(), Arc::as_ptr(ns))
        {
            return bell.subscribe();
        }
        let (bell, heard) = watch::channel(0_u64);
        let ear = bell.clone();
        let ring = move || ear.send_modify(|count| *count = count.wrapping_add(1));
        match what {
            Watch::Commits => ns.wakes.watch_commits(ring),
            Watch::Events | Watch::Topic(_) => ns.wakes.listen(move |hint| {
                if what.is_told_by(hint) {
                    ring();
                }
            }),
        }
        inner.bells.insert((ns.name.clone(), what), (Arc::downgrade(ns), bell));
        heard
    }
}

impl Live {
    /// Tells of every topic of a namespace that changes from now on; whoever is slow learns that it missed some.
    pub(crate) fn topics(&self, ns: &Arc<Namespace>) -> broadcast::Receiver<Topic> {
        let mut inner = lock(&self.inner);
        if let Some((known, topics)) = inner.topics.get(&ns.name)
            && std::ptr::eq(known.as_ptr(), Arc::as_ptr(ns))
        {
            return topics.subscribe();
        }
        let (topics, heard) = broadcast::channel(TOPICS_WAITING);
        let ear = topics.clone();
        ns.wakes.listen(move |hint| {
            if let Hint::Changed(topic) = hint {
                // Nobody may be listening now.
                let _ = ear.send(topic);
            }
        });
        inner.topics.insert(ns.name.clone(), (Arc::downgrade(ns), topics));
        heard
    }
}

impl Drop for LivePlace {
    fn drop(&mut self) {
        let mut inner = lock(&self.inner);
        let Some(keys) = inner.open.get_mut(&self.namespace) else { return };
        match keys.get_mut(&self.key) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(keys.remove(&self.key)),
        }
        if keys.is_empty() {
            inner.open.remove(&self.namespace);
        }
    }
}

fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    // Counts are whole between any two steps.
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_34_live_connections_are_bounded_per_namespace_and_per_key() {
        let live = Live::new(3, 2);
        let of_a: Vec<_> = (0..2).map(|_| live.enter("main", "a").unwrap()).collect();
        assert_eq!(live.enter("main", "a").err().unwrap().0.code, codes::XBUSY, "of one key");
        let of_b = live.enter("main", "b").unwrap();
        assert_eq!(live.enter("main", "c").err().unwrap().0.code, codes::XBUSY, "of the namespace");
        assert!(live.enter("other", "c").is_ok(), "another namespace has its own");
        drop(of_b);
        assert!(live.enter("main", "c").is_ok());
        drop(of_a);
        assert!(lock(&live.inner).open.is_empty(), "nothing is left behind");
    }
}
