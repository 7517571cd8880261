//! The rows of tasks.

use std::collections::BTreeSet;

use base::{OpResult, Row, Sql, Tx, Wall, args};
use serde::{Deserialize, Serialize};

use super::args::Args;
use super::retry::Retry;
use crate::names::TaskId;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &FIND, &OF_PROCESS, &TAKE, &REMOVE, &REMOVE_ALL, &LAID_OUT];

/// Tasks of a process.
pub(crate) const TASKS_MAX: usize = 10_000;

macro_rules! columns {
    () => {
        "process, number, parent, local, actor, list, method, attempt, accept_fail, timeout_ms, start_at, rules, args"
    };
}
static INSERT: Sql = Sql::new(
    "wfl_task.insert",
    concat!(
        "INSERT INTO wfl_task (",
        columns!(),
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT (process, number) DO NOTHING"
    ),
);
static FIND: Sql =
    Sql::new("wfl_task.find", concat!("SELECT ", columns!(), " FROM wfl_task WHERE process = ?1 AND number = ?2"));
static OF_PROCESS: Sql = Sql::new(
    "wfl_task.of_process",
    concat!("SELECT ", columns!(), " FROM wfl_task WHERE process = ?1 ORDER BY number LIMIT 10000"),
);
static TAKE: Sql = Sql::new(
    "wfl_task.take",
    "UPDATE wfl_task SET attempt = ?3 WHERE process = ?1 AND number = ?2 AND attempt = ?3 - 1",
);
static REMOVE: Sql = Sql::new("wfl_task.remove", "DELETE FROM wfl_task WHERE process = ?1 AND number = ?2");
static REMOVE_ALL: Sql = Sql::new("wfl_task.remove_all", "DELETE FROM wfl_task WHERE process = ?1");
static LAID_OUT: Sql = Sql::new(
    "wfl_task.laid_out",
    "SELECT local, number FROM wfl_task WHERE process = ?1 AND parent = ?2 ORDER BY number LIMIT 10000",
);

/// What is kept of a task beside its columns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct More {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) retry: Option<Retry>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) wait_for: BTreeSet<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    /// Results of attempts up to this one were dropped: those that come late do not count.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) dropped: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// A task.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) id: TaskId,
    /// Who laid it out; 0: the process began with it.
    pub(crate) parent: i64,
    pub(crate) local: Option<String>,
    pub(crate) actor: String,
    pub(crate) list: String,
    pub(crate) method: String,
    pub(crate) attempt: i64,
    pub(crate) accept_fail: bool,
    pub(crate) timeout_ms: Option<i64>,
    pub(crate) start_at: Option<Wall>,
    pub(crate) more: More,
    pub(crate) args: Args,
}

impl Task {
    pub(crate) fn of(row: &Row) -> OpResult<Self> {
        let more = row.opt_text(11).map(|text| serde_json::from_str(text).unwrap_or_default());
        Ok(Self {
            id: TaskId::new(row.text(0), row.int(1)),
            parent: row.int(2),
            local: row.opt_text(3).map(str::to_owned),
            actor: row.text(4).to_owned(),
            list: row.text(5).to_owned(),
            method: row.text(6).to_owned(),
            attempt: row.int(7),
            accept_fail: row.int(8) != 0,
            timeout_ms: row.opt_int(9),
            start_at: row.opt_int(10).map(Wall),
            more: more.unwrap_or_default(),
            args: Args::read(row.text(12))?,
        })
    }

    /// A task; one that cannot be read is as good as lost, and is looked after like that.
    pub(crate) fn find(tx: &mut dyn Tx, id: &TaskId) -> OpResult<Option<Self>> {
        Ok(tx.query_one(&FIND, args![&id.process, id.number])?.and_then(|row| Self::of(&row).ok()))
    }

    pub(crate) fn of_process(tx: &mut dyn Tx, process: &str) -> OpResult<Vec<Self>> {
        Ok(tx.query(&OF_PROCESS, args![process], TASKS_MAX)?.iter().filter_map(|row| Self::of(row).ok()).collect())
    }

    /// What this task laid out before, by the ids that it gave.
    pub(crate) fn laid_out(tx: &mut dyn Tx, parent: &TaskId) -> OpResult<Vec<(Option<String>, i64)>> {
        let rows = tx.query(&LAID_OUT, args![&parent.process, parent.number], TASKS_MAX)?;
        Ok(rows.iter().map(|row| (row.opt_text(0).map(str::to_owned), row.int(1))).collect())
    }

    pub(crate) fn insert(&self, tx: &mut dyn Tx) -> OpResult<()> {
        let more = (self.more != More::default()).then(|| serde_json::to_string(&self.more).unwrap_or_default());
        let row = args![
            &self.id.process,
            self.id.number,
            self.parent,
            self.local.as_deref(),
            &self.actor,
            &self.list,
            &self.method,
            self.attempt,
            self.accept_fail,
            self.timeout_ms,
            self.start_at,
            more,
            self.args.text()
        ];
        Ok(tx.write(&INSERT, row)?)
    }

    /// The next attempt of it; whether it was the one that follows.
    pub(crate) fn take(tx: &mut dyn Tx, id: &TaskId, attempt: i64) -> OpResult<bool> {
        Ok(tx.execute(&TAKE, args![&id.process, id.number, attempt])? == 1)
    }

    /// Its results up to now do not count any more.
    pub(crate) fn drop_results(mut self, tx: &mut dyn Tx) -> OpResult<Self> {
        self.more.dropped = self.attempt;
        Self::remove(tx, &self.id)?;
        self.insert(tx)?;
        Ok(self)
    }

    pub(crate) fn remove(tx: &mut dyn Tx, id: &TaskId) -> OpResult<()> {
        Ok(tx.write(&REMOVE, args![&id.process, id.number])?)
    }

    pub(crate) fn remove_all(tx: &mut dyn Tx, process: &str) -> OpResult<()> {
        Ok(tx.write(&REMOVE_ALL, args![process])?)
    }

    /// How long a timer waits once it is ready, if its argument says so.
    pub(crate) fn pause_ms(&self) -> Option<i64> {
        self.args.0.first().and_then(|argument| argument.value.as_ref()).and_then(|value| value.get().parse().ok())
    }

    /// All that it waits for before it is ready.
    pub(crate) fn waits(&self) -> BTreeSet<i64> {
        let mut waits = self.args.promises();
        waits.extend(&self.more.wait_for);
        waits
    }
}
