//! Work that comes again and again in every namespace: whoever watches over something says what it does there and how often.
//!
//! It ends when nobody holds the one who watches any more.

use std::sync::Arc;

use base::Health;

use crate::kernel::{Kernel, Namespace};

/// Somebody who watches over something.
pub trait Watcher: Send + Sync + 'static {
    /// The kernel whose namespaces it watches.
    fn kernel(&self) -> &Kernel;
}

/// Does this now with all namespaces whose store is good, those that came since included, and comes again.
pub fn every<W: Watcher>(watcher: &Arc<W>, ms: u64, what: fn(&Arc<W>, &Arc<Namespace>)) {
    let all = watcher.kernel().namespaces();
    all.iter().filter(|ns| ns.works() && ns.store.health() == Health::Good).for_each(|ns| what(watcher, ns));
    every_after(watcher, ms, ms, what);
}

/// The same, beginning after a while.
pub fn every_after<W: Watcher>(watcher: &Arc<W>, first_ms: u64, ms: u64, what: fn(&Arc<W>, &Arc<Namespace>)) {
    let again = Arc::downgrade(watcher);
    let then = move || again.upgrade().iter().for_each(|watcher| every(watcher, ms, what));
    watcher.kernel().env().timers.after(first_ms, Box::new(then));
}
