//! What must be so, and what the rows say afterwards, when the administrators' namespace was carried to the other engine while nobody served (KER-3).

use base::{Engine, OpResult, Sql, Tx, args};

use super::create_namespace::{Changed, keys};
use super::row::{self, word_of};
use super::transfers::{SWITCH, unfinished};
use crate::cx::OpCx;
use crate::op::{Op, Query};
use crate::overview::nodes_alive;
use crate::tasks::end_node;

/// What stands in the way of a change, as sentences: nothing may be half-way, and nobody else may serve.
pub static HINDRANCES: Query<String, Vec<String>> = Query::new("namespace.hindrances", hindrances);
/// Says where the administrators' namespace is now, and which node its files belong to; a repeat changes nothing.
pub static CHANGE_ENGINE: Op<ChangeEngine, Changed> =
    Op::new("namespace.change_engine", change_engine).keyed(|_| keys()).ending();

/// Where it is now.
#[derive(Debug, Clone)]
pub struct ChangeEngine {
    /// The administrators' namespace.
    pub admin: String,
    /// Its engine from now on.
    pub engine: Engine,
    /// How this node was called: the name goes with the engine.
    pub node_before: String,
    /// How it is called now.
    pub node: String,
}

pub(super) static REHOME: Sql =
    Sql::new("namespace.rehome", "UPDATE namespace SET home = ?2 WHERE home = ?1 AND home <> ?2");

fn hindrances(tx: &mut dyn Tx, own_node: &String) -> OpResult<Vec<String>> {
    let moving = unfinished(tx)?.into_iter().map(|transfer| {
        let (kind, name) = (transfer.kind.word(), transfer.name);
        format!(
            "the {kind} of namespace `{name}` is not finished: start the server, and wait for its end or take it back"
        )
    });
    let moving: Vec<String> = moving.collect();
    let others = nodes_alive(tx)?.into_iter().filter(|node| node.name != *own_node);
    let others = others
        .map(|node| format!("server {} was there a moment ago: stop it, and try again in half a minute", node.name));
    Ok(moving.into_iter().chain(others).collect())
}

fn change_engine(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &ChangeEngine) -> OpResult<Changed> {
    let ChangeEngine { admin, engine, node_before, node } = input;
    let row = row::get(tx, admin)?;
    if row.engine == *engine && row.home == *node {
        return Ok(Changed {});
    }
    tx.write(&SWITCH, args![admin, word_of(*engine), None::<&str>, node])?;
    tx.write(&REHOME, args![node_before, node])?;
    if node != node_before {
        // Whoever had this name is not there: his lease would keep others waiting.
        end_node(tx, node_before, cx.heard)?;
    }
    cx.fx.journal("namespace.moved", admin, format!("the administrators' namespace is on {} now", word_of(*engine)));
    Ok(Changed {})
}
