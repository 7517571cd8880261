//! Finds alerts whose condition holds by the beginning of their key or kind, and any by its id (CON-11).

use base::{OpResult, Row, Sql, Tx};

use crate::find::{Found, Sought};
use crate::home::Home;
use crate::watch::shown;

/// Characters of a message in a list.
const ABOUT_MAX: usize = 200;

pub(super) static BY_ID: Sql = Sql::new(
    "alert.sought",
    "SELECT id, key, kind, message FROM alert WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3",
);
pub(super) static BY_KEY: Sql = Sql::new(
    "alert.sought_by_key",
    "SELECT id, key, kind, message FROM alert WHERE key >= ?1 AND key < ?2 AND closed_at IS NULL ORDER BY key LIMIT ?3",
);
pub(super) static BY_KIND: Sql = Sql::new(
    "alert.sought_by_kind",
    "SELECT id, key, kind, message FROM alert WHERE kind >= ?1 AND kind < ?2 AND closed_at IS NULL \
     ORDER BY kind, id LIMIT ?3",
);

/// Alerts.
///
/// # Errors
/// The store fails.
pub fn find(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    sought.gather(tx, &[&BY_ID, &BY_KEY, &BY_KIND], alert)
}

fn alert(row: &Row) -> Found {
    let [id, name, within] = [0, 1, 2].map(|column| row.text(column).to_owned());
    Found { id, name, about: shown(row.text(3), ABOUT_MAX), within }
}
