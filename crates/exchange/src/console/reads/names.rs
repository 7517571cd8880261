//! What devices are called, for lists that hold only their ids.

use std::collections::BTreeMap;

use base::{OpResult, Sql, Tx, args};
use kernel::Query;

/// The names of those of these that are devices, by their ids.
pub(in super::super) static NAMES: Query<Vec<String>, BTreeMap<String, String>> =
    Query::new("exchange.page_names", names);

pub(super) static NAME: Sql = Sql::new("exc_device.name", "SELECT name FROM exc_device WHERE id = ?1");

fn names(tx: &mut dyn Tx, ids: &Vec<String>) -> OpResult<BTreeMap<String, String>> {
    let mut names = BTreeMap::new();
    for id in ids {
        if let Some(row) = tx.query_one(&NAME, args![id])? {
            names.insert(id.clone(), row.text(0).to_owned());
        }
    }
    Ok(names)
}
