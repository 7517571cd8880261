//! The nodes that work on a namespace (KER-23).

use base::{Sql, StoreResult, Tx, Wall, args};

/// Nodes that are shown.
const NODES_MAX: usize = 100;

/// A node whose lease is not over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSeen {
    /// Its id, of this life.
    pub id: String,
    /// Its name, of all lives.
    pub name: String,
    /// When it last said that it is alive.
    pub seen_at: Wall,
}

pub(super) static ALIVE: Sql =
    Sql::new("node.alive", "SELECT id, name, seen_at FROM node WHERE until > ?1 ORDER BY id LIMIT 100");

pub(crate) fn alive(tx: &mut dyn Tx) -> StoreResult<Vec<NodeSeen>> {
    let rows = tx.query(&ALIVE, args![tx.heard()], NODES_MAX)?;
    let node = |row: &base::Row| NodeSeen {
        id: row.text(0).to_owned(),
        name: row.text(1).to_owned(),
        seen_at: Wall(row.int(2)),
    };
    Ok(rows.iter().map(node).collect())
}
