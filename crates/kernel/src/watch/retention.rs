//! Forgetting what is old, a portion at a time, so that the writer is never held up.
//!
//! Age is listening time: a calendar that jumps ahead deletes nothing, a server that was off keeps longer.

use base::{Heard, OpResult, Sql, Tx, args};
use serde::{Deserialize, Serialize};

use super::setting;
use crate::cx::OpCx;
use crate::service::Plan;

/// Rows of one portion.
pub(crate) const PORTION: u32 = 500;

/// How long something is kept, as a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) kept_ms: i64,
}

impl Default for Kept {
    fn default() -> Self {
        Self { kept_ms: 90 * 86_400_000 }
    }
}

/// Everything last heard before this moment is old.
pub(crate) fn old_before(tx: &mut dyn Tx, cx: &OpCx<'_>, name: &str) -> OpResult<Heard> {
    let kept: Kept = setting::get(tx, name)?;
    Ok(cx.heard.plus_ms(-kept.kept_ms))
}

/// Deletes a portion by `sql`, whose parameters are the moment and the number of rows.
pub(crate) fn portion(tx: &mut dyn Tx, sql: &'static Sql, before: Heard) -> OpResult<u64> {
    Ok(tx.execute(sql, args![before, PORTION])?)
}

/// Goes on at once while portions are full.
pub(crate) fn go_on(deleted: u64) -> Plan {
    if deleted >= u64::from(PORTION) { Plan::Checkpoint("{}".into()) } else { Plan::Done }
}
