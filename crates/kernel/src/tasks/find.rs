//! Finds tasks by the beginning of their id, text or operation (CON-11).

use base::{OpResult, Row, Sql, Tx};

use crate::find::{Found, Sought};
use crate::home::Home;

pub(super) static BY_ID: Sql =
    Sql::new("task.sought", "SELECT id, op, info FROM task WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3");
pub(super) static BY_INFO: Sql = Sql::new(
    "task.sought_by_info",
    "SELECT id, op, info FROM task WHERE info >= ?1 AND info < ?2 AND info <> '' ORDER BY info, id LIMIT ?3",
);
pub(super) static BY_OP: Sql = Sql::new(
    "task.sought_by_op",
    "SELECT id, op, info FROM task WHERE op >= ?1 AND op < ?2 AND op <> '' ORDER BY op, id LIMIT ?3",
);

/// Tasks.
///
/// # Errors
/// The store fails.
pub fn find(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    sought.gather(tx, &[&BY_ID, &BY_INFO, &BY_OP], task)
}

fn task(row: &Row) -> Found {
    let [id, name, about] = [0, 1, 2].map(|column| row.text(column).to_owned());
    Found { id, name, about, ..Found::default() }
}
