//! Nodes and their leases (KER-23): a node that is silent for longer than its lease loses its tasks; one that starts anew
//! loses those of its life before at once.

use base::mutants::{self, Mutant};
use base::{Heard, OpResult, Sql, StoreResult, Tx, args};
use serde::{Deserialize, Serialize};

use crate::cx::OpCx;
use crate::op::{Op, Query};

/// A node starts: its earlier lives are over.
pub static JOIN: Op<Node, ()> = Op::new("node.join", join).ending();
/// A node is alive. One statement, so that nodes never fight over it.
pub static BEAT: Op<Node, ()> = Op::new("node.beat", beat).claiming().ending();
/// A node ends in good order.
pub static LEAVE: Op<String, ()> = Op::new("node.leave", leave).claiming().ending();
/// Nodes whose lease is over.
pub static OVER: Query<(), Vec<String>> = Query::new("node.over", over);

/// A node.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Its id, of this life.
    pub id: String,
    /// Its name, of all lives.
    pub name: String,
    /// How long its silence is borne.
    pub lease_ms: i64,
}

pub(super) static END_OTHERS: Sql =
    Sql::new("node.end_others", "UPDATE node SET until = ?3 WHERE name = ?2 AND id <> ?1 AND until > ?3");
pub(super) static KEEP: Sql = Sql::new(
    "node.keep",
    "INSERT INTO node (id, name, seen_at, until) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO UPDATE SET seen_at = ?3, until = ?4",
);
pub(super) static END_OWN: Sql = Sql::new("node.end_own", "UPDATE node SET until = ?2 WHERE id = ?1 AND until > ?2");
pub(super) static ALL_OVER: Sql =
    Sql::new("node.all_over", "SELECT id FROM node WHERE until <= ?1 ORDER BY id LIMIT 100");
pub(super) static UNKNOWN: Sql = Sql::new(
    "node.unknown",
    "SELECT DISTINCT owner FROM task WHERE owner IS NOT NULL AND NOT EXISTS (SELECT 1 FROM node WHERE node.id = task.owner) \
     ORDER BY owner LIMIT 100",
);
pub(super) static UNTIL: Sql = Sql::new("node.until", "SELECT until FROM node WHERE id = ?1");
pub(super) static FORGET: Sql = Sql::new("node.forget", "DELETE FROM node WHERE id = ?1 AND until <= ?2");

fn join(tx: &mut dyn Tx, cx: &mut OpCx<'_>, node: &Node) -> OpResult<()> {
    tx.write(&END_OTHERS, args![&node.id, &node.name, cx.heard])?;
    beat(tx, cx, node)
}

fn beat(tx: &mut dyn Tx, cx: &mut OpCx<'_>, node: &Node) -> OpResult<()> {
    let until = cx.heard.plus_ms(node.lease_ms);
    Ok(tx.write(&KEEP, args![&node.id, &node.name, cx.wall, until])?)
}

fn leave(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &String) -> OpResult<()> {
    Ok(tx.write(&END_OWN, args![id, cx.heard])?)
}

fn over(tx: &mut dyn Tx, (): &()) -> OpResult<Vec<String>> {
    if mutants::on(Mutant::LostNodeIgnored) {
        return Ok(vec![]);
    }
    let mut rows = tx.query(&ALL_OVER, args![tx.heard()], 100)?;
    // A claim that was under way when its node was forgotten.
    rows.extend(tx.query(&UNKNOWN, args![], 100)?);
    Ok(rows.iter().map(|row| row.text(0).to_owned()).collect())
}

/// All lives of a node are over, and it starts no other one under this name.
pub(crate) fn end_all(tx: &mut dyn Tx, name: &str, now: Heard) -> StoreResult<()> {
    tx.write(&END_OTHERS, args!["", name, now])
}

/// Whether a node's lease is over; one that is not known any more has none.
pub(super) fn is_over(tx: &mut dyn Tx, id: &str, now: Heard) -> StoreResult<bool> {
    Ok(tx.query_one(&UNTIL, args![id])?.is_none_or(|row| row.int(0) <= now.0))
}

/// All its tasks were given to others: nothing is left to be known of it.
pub(super) fn forget(tx: &mut dyn Tx, id: &str, now: Heard) -> StoreResult<()> {
    tx.write(&FORGET, args![id, now])
}
