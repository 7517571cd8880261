//! Counts runs of tasks that begin and how they end (KER-29), by the name of their operation. Runs that are put off, go on later or find no room for
//! their call have not ended and are not counted.

use super::row::Task;
use crate::counters::{Field, OTHERS, TASK};
use crate::cx::OpCx;

/// It was claimed, to be run.
pub(super) const BEGUN: &[(Field, i64)] = &[(Field::Sent, 1)];
/// It ended well.
pub(super) const DONE: &[(Field, i64)] = &[(Field::Processed, 1)];
/// It failed or was lost, and will be tried again.
pub(super) const FAILED: &[(Field, i64)] = &[(Field::Errors, 1), (Field::Retries, 1)];
/// It met contention or a fault that passes by itself, and will be tried again: no error.
pub(super) const FORGIVEN: &[(Field, i64)] = &[(Field::Retries, 1)];
/// It waits for a person.
pub(super) const PARKED: &[(Field, i64)] = &[(Field::Errors, 1)];

/// Counts a step once it is committed.
pub(super) fn count(cx: &mut OpCx<'_>, task: &Task, step: &[(Field, i64)]) {
    // The words of a task with a target are anybody's, without end; those of the program are few.
    let name = if task.target.is_some() { OTHERS } else { &task.op };
    cx.fx.count(TASK, name, step);
}
