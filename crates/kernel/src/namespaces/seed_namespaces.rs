//! Makes sure, at every start, that the first namespaces have their rows.

use base::{Engine, OpResult, Tx};

use super::create_namespace::{Changed, keys};
use super::row::{self, FIRST, Limits, NamespaceRow};
use super::state::State;
use crate::cx::OpCx;
use crate::op::Op;

/// Adds the rows of `main` and of the administrators' namespace where they are missing.
pub static SEED_NAMESPACES: Op<SeedNamespaces, Changed> =
    Op::new("namespace.seed", seed_namespaces).keyed(|_| keys()).ending();

/// What they are.
#[derive(Debug, Clone)]
pub struct SeedNamespaces {
    /// The administrators' namespace.
    pub admin: String,
    /// The engine of both.
    pub engine: Engine,
    /// This node.
    pub node: String,
}

fn seed_namespaces(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &SeedNamespaces) -> OpResult<Changed> {
    // The administrators' store is open, or this would not run; that of `main` may have to be made.
    let seeds = [(input.admin.as_str(), "administrators", State::Open), (FIRST, "", State::Creating)];
    for (name, label, state) in seeds {
        row::insert(tx, &seed(cx, input, (name, label, state)))?;
    }
    Ok(Changed {})
}

fn seed(cx: &mut OpCx<'_>, input: &SeedNamespaces, (name, label, state): (&str, &str, State)) -> NamespaceRow {
    NamespaceRow {
        name: name.to_owned(),
        label: label.to_owned(),
        engine: input.engine,
        // The first life of a name that can never be removed.
        place: name.to_owned(),
        home: input.node.clone(),
        url: None,
        state,
        message: String::new(),
        reopens_at: None,
        limits: Limits::default(),
        temporary: false,
        created_at: cx.wall.0,
        version: cx.stamp().number(),
    }
}
