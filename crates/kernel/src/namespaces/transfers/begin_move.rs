//! Begins to move a namespace to the other engine. From the commit on there is a row; whoever keeps the namespaces of its node works on it.

use base::{Engine, OpError, OpResult, Tx, codes};

use super::super::create_namespace::{NamespaceRules, check_engine, keys};
use super::super::row::{self, NamespaceRow, SecretUrl, word_of};
use super::super::state::State;
use super::row::{EngineWord, Kind, Transfer, busy, get, put};
use super::state::TransferState;
use crate::cx::OpCx;
use crate::op::Op;

/// Begins a move; one that is under way to the same engine goes on, and one to where it is already is done.
pub static BEGIN_MOVE: Op<BeginMove, Transfer> = Op::new("namespace.move", begin_move).keyed(|_| keys());

/// Where to.
#[derive(Debug, Clone)]
pub struct BeginMove {
    /// Which namespace.
    pub name: String,
    /// The engine that it comes to.
    pub engine: Engine,
    /// The PostgreSQL that it comes to, if it is not the server's.
    pub url: Option<SecretUrl>,
    /// What holds on this server.
    pub rules: NamespaceRules,
    /// The engine of the administrators' namespace: where that is PostgreSQL, there may be several nodes.
    pub admin_engine: Engine,
    /// The administrators' namespace, which stays where it is.
    pub admin: String,
}

fn begin_move(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &BeginMove) -> OpResult<Transfer> {
    let row = row::get(tx, &input.name)?;
    if let Some(transfer) = get(tx, &input.name)?.filter(|transfer| !transfer.state.is_final()) {
        return same(transfer, input);
    }
    check(&row, input)?;
    input.url.as_ref().map_or(Ok(()), row::check_url)?;
    let transfer = transfer(cx, &row, input);
    put(tx, &transfer)?;
    let way = format!("from {} to {}", word_of(row.engine), word_of(input.engine));
    cx.fx.journal("namespace.moving", &row.name, way);
    Ok(transfer)
}

/// A repeat finds the move that the first call began.
fn same(transfer: Transfer, input: &BeginMove) -> OpResult<Transfer> {
    let is_same = transfer.kind == Kind::Move && transfer.to == input.engine && transfer.to_url == input.url;
    if is_same && !transfer.cancelled { Ok(transfer) } else { Err(busy(&transfer)) }
}

fn check(row: &NamespaceRow, input: &BeginMove) -> OpResult<()> {
    let (name, engine) = (&row.name, word_of(input.engine));
    let refused = |text: String| Err(OpError::new(codes::ANAMESPACE, text));
    check_engine(input.engine, input.url.as_ref(), &input.rules)?;
    if *name == input.admin {
        return refused(format!(
            "`{name}` is the administrators' namespace: stop the server, and carry it by `fastness admin change-engine`"
        ));
    }
    if row.engine == input.engine {
        return refused(format!("namespace `{name}` is on {engine} already"));
    }
    if row.engine == Engine::Sqlite && input.admin_engine == Engine::Postgres && row.home != input.rules.node {
        return refused(format!("the file of namespace `{name}` is on node {}: ask there", row.home));
    }
    match row.state {
        State::Open | State::ReadOnly | State::Closed => Ok(()),
        State::Creating | State::Moving | State::Removing => {
            refused(format!("namespace `{name}` is {}", row.state.word()))
        }
    }
}

fn transfer(cx: &mut OpCx<'_>, row: &NamespaceRow, input: &BeginMove) -> Transfer {
    Transfer {
        name: row.name.clone(),
        id: cx.id().to_string(),
        kind: Kind::Move,
        state: TransferState::Copying,
        place: row.place.clone(),
        from: Some(EngineWord(row.engine)),
        to: input.engine,
        to_url: input.url.clone(),
        node: input.rules.node.clone(),
        resume: None,
        cancelled: false,
        attempts: 0,
        note: String::new(),
        archive: None,
        rows: None,
        digest: None,
        started_at: cx.wall.0,
        ended_at: None,
        version: cx.stamp().number(),
    }
}
