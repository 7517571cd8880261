//! Finds processes by the beginning of their id or own id, and actors by that of their name (CON-11).

use base::{OpResult, Row, Sql, Tx};
use kernel::Home;
use kernel::find::{Found, Sought};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&PROCESS, &CUSTOM, &POLLED, &SET];

static PROCESS: Sql = Sql::new(
    "wfl_process.sought",
    "SELECT id, type, custom_id, state FROM wfl_process WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3",
);
static CUSTOM: Sql = Sql::new(
    "wfl_process.sought_by_custom_id",
    "SELECT id, type, custom_id, state FROM wfl_process \
     WHERE custom_id >= ?1 AND custom_id < ?2 AND custom_id IS NOT NULL ORDER BY custom_id, id LIMIT ?3",
);
/// A queue begins with the name of its actor.
static POLLED: Sql = Sql::new(
    "wfl_polled.sought",
    "SELECT actor FROM wfl_polled WHERE queue >= ?1 AND queue < ?2 ORDER BY queue LIMIT ?3",
);
static SET: Sql =
    Sql::new("wfl_actor.sought", "SELECT id FROM wfl_actor WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3");

pub(crate) fn processes(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    sought.gather(tx, &[&PROCESS, &CUSTOM], |row| {
        let id = row.text(0).to_owned();
        let name = row.opt_text(2).unwrap_or(&id).to_owned();
        Found { id, name, about: format!("{}, {}", row.text(1), row.text(3)), ..Found::default() }
    })
}

pub(crate) fn actors(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    sought.gather(tx, &[&POLLED, &SET], actor)
}

fn actor(row: &Row) -> Found {
    let id = row.text(0).to_owned();
    Found { name: id.clone(), id, ..Found::default() }
}
