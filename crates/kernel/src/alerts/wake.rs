//! Brings back kinds whose task is late: removed by hand, or put off because the calendar jumped back.

use base::{OpResult, Tx};

use super::{change, kind};
use crate::cx::OpCx;
use crate::op::Op;

/// Inscribes the task of every kind that is overdue anew; tells how many.
pub static WAKE_KINDS: Op<(), u32> = Op::new("alert.wake", wake_kinds);

fn wake_kinds(tx: &mut dyn Tx, cx: &mut OpCx<'_>, (): &()) -> OpResult<u32> {
    let overdue = kind::overdue(tx)?;
    for (name, _) in &overdue {
        let kind = kind::get(tx, name)?;
        let now = cx.heard;
        change::inscribe(tx, cx, kind, now)?;
    }
    Ok(u32::try_from(overdue.len()).unwrap_or(u32::MAX))
}
