//! Ends a creation or a removal, once a node has done its part outside of the transaction.
//!
//! Both name the place, so that a late word about one life of a name changes nothing about the next, and both may come from
//! several nodes, or twice.

use base::mutants::{self, Mutant};
use base::{OpResult, Sql, Tx, args};

use super::create_namespace::{Changed, keys};
use super::row::{self, NamespaceRow};
use super::state::State;
use crate::cx::OpCx;
use crate::op::Op;

/// Tells that the store of a place is there, or was set aside.
pub static SETTLE_NAMESPACE: Op<Settled, Changed> =
    Op::new("namespace.settle", settle_namespace).keyed(|_| keys()).ending();

/// What was done.
#[derive(Debug, Clone)]
pub struct Settled {
    /// Of which namespace.
    pub name: String,
    /// In which of its lives.
    pub place: String,
    /// What its state was.
    pub from: State,
}

pub(super) static FIND: Sql =
    Sql::new("namespace.find", "SELECT name FROM namespace WHERE name = ?1 AND place = ?2 AND state = ?3");
pub(super) static DELETE: Sql = Sql::new("namespace.delete", "DELETE FROM namespace WHERE name = ?1");
pub(super) static DELETE_GRANTS: Sql =
    Sql::new("namespace_grant.delete_all", "DELETE FROM namespace_grant WHERE owner = ?1 OR reader = ?1");
pub(super) static DELETE_RESOURCES: Sql =
    Sql::new("namespace_resource.delete_all", "DELETE FROM namespace_resource WHERE namespace = ?1");

fn settle_namespace(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Settled) -> OpResult<Changed> {
    if !is_meant(tx, input)? {
        return Ok(Changed {});
    }
    match input.from {
        State::Creating => open(tx, cx, &input.name)?,
        State::Removing => forget(tx, cx, input)?,
        State::Open | State::ReadOnly | State::Closed | State::Moving => {}
    }
    Ok(Changed {})
}

/// Whether the row is still of that life and in that state.
fn is_meant(tx: &mut dyn Tx, input: &Settled) -> OpResult<bool> {
    if mutants::on(Mutant::OtherLifeSettled) {
        return Ok(tx.query_one(&row::GET, args![&input.name])?.is_some_and(|row| row.text(6) == input.from.word()));
    }
    Ok(tx.query_one(&FIND, args![&input.name, &input.place, input.from.word()])?.is_some())
}

fn open(tx: &mut dyn Tx, cx: &mut OpCx<'_>, name: &str) -> OpResult<()> {
    let before = row::get(tx, name)?;
    cx.saw(before.stamp());
    row::update(tx, &NamespaceRow { state: State::Open, version: cx.stamp().number(), ..before })?;
    cx.fx.journal("namespace.opened", name, "its store is there");
    Ok(())
}

/// The row, and what would come to life again with the name: grants and resources.
fn forget(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Settled) -> OpResult<()> {
    for statement in [&DELETE_GRANTS, &DELETE_RESOURCES, &DELETE] {
        if mutants::on(Mutant::GrantsOutliveNamespace) && statement.name == DELETE_GRANTS.name {
            continue;
        }
        tx.write(statement, args![&input.name])?;
    }
    cx.fx.journal("namespace.removed", &input.name, format!("nothing is left at {}", input.place));
    Ok(())
}
