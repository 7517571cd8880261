//! Who waits: for work (WFL-6), by queue, and for the end of a process. What comes into a queue rings for one of them; whoever leaves, with work or without,
//! rings for the next: so that nobody sleeps while something waits, and a crowd is not woken for one task.
//!
//! A ring may be lost without harm: whoever waits also looks by itself.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernel::{Hint, Namespace, Topic};
use tokio::sync::Notify;

/// Those of a namespace who wait.
#[derive(Default)]
pub(crate) struct Bells(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    listens: bool,
    waiting: BTreeMap<Topic, VecDeque<Arc<Notify>>>,
}

/// One who waits.
pub(crate) struct Waiter {
    bells: Arc<Bells>,
    topic: Topic,
    pub(crate) bell: Arc<Notify>,
}

impl Bells {
    /// Waits for something of this topic from now on.
    pub(crate) fn wait(ns: &Namespace, topic: Topic) -> Waiter {
        let bells = ns.home.memory::<Self>();
        let own = Arc::new(Notify::new());
        let is_first = {
            let mut inner = bells.lock();
            inner.waiting.entry(topic).or_default().push_back(own.clone());
            !std::mem::replace(&mut inner.listens, true)
        };
        if is_first {
            let ears = bells.clone();
            ns.wakes.listen(move |hint| {
                if let Hint::Changed(topic) = hint {
                    ears.ring(topic);
                }
            });
        }
        Waiter { bells, topic, bell: own }
    }

    /// Rings for the one who waits longest, and lets it wait behind the others if it stays.
    fn ring(&self, topic: Topic) {
        let mut inner = self.lock();
        let Some(waiting) = inner.waiting.get_mut(&topic) else { return };
        waiting.rotate_left(usize::from(!waiting.is_empty()));
        waiting.back().into_iter().for_each(|bell| bell.notify_one());
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Lists are whole between any two steps.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        {
            let mut inner = self.bells.lock();
            let Some(waiting) = inner.waiting.get_mut(&self.topic) else { return };
            waiting.retain(|bell| !Arc::ptr_eq(bell, &self.bell));
            if waiting.is_empty() {
                inner.waiting.remove(&self.topic);
                return;
            }
        }
        self.bells.ring(self.topic);
    }
}
