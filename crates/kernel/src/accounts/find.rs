//! Finds accounts by the beginning of their name (CON-11).

use base::{OpResult, Row, Sql, Tx};

use crate::find::{Found, Sought};
use crate::home::Home;

pub(super) static BY_NAME: Sql = Sql::new(
    "console_account.sought",
    "SELECT name, role FROM console_account WHERE name >= ?1 AND name < ?2 ORDER BY name LIMIT ?3",
);

/// Accounts.
///
/// # Errors
/// The store fails.
pub fn find(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    sought.gather(tx, &[&BY_NAME], account)
}

fn account(row: &Row) -> Found {
    let name = row.text(0).to_owned();
    Found { id: name.clone(), name, about: row.text(1).to_owned(), ..Found::default() }
}
