//! Creates a namespace: its row says `creating` until a node has made its store.
//!
//! Just before the commit there is nothing; just after it the row is there and nothing else. Whoever keeps the namespaces of
//! a node then makes the store (which can be repeated) and says so ([`super::settle_namespace`]). Killed at any moment, the
//! row makes the next start go on.

use base::{ContentionKey, Engine, Keys, OpError, OpResult, Tx, args, codes};
use serde::{Deserialize, Serialize};

use super::row::{self, Limits, NamespaceRow, SecretUrl};
use super::state::State;
use crate::cx::OpCx;
use crate::op::Op;

/// Creates a namespace; one that is there already as wished is shown as it is.
pub static CREATE_NAMESPACE: Op<CreateNamespace, NamespaceRow> =
    Op::new("namespace.create", create_namespace).keyed(|_| keys());

/// All changes of namespaces, which are few, come one after the other.
pub(super) fn keys() -> Keys {
    Keys::of(vec![ContentionKey::of("namespace", "")])
}

/// What holds for new namespaces of this server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceRules {
    /// The engine of a namespace that does not name its own.
    pub engine: Engine,
    /// Whether a namespace on PostgreSQL needs no URL of its own.
    pub has_postgres: bool,
    /// How many namespaces there may be, the administrators' included.
    pub namespaces_max: u32,
    /// The name of this node, to which the files of namespaces created here belong.
    pub node: String,
}

impl Default for NamespaceRules {
    fn default() -> Self {
        Self { engine: Engine::Sqlite, has_postgres: false, namespaces_max: 64, node: "node".into() }
    }
}

/// What the namespace shall be.
#[derive(Debug, Clone)]
pub struct CreateNamespace {
    /// 1 to 16 of `a-z0-9`.
    pub name: String,
    /// For people.
    pub label: Option<String>,
    /// Its engine.
    pub engine: Option<Engine>,
    /// Its own PostgreSQL.
    pub url: Option<SecretUrl>,
    /// Only to try things in.
    pub temporary: bool,
    /// What holds on this server.
    pub rules: NamespaceRules,
    /// The administrators' namespace, whose name is taken.
    pub admin: String,
}

/// It was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {}

fn create_namespace(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &CreateNamespace) -> OpResult<NamespaceRow> {
    let wished = wished(cx, input)?;
    if !row::insert(tx, &wished)? {
        return same(row::get(tx, &input.name)?, input);
    }
    check_count(tx, &input.rules)?;
    cx.fx.journal("namespace.created", &wished.name, format!("on {} in {}", row::word_of(wished.engine), wished.place));
    Ok(wished)
}

/// Whether there is room for one more, which was added already.
pub(super) fn check_count(tx: &mut dyn Tx, rules: &NamespaceRules) -> OpResult<()> {
    let count = tx.query_one(&row::COUNT, args![])?.map_or(0, |row| row.int(0));
    let max = rules.namespaces_max;
    if count > i64::from(max) {
        return Err(OpError::new(codes::ALIMIT, format!("there are {max} namespaces, the most that are configured")));
    }
    Ok(())
}

pub(super) fn wished(cx: &mut OpCx<'_>, input: &CreateNamespace) -> OpResult<NamespaceRow> {
    row::check_name(&input.name)?;
    let label = input.label.clone().unwrap_or_default();
    row::check_label(&label)?;
    input.url.as_ref().map_or(Ok(()), row::check_url)?;
    let engine = input.engine.unwrap_or(input.rules.engine);
    check_engine(engine, input.url.as_ref(), &input.rules)?;
    if input.name == input.admin {
        return Err(OpError::new(codes::ANAMESPACE, format!("`{}` is the administrators' namespace", input.name)));
    }
    Ok(NamespaceRow {
        name: input.name.clone(),
        label,
        engine,
        place: row::new_place(&input.name, cx.id()),
        home: input.rules.node.clone(),
        url: input.url.clone(),
        state: State::Creating,
        message: String::new(),
        reopens_at: None,
        limits: Limits::default(),
        temporary: input.temporary,
        created_at: cx.wall.0,
        version: cx.stamp().number(),
    })
}

pub(super) fn check_engine(engine: Engine, url: Option<&SecretUrl>, rules: &NamespaceRules) -> OpResult<()> {
    let wrong = match (engine, url) {
        (Engine::Sqlite, Some(_)) => "a namespace on SQLite takes no url",
        (Engine::Postgres, None) if !rules.has_postgres => {
            "the engine postgres needs a url, here or as store.url of the server"
        }
        (Engine::Sqlite, None) | (Engine::Postgres, _) => return Ok(()),
    };
    Err(OpError::new(codes::ANAMESPACE, wrong))
}

/// A repeat finds what the first call made; another wish for the same name is not fulfilled in silence.
fn same(there: NamespaceRow, input: &CreateNamespace) -> OpResult<NamespaceRow> {
    let name = &there.name;
    if there.state == State::Removing {
        return Err(OpError::new(codes::OREMOVING, format!("namespace `{name}` is still being removed")));
    }
    let engine = input.engine.unwrap_or(there.engine);
    let label = input.label.as_ref().unwrap_or(&there.label);
    let is_same = engine == there.engine && *label == there.label && input.temporary == there.temporary;
    if is_same && (input.url.is_none() || input.url == there.url) {
        return Ok(there);
    }
    Err(OpError::new(
        codes::ANAMESPACE,
        format!("there is a namespace `{name}` already, with another label, engine or purpose"),
    ))
}
