//! Fills in the values of promises.

use std::collections::BTreeMap;

use base::{OpResult, Tx};
use serde_json::value::RawValue;

use crate::decision::next::State;
use crate::decision::row::Decision;
use crate::engine::Made;
use crate::names::TaskId;
use crate::task::row::Task;
use crate::task::{Filled, KeptArgument};

/// The arguments of a task with all that was promised; `None`: a result that it waits for is lost.
pub(super) fn fill(tx: &mut dyn Tx, task: &Task) -> OpResult<Option<Vec<Filled>>> {
    let mut known = BTreeMap::new();
    let mut filled = vec![];
    for argument in &task.args.0 {
        let value = match argument {
            KeptArgument { value: Some(value), .. } => Some(Filled::value(value.clone())),
            KeptArgument { promise: Some(number), .. } => promised(tx, &task.id.process, *number, &mut known)?,
            KeptArgument { .. } => Some(Filled::value(RawValue::NULL.to_owned())),
        };
        match value {
            Some(value) => filled.push(value),
            None => return Ok(None),
        }
    }
    Ok(Some(filled))
}

/// The result of a task, through however many promises.
fn promised(
    tx: &mut dyn Tx,
    process: &str,
    number: i64,
    known: &mut BTreeMap<i64, Filled>,
) -> OpResult<Option<Filled>> {
    if let Some(value) = known.get(&number) {
        return Ok(Some(value.clone()));
    }
    let mut last = number;
    for _ in 0..crate::task::row::TASKS_MAX {
        let found = Decision::find(tx, &TaskId::new(process, last))?;
        let Some(decision) = found.filter(|found| found.state == State::Finish && found.broken_at.is_none()) else {
            return Ok(None);
        };
        if let Some(other) = Made::read(decision.tasks.as_deref()).as_other {
            last = other;
            continue;
        }
        let value = decision.value.map(|value| RawValue::from_string(value).unwrap_or_default());
        let filled = match decision.error {
            Some(error) => Filled { value: None, error: Some(error) },
            None => Filled::value(value.unwrap_or_default()),
        };
        known.insert(number, filled.clone());
        return Ok(Some(filled));
    }
    Ok(None)
}
