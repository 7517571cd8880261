//! The row of a transfer.

use base::{Engine, OpError, OpResult, Row, Sql, Tx, args, codes};
use serde::{Deserialize, Serialize};

use super::super::row::{self, SecretUrl, engine_of, engine_word, word_of};
use super::super::state::State;
use super::state::TransferState;
use crate::op::Query;

/// More than there can be namespaces.
const TRANSFERS_MAX: u32 = 1_000;

/// The last transfer of a namespace.
pub static GET_TRANSFER: Query<String, Option<Transfer>> = Query::new("namespace.transfer", |tx, name| get(tx, name));

/// What is carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// From one engine to the other.
    Move,
    /// Out of an archive.
    Import,
}

impl Kind {
    /// The word used in tables and answers.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::Import => "import",
        }
    }
}

/// A transfer as its row says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// Of which namespace.
    pub name: String,
    /// Tells it from all others.
    pub id: String,
    /// What is carried.
    pub kind: Kind,
    /// How far it is.
    pub state: TransferState,
    /// In which of its lives.
    pub place: String,
    /// The engine that it leaves, of a move.
    pub from: Option<EngineWord>,
    /// The engine that it comes to.
    #[serde(with = "engine_word")]
    pub to: Engine,
    /// The PostgreSQL that it comes to, if it is not the server's. Neither shown nor kept with answers.
    #[serde(skip)]
    pub to_url: Option<SecretUrl>,
    /// Who works on it.
    pub node: String,
    /// The namespace's state to go back to.
    pub resume: Option<State>,
    /// Whether somebody wants it back.
    pub cancelled: bool,
    /// How often its work was begun.
    pub attempts: i64,
    /// What went wrong last.
    pub note: String,
    /// The digest of the archive.
    pub archive: Option<String>,
    /// Rows that both sides held.
    pub rows: Option<i64>,
    /// Their digest.
    pub digest: Option<String>,
    /// When it was asked for, milliseconds since 1970.
    pub started_at: i64,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// Of the row.
    pub version: i64,
}

/// An engine, as serde knows one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineWord(#[serde(with = "engine_word")] pub Engine);

macro_rules! columns {
    () => {
        "name, id, kind, state, place, from_engine, to_engine, to_url, node, resume, cancelled, attempts, note, archive, \
         row_count, digest, started_at, ended_at, version"
    };
}

/// One that has ended makes room.
pub(super) static PUT: Sql = Sql::new(
    "namespace_transfer.put",
    concat!(
        "INSERT INTO namespace_transfer (",
        columns!(),
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, NULL, 0, 0, '', ?10, NULL, NULL, ?11, NULL, ?12) \
         ON CONFLICT (name) DO UPDATE SET id = excluded.id, kind = excluded.kind, state = excluded.state, \
         place = excluded.place, from_engine = excluded.from_engine, to_engine = excluded.to_engine, \
         to_url = excluded.to_url, node = excluded.node, resume = NULL, cancelled = 0, attempts = 0, note = '', \
         archive = excluded.archive, row_count = NULL, digest = NULL, started_at = excluded.started_at, ended_at = NULL, \
         version = excluded.version"
    ),
);
pub(super) static GET: Sql =
    Sql::new("namespace_transfer.get", concat!("SELECT ", columns!(), " FROM namespace_transfer WHERE name = ?1"));
pub(super) static UNFINISHED: Sql = Sql::new(
    "namespace_transfer.unfinished",
    concat!("SELECT ", columns!(), " FROM namespace_transfer WHERE ended_at IS NULL ORDER BY name LIMIT ?1"),
);
pub(super) static UPDATE: Sql = Sql::new(
    "namespace_transfer.update",
    "UPDATE namespace_transfer SET state = ?2, resume = ?3, cancelled = ?4, attempts = ?5, note = ?6, row_count = ?7, \
     digest = ?8, ended_at = ?9, version = ?10 WHERE name = ?1",
);

/// The last transfer of a namespace.
pub(super) fn get(tx: &mut dyn Tx, name: &str) -> OpResult<Option<Transfer>> {
    Ok(tx.query_one(&GET, args![name])?.as_ref().map(from_row))
}

/// All that have not ended.
pub(in super::super) fn unfinished(tx: &mut dyn Tx) -> OpResult<Vec<Transfer>> {
    Ok(tx.query(&UNFINISHED, args![TRANSFERS_MAX], TRANSFERS_MAX as usize)?.iter().map(from_row).collect())
}

/// A namespace on its way is not removed under whoever carries it.
pub(in super::super) fn refuse_busy(tx: &mut dyn Tx, name: &str) -> OpResult<()> {
    match get(tx, name)?.filter(|transfer| !transfer.state.is_final()) {
        Some(transfer) => Err(busy(&transfer)),
        None => Ok(()),
    }
}

/// It is on its way already.
pub(super) fn busy(transfer: &Transfer) -> OpError {
    let Transfer { name, kind, state, .. } = transfer;
    let text = format!("the {} of namespace `{name}` is not finished, it is {}", kind.word(), state.word());
    OpError::new(codes::ANAMESPACE, text)
}

pub(super) fn put(tx: &mut dyn Tx, transfer: &Transfer) -> OpResult<()> {
    let values = args![
        &transfer.name,
        &transfer.id,
        transfer.kind.word(),
        transfer.state.word(),
        &transfer.place,
        transfer.from.map(|EngineWord(engine)| word_of(engine)),
        word_of(transfer.to),
        transfer.to_url.as_ref().map(|url| url.0.as_str()),
        &transfer.node,
        transfer.archive.as_deref(),
        transfer.started_at,
        transfer.version,
    ];
    Ok(tx.write(&PUT, values)?)
}

pub(super) fn update(tx: &mut dyn Tx, transfer: &Transfer) -> OpResult<()> {
    let values = args![
        &transfer.name,
        transfer.state.word(),
        transfer.resume.map(State::word),
        transfer.cancelled,
        transfer.attempts,
        &transfer.note,
        transfer.rows,
        transfer.digest.as_deref(),
        transfer.ended_at,
        transfer.version,
    ];
    Ok(tx.write(&UPDATE, values)?)
}

fn from_row(row: &Row) -> Transfer {
    let text = |column| row.text(column).to_owned();
    let opt_text = |column| row.opt_text(column).map(str::to_owned);
    let engine = |word: &str| engine_of(word).expect("an engine that we wrote");
    Transfer {
        name: text(0),
        id: text(1),
        kind: if row.text(2) == Kind::Import.word() { Kind::Import } else { Kind::Move },
        state: TransferState::from_word(row.text(3)).expect("a state that we wrote"),
        place: text(4),
        from: row.opt_text(5).map(|word| EngineWord(engine(word))),
        to: engine(row.text(6)),
        to_url: opt_text(7).map(SecretUrl),
        node: text(8),
        resume: row.opt_text(9).and_then(State::from_word),
        cancelled: row.int(10) == 1,
        attempts: row.int(11),
        note: text(12),
        archive: opt_text(13),
        rows: row.opt_int(14),
        digest: opt_text(15),
        started_at: row.int(16),
        ended_at: row.opt_int(17),
        version: row.int(18),
    }
}

/// The namespace that a transfer is about, if it is still of that life.
pub(super) fn namespace_of(tx: &mut dyn Tx, transfer: &Transfer) -> OpResult<Option<row::NamespaceRow>> {
    let found = tx.query_one(&row::GET, args![&transfer.name])?;
    Ok(found.as_ref().map(row::from_row).filter(|row| row.place == transfer.place))
}
