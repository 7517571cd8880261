//! A target reports that it did a task, perhaps long after the call broke (KER-19). Accepted until the next claim.

use base::{Id, OpError, OpResult, Sql, Tx, args, codes};
use serde::{Deserialize, Serialize};

use super::end::{end, fenced};
use super::row::{Task, columns};
use crate::cx::OpCx;
use crate::op::Op;

/// Takes in a good end that comes from outside.
pub static REPORT_DONE: Op<ReportDone, Ended> = Op::new("task.done", report_done).ending();

/// Which attempt of which task.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportDone {
    /// The task.
    pub id: Id,
    /// The attempt that the target was told.
    pub attempt: i64,
}

/// The task has ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ended {}

pub(super) static GET: Sql = Sql::new("task.get", concat!("SELECT ", columns!(), " FROM task WHERE id = ?1"));

/// The task of an id.
pub(super) fn get(tx: &mut dyn Tx, id: Id) -> OpResult<Task> {
    let row = tx.query_one(&GET, args![id])?;
    row.as_ref()
        .map(Task::read)
        .ok_or_else(|| OpError::new(codes::NTASK, format!("no task `{id}`: it ended or never was")))
}

fn report_done(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &ReportDone) -> OpResult<Ended> {
    let task = get(tx, input.id)?;
    if task.target.is_none() {
        return Err(OpError::new(codes::ATASK, format!("task {} has no target that could have done it", task.id)));
    }
    if task.attempt != input.attempt {
        return Err(fenced(&Task { attempt: input.attempt, ..task }));
    }
    end(tx, cx, &task, None)?;
    cx.fx.journal("task.done_late", task.id.to_string(), format!("reported by its target, attempt {}", task.attempt));
    Ok(Ended {})
}
