//! Finds tasks for people (KER-22): by operation, text, state, retry and time, in the order of their creation.

use base::{Id, OpResult, Sql, Tx, Wall, args};
use serde::{Deserialize, Serialize};

use super::report_done::get;
use super::row::{Task, columns, parked_at};
use crate::op::Query;

/// A page of tasks.
pub static LIST: Query<Search, Vec<Task>> = Query::new("task.list", list);
/// One task.
pub static SHOW: Query<Id, Task> = Query::new("task.show", |tx, id| get(tx, *id));

/// What a task is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits for its time, or for room.
    Waiting,
    /// It waits for an older one of its lane.
    Behind,
    /// It runs.
    Running,
    /// It waits for a person.
    Parked,
}

impl Task {
    /// What it is doing.
    #[must_use]
    pub fn state(&self) -> State {
        match (self.owner.is_some(), self.is_parked(), self.behind) {
            (true, _, _) => State::Running,
            (false, true, _) => State::Parked,
            (false, false, true) => State::Behind,
            (false, false, false) => State::Waiting,
        }
    }
}

/// Which tasks.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Of this operation.
    pub op: Option<String>,
    /// With exactly this text.
    pub info: Option<String>,
    /// Doing this.
    pub state: Option<State>,
    /// In this queue.
    pub queue: Option<i64>,
    /// With at least so many failed runs.
    pub retry_min: i64,
    /// That start at or after this.
    pub from: Option<Wall>,
    /// That start before this.
    pub to: Option<Wall>,
    /// After this id.
    pub after: Option<Id>,
    /// At most so many.
    pub limit: u32,
}

/// What every text filters by, beyond what it is driven by. Each is used with one index.
macro_rules! search {
    ($name:literal, $driven:literal) => {
        Sql::new(
            $name,
            concat!(
                "SELECT ",
                columns!(),
                " FROM task WHERE id > ?1 AND ",
                $driven,
                " AND (?3 = '' OR op = ?3) AND (?4 = '' OR info = ?4) AND (?5 < 0 OR queue = ?5) AND retry >= ?6 \
                 AND start_at >= ?7 AND start_at < ?8 AND (?9 = 0 \
                 OR (?9 = 1 AND owner IS NULL AND behind = 0 AND start_at < ?10) \
                 OR (?9 = 2 AND behind = 1) OR (?9 = 3 AND owner IS NOT NULL) \
                 OR (?9 = 4 AND owner IS NULL AND start_at >= ?10)) ORDER BY id LIMIT ?2"
            ),
        )
    };
}

pub(super) static ALL: Sql = search!("task.list", "id > ''");
pub(super) static BY_OP: Sql = search!("task.list_by_op", "op = ?3 AND op <> ''");
pub(super) static BY_INFO: Sql = search!("task.list_by_info", "info = ?4 AND info <> ''");

fn list(tx: &mut dyn Tx, search: &Search) -> OpResult<Vec<Task>> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let sql = match (&search.info, &search.op) {
        (Some(_), _) => &BY_INFO,
        (None, Some(_)) => &BY_OP,
        (None, None) => &ALL,
    };
    let state = search.state.map_or(0, |state| state as i64 + 1);
    let (from, to) = (search.from.unwrap_or(Wall(i64::MIN)), search.to.unwrap_or(Wall(i64::MAX)));
    let after = search.after.map(|id| id.to_string()).unwrap_or_default();
    let (op, info, queue) = (text(&search.op), text(&search.info), search.queue.unwrap_or(-1));
    let args = args![after, search.limit, op, info, queue, search.retry_min, from, to, state, parked_at()];
    Ok(tx.query(sql, args, search.limit as usize)?.iter().map(Task::read).collect())
}
