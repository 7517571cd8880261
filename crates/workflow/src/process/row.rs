//! The rows of processes.

use base::{Heard, OpError, OpResult, Row, Sql, Tx, Wall, args, codes};

use crate::codes::NFLOW;
use crate::names::{TaskId, short};
use crate::task::{ErrorForm, TaskForm};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &FIND, &BY_KEY, &SAVE, &LOOK];

macro_rules! columns {
    () => {
        "id, type, custom_id, start, first, parent, state, started_at, ended_at, changed, value, error_class, error, recovery, starter"
    };
}
static INSERT: Sql = Sql::new(
    "wfl_process.insert",
    "INSERT INTO wfl_process (id, type, custom_id, start_key, start, starter, first, parent, state, started_at, changed, recovery) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'ACTIVE', ?9, ?10, ?11)",
);
static FIND: Sql = Sql::new("wfl_process.find", concat!("SELECT ", columns!(), " FROM wfl_process WHERE id = ?1"));
static BY_KEY: Sql = Sql::new(
    "wfl_process.by_key",
    "SELECT id, start, custom_id FROM wfl_process WHERE type = ?1 AND start_key = ?2 AND start_key IS NOT NULL",
);
static SAVE: Sql = Sql::new(
    "wfl_process.save",
    "UPDATE wfl_process SET state = ?2, first = ?3, ended_at = ?4, ended = ?5, changed = ?6, value = ?7, error_class = ?8, error = ?9, \
     recovery = ?10 WHERE id = ?1",
);
static LOOK: Sql =
    Sql::new("wfl_process.look", "UPDATE wfl_process SET recovery = ?2 WHERE id = ?1 AND recovery IS NOT NULL");

/// Where a process stands (WFL-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Active,
    Finished,
    Broken,
    Aborted,
}

impl State {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Finished => "FINISHED",
            Self::Broken => "BROKEN",
            Self::Aborted => "ABORTED",
        }
    }

    pub(crate) fn of(text: &str) -> Self {
        match text {
            "FINISHED" => Self::Finished,
            "BROKEN" => Self::Broken,
            "ABORTED" => Self::Aborted,
            _ => Self::Active,
        }
    }

    /// Nothing happens in it any more by itself.
    pub(crate) fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Aborted)
    }
}

/// A process.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) custom_id: Option<String>,
    pub(crate) start: String,
    pub(crate) first: i64,
    pub(crate) parent: Option<TaskId>,
    pub(crate) state: State,
    pub(crate) started_at: Wall,
    pub(crate) ended_at: Option<Wall>,
    pub(crate) changed: Heard,
    pub(crate) value: Option<String>,
    pub(crate) error: Option<ErrorForm>,
    pub(crate) recovery: Option<Heard>,
    pub(crate) starter: String,
}

/// Numbers of tasks that a run of a process may use up; the next run begins above them.
pub(crate) const RUN: i64 = 1_000_000;

impl Process {
    pub(crate) fn of(row: &Row) -> Self {
        let text = |column: usize| row.opt_text(column).map(str::to_owned);
        let error = row.opt_text(12).map(|text| serde_json::from_str(text).unwrap_or_default());
        Self {
            id: row.text(0).to_owned(),
            kind: row.text(1).to_owned(),
            custom_id: text(2),
            start: row.text(3).to_owned(),
            first: row.int(4),
            parent: row.opt_text(5).and_then(|parent| parent.parse().ok()),
            state: State::of(row.text(6)),
            started_at: Wall(row.int(7)),
            ended_at: row.opt_int(8).map(Wall),
            changed: Heard(row.int(9)),
            value: text(10),
            error,
            recovery: row.opt_int(13).map(Heard),
            starter: row.text(14).to_owned(),
        }
    }

    pub(crate) fn find(tx: &mut dyn Tx, id: &str) -> OpResult<Option<Self>> {
        Ok(tx.query_one(&FIND, args![id])?.as_ref().map(Self::of))
    }

    /// It must be there.
    pub(crate) fn get(tx: &mut dyn Tx, id: &str) -> OpResult<Self> {
        Self::find(tx, id)?.ok_or_else(|| OpError::new(NFLOW, format!("no process `{}`", short(id))))
    }

    /// The process of a type that was started with a key, with its start and custom id.
    pub(crate) fn by_key(tx: &mut dyn Tx, kind: &str, key: &str) -> OpResult<Option<(String, String, Option<String>)>> {
        let row = tx.query_one(&BY_KEY, args![kind, key])?;
        Ok(row.map(|row| (row.text(0).to_owned(), row.text(1).to_owned(), row.opt_text(2).map(str::to_owned))))
    }

    pub(crate) fn insert(&self, tx: &mut dyn Tx, key: Option<&str>) -> OpResult<()> {
        let parent = self.parent.as_ref().map(ToString::to_string);
        let row = args![
            &self.id,
            &self.kind,
            self.custom_id.as_deref(),
            key,
            &self.start,
            &self.starter,
            self.first,
            parent,
            self.started_at,
            self.changed,
            self.recovery
        ];
        Ok(tx.write(&INSERT, row)?)
    }

    /// Keeps what may change.
    pub(crate) fn save(&self, tx: &mut dyn Tx) -> OpResult<()> {
        let error = self.error.as_ref().map(|error| serde_json::to_string(error).unwrap_or_default());
        let ended = self.state.is_over().then_some(self.changed);
        let row = args![
            &self.id,
            self.state.text(),
            self.first,
            self.ended_at,
            ended,
            self.changed,
            self.value.as_deref(),
            self.error.as_ref().map(|error| error.class.as_str()),
            error,
            self.recovery
        ];
        Ok(tx.write(&SAVE, row)?)
    }

    /// Has it looked at then.
    pub(crate) fn look(tx: &mut dyn Tx, id: &str, at: Heard) -> OpResult<()> {
        Ok(tx.write(&LOOK, args![id, at])?)
    }

    /// The task that it begins with.
    pub(crate) fn start_form(&self) -> OpResult<TaskForm> {
        let damaged =
            |error| OpError::new(codes::BDETECTED, format!("the start of {} cannot be read: {error}", self.id));
        serde_json::from_str(&self.start).map_err(damaged)
    }
}
