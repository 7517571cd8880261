//! Names of clients to choose from, without what a list of clients counts of each.

use base::{OpResult, Sql, Tx, args};
use kernel::Query;

/// The oldest clients, so many at most.
pub(in super::super) static CLIENT_NAMES: Query<u32, Vec<ClientName>> = Query::new("sensor.client_names", names);

/// A client to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct ClientName {
    pub(in super::super) id: String,
    pub(in super::super) name: String,
}

pub(super) static PAGE: Sql =
    Sql::new("sensor_client.names", "SELECT id, name FROM sensor_client ORDER BY id LIMIT ?1");

fn names(tx: &mut dyn Tx, limit: &u32) -> OpResult<Vec<ClientName>> {
    let rows = tx.query(&PAGE, args![*limit], *limit as usize)?;
    Ok(rows.iter().map(|row| ClientName { id: row.text(0).to_owned(), name: row.text(1).to_owned() }).collect())
}
