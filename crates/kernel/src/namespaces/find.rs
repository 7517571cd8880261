//! Finds namespaces by a part of their name or label (CON-11): there are few, and all are read.

use base::{OpResult, Tx};

use super::list_namespaces::LIST_NAMESPACES;
use super::row::NamespaceRow;
use crate::find::{Found, Sought};
use crate::home::Home;

/// Namespaces.
///
/// # Errors
/// The store fails.
pub fn find(tx: &mut dyn Tx, home: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    let all = LIST_NAMESPACES.run_in(tx, home, &())?;
    let fits = |row: &NamespaceRow| sought.is_in(&row.name) || sought.is_in(&row.label);
    Ok(all.into_iter().filter(fits).take(sought.limit).map(namespace).collect())
}

fn namespace(row: NamespaceRow) -> Found {
    Found { id: row.name.clone(), name: row.name, about: row.label, ..Found::default() }
}
