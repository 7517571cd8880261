//! A task that leaves one mark per cycle.

use base::{OpResult, Tx};
use kernel::{OpCx, Plan, TaskDef, TaskRow};
use serde::{Deserialize, Serialize};

use super::{leave_mark, read};

pub(super) const TASK: TaskDef = TaskDef::new("drill.mark", plan).retrying(&[0; 16]).callable();

/// Which mark, in how many cycles.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Name of the mark.
    pub name: String,
    /// How many cycles.
    pub cycles: u32,
}

fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let Mark { name, cycles } = read(&task.param)?;
    let cycle: u32 = task.checkpoint.as_deref().map_or(Ok(0), read)?;
    leave_mark(tx, cx, task, &name, cycle)?;
    let next = cycle + 1;
    Ok(if next < cycles { Plan::Checkpoint(next.to_string()) } else { Plan::Done })
}
