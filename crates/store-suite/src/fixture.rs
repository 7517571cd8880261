//! What an engine brings to its contract.

use std::sync::Arc;

use base::{Clock, Entropy, Store};

/// An engine under test. Each fixture is new and empty; all stores that it opens are on the same data.
pub trait Fixture {
    /// Opens a store. The contracts close one before they open the next, unless [`Fixture::two_at_once`].
    fn open(&self) -> Arc<dyn Store>;

    /// Opens a store in which at most `queue_max` jobs may wait.
    fn open_small(&self, queue_max: usize) -> Arc<dyn Store>;

    /// The clock that the stores use.
    fn clock(&self) -> Arc<dyn Clock>;

    /// Chance for what should differ from run to run; failures tell what was drawn.
    fn entropy(&self) -> Arc<dyn Entropy> {
        Arc::new(host::OsEntropy)
    }

    /// Whether two stores may be open on the same data at once, as two nodes on one server would be.
    fn two_at_once(&self) -> bool {
        false
    }

    /// Fills the disk below `store`, or makes room again. While it is full, a job that writes some megabytes must fail;
    /// smaller ones may. `false` if this engine cannot do it here: then the contracts of KER-31 check nothing.
    fn fill_disk(&self, store: &dyn Store, on: bool) -> bool {
        let _ = (store, on);
        false
    }

    /// Whether a full disk still takes changes that make no row larger, so that the contract can insist on them.
    fn full_disk_takes_updates(&self) -> bool {
        false
    }

    /// Whether the engine counts the steps of a job and so ends a long statement with `Budget`. One that ends it by
    /// time may call it a failed statement.
    fn counts_steps(&self) -> bool {
        true
    }
}
