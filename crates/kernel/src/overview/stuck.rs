//! What is stuck (KER-40), found and counted. The round counts every few seconds for `/readyz` (KER-30), which never asks the
//! store itself.

use base::{OpResult, Tx};

use super::Look;
use crate::op::Query;
use crate::service::Stuck;
use crate::tasks::{STUCK_SUSPENDED, STUCK_TASKS};

/// Where counting ends.
pub const STUCK_MAX: usize = 100;

/// Everything that is stuck, at most 100 of a kind.
pub static FIND_STUCK: Query<Look, Vec<Found>> = Query::new("stuck.find", find);
/// How much is stuck.
pub(crate) static COUNT_STUCK: Query<Look, StuckCounts> = Query::new("stuck.count", count);

/// Something that is stuck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub what: &'static str,
    /// Which one, and why.
    pub stuck: Stuck,
}

/// How much is stuck; each count ends at [`STUCK_MAX`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StuckCounts {
    /// Tasks that no worker took, or that should have been taken for lost.
    pub tasks: usize,
    /// Anything else.
    pub others: usize,
    /// Tasks whose queue an operator suspended: they wait by somebody's will.
    pub suspended: usize,
}

impl StuckCounts {
    /// What is stuck by nobody's will.
    #[must_use]
    pub fn unwanted(&self) -> usize {
        (self.tasks + self.others).min(STUCK_MAX)
    }
}

fn find(tx: &mut dyn Tx, look: &Look) -> OpResult<Vec<Found>> {
    let mut all = vec![];
    for def in look.services.iter().flat_map(|service| service.stuck) {
        let found = (def.find)(tx, look.now)?;
        all.extend(found.into_iter().map(|stuck| Found { what: def.what, stuck }));
    }
    Ok(all)
}

pub(super) fn count(tx: &mut dyn Tx, look: &Look) -> OpResult<StuckCounts> {
    let mut counts = StuckCounts::default();
    for def in look.services.iter().flat_map(|service| service.stuck) {
        let found = (def.find)(tx, look.now)?.len();
        let place = match def.what {
            STUCK_SUSPENDED => &mut counts.suspended,
            what if STUCK_TASKS.contains(&what) => &mut counts.tasks,
            _ => &mut counts.others,
        };
        *place = (*place + found).min(STUCK_MAX);
    }
    Ok(counts)
}
