//! Begins to remove a namespace: from the commit on nobody gets in, and each node lets go of its store. Its data is set aside,
//! not destroyed, unless it was made to try things in; then the row goes ([`super::settle_namespace`]).

use base::{OpError, OpResult, Tx, codes};

use super::create_namespace::keys;
use super::row::{self, FIRST, NamespaceRow};
use super::state::State;
use super::transfers::refuse_busy;
use crate::cx::OpCx;
use crate::op::Op;

/// Begins a removal; one that has begun goes on.
pub static REMOVE_NAMESPACE: Op<RemoveNamespace, NamespaceRow> =
    Op::new("namespace.remove", remove_namespace).keyed(|_| keys()).ending();

/// Which namespace.
#[derive(Debug, Clone)]
pub struct RemoveNamespace {
    /// Its name.
    pub name: String,
    /// The administrators' namespace, which stays.
    pub admin: String,
}

fn remove_namespace(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &RemoveNamespace) -> OpResult<NamespaceRow> {
    let before = row::get(tx, &input.name)?;
    if before.name == FIRST || before.name == input.admin {
        return Err(OpError::new(codes::ANAMESPACE, format!("namespace `{}` cannot be removed", before.name)));
    }
    if before.state == State::Removing {
        return Ok(before);
    }
    refuse_busy(tx, &before.name)?;
    cx.saw(before.stamp());
    let after = NamespaceRow {
        state: State::Removing,
        message: String::new(),
        reopens_at: None,
        version: cx.stamp().number(),
        ..before
    };
    row::update(tx, &after)?;
    let fate = if after.temporary { "destroyed".to_owned() } else { format!("kept as {}", after.aside()) };
    cx.fx.journal("namespace.removing", &after.name, format!("its data will be {fate}"));
    Ok(after)
}
