//! Reads the rows of namespaces.

use base::{OpResult, Tx, args};

use super::row::{self, NamespaceRow};
use crate::op::Query;

/// More than there can be.
const NAMESPACES_MAX: u32 = 1_000;

/// All namespaces by name.
pub static LIST_NAMESPACES: Query<(), Vec<NamespaceRow>> = Query::new("namespace.list", list_namespaces);
/// One namespace.
pub static GET_NAMESPACE: Query<String, NamespaceRow> = Query::new("namespace.show", |tx, name| row::get(tx, name));

fn list_namespaces(tx: &mut dyn Tx, (): &()) -> OpResult<Vec<NamespaceRow>> {
    let rows = tx.query(&row::ALL, args![NAMESPACES_MAX], NAMESPACES_MAX as usize)?;
    Ok(rows.iter().map(row::from_row).collect())
}
