//! Begins tasks at their time: the kernel's calendar wakes us.

use base::{OpError, OpResult, Tx, codes};
use kernel::{OpCx, Plan, TaskDef, TaskRow};

use crate::engine::{BEGIN, Engine};
use crate::names::TaskId;

/// The kernel's task, with the id of ours.
pub(crate) const TASK: TaskDef = TaskDef::new(BEGIN, plan).ending();

fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, row: &TaskRow) -> OpResult<Plan> {
    let wrong = || OpError::new(codes::BDETECTED, format!("`{}` is no task", row.param));
    let id: String = serde_json::from_str(&row.param).map_err(|_| wrong())?;
    let id: TaskId = id.parse().map_err(|()| wrong())?;
    let mut engine = Engine::new(tx, cx);
    engine.begin_now(&id)?;
    engine.settle()?;
    Ok(Plan::Done)
}
