//! What is kept in memory of documents (KER-12), and who is told when they change.
//!
//! - `shelf`: what is kept, bounded by bytes and age, and the rule of what may be put there;
//! - `change`: an operation that writes a document takes it out before COMMIT and lets others put it back afterwards;
//! - `look`: how readers ask, and how what they read gets there.
//!
//! Invariants: in one-node mode what is kept is what the store holds, so that a reader sees every commit that was acknowledged
//! before it asked; in several-node mode it is never shown as the newest without its version having been compared with the store's.

mod change;
mod look;
mod shelf;
mod size;

pub(crate) use change::changing;
pub use look::{Look, Looks, look};
pub use shelf::Shelf;

use std::sync::atomic::{AtomicU64, Ordering};

/// What changes of documents are called out under.
pub(crate) const TOPIC: &str = "documents";

/// One life of one namespace in this process. A name may live again with other data, so it cannot tell.
struct Life(u64);

impl Default for Life {
    fn default() -> Self {
        static LIVES: AtomicU64 = AtomicU64::new(0);
        Self(LIVES.fetch_add(1, Ordering::Relaxed))
    }
}
