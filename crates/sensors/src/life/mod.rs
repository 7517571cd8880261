//! Signs of life in Redis (SEN-12), for several nodes on one PostgreSQL: rows are then touched every quarter of a silence only.
//!
//! Redis may lose everything at any moment, and a node may end before it brought there what it heard. So Redis is believed only as far
//! as it can prove that it knows all: from the moment since when it lost nothing (`since`, kept in it) to the moment up to which every
//! node has brought all it heard (its mark, kept in it too). A sensor is lost when it was silent for its time within that span; or,
//! whatever Redis says, when its row is so old that every sign of life since would have touched it.
//!
//! - `decide`: that rule, pure; - `signs`: what is to be brought there; - `bring`: brings it, once a second; - `place`: what is said to
//!   Redis; - `used`: that Redis is in use is durable, so that one who runs without it later judges no earlier.
//!
//! Invariants: no state of Redis makes a sensor lost that spoke, or keeps one from being lost for longer than a quarter of its silence.
//! All nodes on the same data are configured alike.

mod bring;
mod decide;
mod place;
mod signs;
mod used;

pub use bring::LifeWriter;
pub use decide::Span;
pub(crate) use decide::{Fate, Silence, decide};
pub use place::LastSeen;
pub(crate) use place::Sight;
pub(crate) use signs::Signs;
pub(crate) use used::{GET_USED, PUT_USED, USE, is_coarse, used};

use std::sync::{Arc, PoisonError, RwLock};

/// With Redis a sign of life is in the row to within this part of the silence.
pub(crate) const COARSE_PART: i64 = 4;

/// Where this server keeps signs of life beside the rows, if anywhere (`home.common::<Lives>()`).
#[derive(Default)]
pub struct Lives(RwLock<Option<Arc<LastSeen>>>);

impl Lives {
    /// From now on they are kept there too.
    pub fn set(&self, last_seen: Arc<LastSeen>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(last_seen);
    }

    /// Where.
    #[must_use]
    pub fn get(&self) -> Option<Arc<LastSeen>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
