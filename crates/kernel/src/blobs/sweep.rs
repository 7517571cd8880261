//! Bytes without a row: uploads that never came to their put. They are looked for, left alone for the delay, then doomed.

use base::{Call, CallResult, OpResult, Sql, Tx, args};

use super::work::{ListNames, Listed};
use super::{garbage, rule, work};
use crate::cx::OpCx;
use crate::service::{Plan, TaskDef, TaskRow};

/// Names that are looked at in one commit.
const PORTION: u32 = 500;

/// Looks through all bytes of a namespace for those that have no row.
pub const SWEEP: TaskDef = TaskDef::new("blob.sweep", begin).settled_by(settle).queue(2).standing("D0341").ending();

pub(super) static HAS_ROW: Sql = Sql::new("blob.has_row", "SELECT sha FROM blob WHERE name = ?1");

/// Those found by an earlier run first: this one then finds what was left since.
fn begin(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    let until = rule::get(tx)?.marked_until(cx.heard);
    if garbage::doom_suspects(tx, until, PORTION)? {
        return Ok(Plan::Checkpoint("{}".into()));
    }
    list(None)
}

fn list(after: Option<String>) -> OpResult<Plan> {
    Ok(Plan::Call(Call::Work(work::call(work::LIST, &ListNames { after, limit: PORTION })?)))
}

fn settle(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow, result: &CallResult) -> OpResult<Plan> {
    let Listed { names } = work::result(result)?;
    for name in &names {
        if tx.query_one(&HAS_ROW, args![name])?.is_none() {
            garbage::suspect(tx, cx.heard, &garbage::name_of(name)?)?;
        }
    }
    match names.last() {
        Some(last) if names.len() == PORTION as usize => list(Some(last.clone())),
        Some(_) | None => Ok(Plan::Done),
    }
}
