//! Indexed fields (DOC-13): kept with every change, filled in by a task where one is declared later, dropped by a task.

mod maintain;
mod values;

use base::{Id, Sql};
use kernel::NewTask;

pub(crate) use maintain::{DELETE_ALL, DELETE_VALUE, INSERT_VALUE, Strict, change, erase, held, values};
pub(crate) use values::{IndexValue, values_of};

pub(crate) static ANY_ITEM: Sql =
    Sql::new("doc_item.any", "SELECT id FROM doc_item WHERE class = ?1 AND item = ?2 ORDER BY class, id LIMIT 1");

/// The task that fills an index.
pub(crate) fn fill_task(id: Id, class: &str, field: i64) -> NewTask {
    NewTask::new(id, "doc.fill").param(field.to_string()).info(format!("{class} index {field}"))
}

/// The task that empties an index that is no more declared.
pub(crate) fn drop_task(id: Id, class: &str, field: i64) -> NewTask {
    NewTask::new(id, "doc.drop_index").param(field.to_string()).info(format!("{class} index {field}"))
}
