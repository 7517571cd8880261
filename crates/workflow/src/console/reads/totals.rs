//! How much there is; nothing is counted beyond a bound.

use base::{OpResult, Tx, Wall};
use kernel::Query;

use crate::figures;

/// What there is in all.
pub(in super::super) static TOTALS: Query<(), Totals> = Query::new("workflow.page_totals", |tx, ()| totals(tx));

/// Each is counted up to 10,000.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct Totals {
    pub(in super::super) active: i64,
    pub(in super::super) broken: i64,
    pub(in super::super) waiting: i64,
}

fn totals(tx: &mut dyn Tx) -> OpResult<Totals> {
    Ok(Totals {
        active: figures::of_state(tx, "ACTIVE")?,
        broken: figures::of_state(tx, "BROKEN")?,
        waiting: figures::waiting(tx, Wall(0))?,
    })
}
