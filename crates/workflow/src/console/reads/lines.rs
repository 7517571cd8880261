//! The tasks of a process without their data: what a picture of ten thousand of them needs.

use std::collections::BTreeSet;

use base::{OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;

use crate::engine::Made;
use crate::names::is_own;
use crate::task::Args;
use crate::task::row::{More, TASKS_MAX};

pub(super) static LINE: Sql = Sql::new(
    "wfl_task.lines",
    "SELECT t.number, t.parent, t.local, t.actor, t.method, t.attempt, d.state, d.error_class, d.tasks, d.ready_at, \
     d.taken_at, d.finished_at, d.broken_at FROM wfl_task t LEFT JOIN wfl_decision d ON d.process = t.process AND d.number = t.number \
     WHERE t.process = ?1 ORDER BY t.number LIMIT 10000",
);
/// Of arguments that are very large nothing is read.
pub(super) static WAIT: Sql = Sql::new(
    "wfl_task.line_waits",
    "SELECT rules, CASE WHEN LENGTH(args) <= 100000 THEN args ELSE '[]' END FROM wfl_task WHERE process = ?1 AND number = ?2",
);

/// The tasks of a process in the order in which they were laid out.
pub(in super::super) static LINES: Query<String, Vec<TaskLine>> = Query::new("workflow.page_lines", |tx, process| {
    Ok(tx.query(&LINE, args![process], TASKS_MAX)?.iter().map(TaskLine::of).collect())
});
/// What some tasks of a process wait for, in their order.
pub(in super::super) static WAITS: Query<(String, Vec<i64>), Vec<BTreeSet<i64>>> =
    Query::new("workflow.page_waits", |tx, (process, numbers)| {
        numbers.iter().map(|number| waits(tx, process, *number)).collect()
    });

/// How a task stands, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Stands {
    /// For others, a time, a signal or a process.
    Waiting,
    /// In its queue.
    Queued,
    /// Somebody has it.
    Work,
    /// It has its result.
    Done,
    /// It ended with an error, which is its result.
    Failed,
    /// It ended with an error that nobody accepts.
    Broken,
}

impl Stands {
    pub(in super::super) const ALL: [Self; 6] =
        [Self::Waiting, Self::Queued, Self::Work, Self::Done, Self::Failed, Self::Broken];

    pub(super) fn of(state: Option<&str>, is_own: bool, has_error: bool, is_broken: bool) -> Self {
        match state {
            None => Self::Waiting,
            Some("REGISTERED") if is_own => Self::Waiting,
            Some("REGISTERED") => Self::Queued,
            Some("WORK") => Self::Work,
            Some(_) if is_broken => Self::Broken,
            Some(_) if has_error => Self::Failed,
            Some(_) => Self::Done,
        }
    }

    /// It has ended.
    pub(in super::super) fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Broken)
    }
}

/// A task in a picture.
#[derive(Debug, Clone)]
pub(in super::super) struct TaskLine {
    pub(in super::super) number: i64,
    pub(in super::super) parent: i64,
    /// What the decision that laid it out called it.
    pub(in super::super) local: Option<String>,
    pub(in super::super) actor: String,
    pub(in super::super) method: String,
    pub(in super::super) attempt: i64,
    pub(in super::super) stands: Stands,
    pub(in super::super) error_class: Option<String>,
    /// The task whose result is its result.
    pub(in super::super) same_as: Option<i64>,
    pub(in super::super) ready_at: Option<Wall>,
    pub(in super::super) taken_at: Option<Wall>,
    pub(in super::super) finished_at: Option<Wall>,
}

impl TaskLine {
    fn of(row: &Row) -> Self {
        let text = |column: usize| row.opt_text(column).map(str::to_owned);
        let actor = row.text(3).to_owned();
        let error_class = text(7);
        let is_broken = row.opt_int(12).is_some();
        Self {
            number: row.int(0),
            parent: row.int(1),
            local: text(2).filter(|local| !local.starts_with('#')),
            stands: Stands::of(row.opt_text(6), is_own(&actor), error_class.is_some(), is_broken),
            actor,
            method: row.text(4).to_owned(),
            attempt: row.int(5),
            error_class,
            same_as: Made::read(row.opt_text(8)).as_other,
            ready_at: row.opt_int(9).map(Wall),
            taken_at: row.opt_int(10).map(Wall),
            finished_at: row.opt_int(11).map(Wall),
        }
    }
}

/// What a task waits for; of arguments that are very large only what it names beside them.
fn waits(tx: &mut dyn Tx, process: &str, number: i64) -> OpResult<BTreeSet<i64>> {
    let Some(row) = tx.query_one(&WAIT, args![process, number])? else { return Ok(BTreeSet::new()) };
    let more: More = row.opt_text(0).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let mut all = Args::read(row.text(1)).map(|args| args.promises()).unwrap_or_default();
    all.extend(more.wait_for);
    Ok(all)
}
