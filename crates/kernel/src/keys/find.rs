//! Finds access keys by the beginning of their id or label (CON-11).

use base::{OpResult, Row, Sql, Tx};

use crate::find::{Found, Sought};
use crate::home::Home;

pub(crate) static BY_ID: Sql = Sql::new(
    "access_key.sought",
    "SELECT id, label, role FROM access_key WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3",
);
pub(crate) static BY_LABEL: Sql = Sql::new(
    "access_key.sought_by_label",
    "SELECT id, label, role FROM access_key WHERE label >= ?1 AND label < ?2 AND label <> '' ORDER BY label, id LIMIT ?3",
);

/// Keys.
///
/// # Errors
/// The store fails.
pub fn find(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    sought.gather(tx, &[&BY_ID, &BY_LABEL], key)
}

fn key(row: &Row) -> Found {
    let [id, name, about] = [0, 1, 2].map(|column| row.text(column).to_owned());
    Found { id, name, about, ..Found::default() }
}
