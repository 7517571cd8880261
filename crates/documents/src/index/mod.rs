//! Indexed fields (DOC-13): kept with every change, filled in by a task where one is declared later, dropped by a task.

mod drop;
mod fill;
mod maintain;
mod progress;
mod room;
mod values;

use base::{Id, OpError, OpResult, Sql, codes};
use kernel::{NewTask, TaskRow};

pub(crate) use drop::{DELETE_REST, DELETE_UNTIL, DROP, FORGET_DROPPED, PORTION_END};
pub(crate) use fill::{CONTENTS, FILL, LOOKED_AT, PORTION};
pub(crate) use maintain::{DELETE_ALL, DELETE_VALUE, INSERT_VALUE, Strict, change, erase, held, values, values_in};
pub use progress::Filling;
pub(crate) use progress::{FILLING, GET_FIELD, filling, looked_at};
pub(crate) use room::{COUNT_VALUES, check_room};
pub(crate) use values::IndexValue;

pub(crate) static ANY_ITEM: Sql =
    Sql::new("doc_item.any", "SELECT id FROM doc_item WHERE class = ?1 AND item = ?2 ORDER BY class, id LIMIT 1");

/// The task that fills an index.
pub(crate) fn fill_task(id: Id, class: &str, field: i64) -> NewTask {
    task(id, "doc.fill", class, field)
}

/// The task that empties an index that is no more declared.
pub(crate) fn drop_task(id: Id, class: &str, field: i64) -> NewTask {
    task(id, "doc.drop_index", class, field)
}

/// Those of one class take turns: each of them changes the class's row in the end, and together they would only contend for it.
fn task(id: Id, op: &str, class: &str, field: i64) -> NewTask {
    let task = NewTask::new(id, op).param(field.to_string()).info(format!("{class} index {field}"));
    task.lane(format!("doc.index {class}"))
}

/// The number of the index that a task is about.
fn number_of(task: &TaskRow) -> OpResult<i64> {
    let wrong = |error| OpError::new(codes::ATASK, format!("param of {} is the number of an index: {error}", task.op));
    serde_json::from_str(&task.param).map_err(wrong)
}
