//! Wake-ups after COMMIT (KER-13): they only save time and may be lost, doubled or late without harm. Whoever waits for one
//! also looks by itself.

use std::sync::{Arc, PoisonError, RwLock};

use base::Wall;

/// What may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// A task of this queue may be started from then on.
    Tasks {
        /// Its queue.
        queue: i64,
        /// When.
        start_at: Wall,
    },
    /// There are new events, numbered or not.
    Events,
}

type Ear = Arc<dyn Fn(Hint) + Send + Sync>;

/// Those who want to be woken in one namespace.
#[derive(Default)]
pub struct Wakes(RwLock<Vec<Ear>>);

impl Wakes {
    /// Tells `ear` of every hint from now on. It is called by whichever thread committed and must return at once.
    pub fn listen(&self, ear: impl Fn(Hint) + Send + Sync + 'static) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(ear));
    }

    /// Wakes everybody.
    pub fn send(&self, hint: Hint) {
        let ears = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        ears.iter().for_each(|ear| ear(hint));
    }
}
