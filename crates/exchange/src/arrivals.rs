//! Who waits for messages to come (EXC-9): devices that fetch with `wait_s`.
//!
//! Whatever lets a device fetch something calls that out after its commit, on all nodes. Such a call may be lost without harm: whoever
//! waits also looks by itself every [`LOOK_AGAIN_MS`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernel::{Hint, Namespace, OpCx, Topic};
use tokio::sync::Notify;

/// How often whoever waits looks by itself.
pub(crate) const LOOK_AGAIN_MS: u64 = 2_000;

/// Tells a device, after the commit, that there may be something for it.
pub(crate) fn tell(cx: &mut OpCx<'_>, device: &str) {
    cx.fx.wake(Hint::Changed(topic(device)));
}

fn topic(device: &str) -> Topic {
    Topic::of(&format!("exchange-for/{device}"))
}

/// Those of a namespace who wait.
#[derive(Default)]
pub(crate) struct Arrivals(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    listens: bool,
    waiting: BTreeMap<Topic, Vec<Arc<Notify>>>,
}

/// One who waits; whoever goes away is forgotten.
pub(crate) struct Waiter {
    arrivals: Arc<Arrivals>,
    topic: Topic,
    bell: Arc<Notify>,
}

impl Arrivals {
    /// Waits for a device's messages from now on.
    pub(crate) fn wait(ns: &Namespace, device: &str) -> Waiter {
        let arrivals = ns.home.memory::<Self>();
        let (topic, bell) = (topic(device), Arc::new(Notify::new()));
        let is_first = {
            let mut inner = arrivals.lock();
            inner.waiting.entry(topic).or_default().push(bell.clone());
            !std::mem::replace(&mut inner.listens, true)
        };
        if is_first {
            let ears = arrivals.clone();
            ns.wakes.listen(move |hint| ears.hear(hint));
        }
        Waiter { arrivals, topic, bell }
    }

    fn hear(&self, hint: Hint) {
        let Hint::Changed(topic) = hint else { return };
        self.lock().waiting.get(&topic).into_iter().flatten().for_each(|bell| bell.notify_one());
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Lists are whole between any two steps.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiter {
    /// What rings when something came.
    pub(crate) fn bell(&self) -> Arc<Notify> {
        self.bell.clone()
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut inner = self.arrivals.lock();
        let Some(waiting) = inner.waiting.get_mut(&self.topic) else { return };
        waiting.retain(|bell| !Arc::ptr_eq(bell, &self.bell));
        if waiting.is_empty() {
            inner.waiting.remove(&self.topic);
        }
    }
}
