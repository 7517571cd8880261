//! The broken tasks of a group, newest first, with message and trace.

use base::{OpError, OpResult, Sql, Tx, Value, Wall, codes};
use kernel::Query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::groups::{Grouping, counts, group_of, range};
use crate::codes::AWORKFLOW;
use crate::decision::row::Decision;
use crate::names::{TaskId, check_text, short};
use crate::task::ErrorForm;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&PAGE];

/// Tasks of one page: each may have a long trace.
const LIMIT_MAX: u32 = 100;
/// Tasks that one page looks at.
const EXAMINED_MAX: usize = 1_000;

static PAGE: Sql = Sql::new(
    "wfl_decision.broken_page",
    "SELECT d.process, d.number, d.broken_at, d.error_class, COALESCE(t.actor, d.queue), p.starter, p.state, p.type, t.method \
     FROM wfl_decision d JOIN wfl_process p ON p.id = d.process \
     LEFT JOIN wfl_task t ON t.process = d.process AND t.number = d.number \
     WHERE d.broken_at IS NOT NULL AND d.broken_at >= ?1 AND (d.broken_at, d.process, d.number) < (?2, ?3, ?4) \
     ORDER BY d.broken_at DESC, d.process DESC, d.number DESC LIMIT 1000",
);

/// Broken tasks, newest first.
pub static BROKEN_TASKS: Query<BrokenTasksOf, BrokenPage> = Query::new("workflow.broken_tasks", page);

/// Which of them.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BrokenTasksOf {
    /// By what they are grouped.
    #[serde(default)]
    pub group: Grouping,
    /// Only of this group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Broken at this moment or later, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Broken before this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// `next` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// At most so many, 1 to 100.
    pub limit: u32,
}

/// A page of them.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct BrokenPage {
    /// Tasks.
    pub tasks: Vec<BrokenTask>,
    /// Where the next page begins; it may come with fewer tasks than were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A broken task.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct BrokenTask {
    /// Its id.
    pub task_id: String,
    /// Its process.
    pub process_id: String,
    /// The type of that.
    #[serde(rename = "type")]
    pub kind: String,
    /// The actor that the process began with.
    pub starter: String,
    /// Who does it.
    pub actor: String,
    /// What is done.
    pub method: String,
    /// Which attempt broke.
    pub attempt: i64,
    /// When.
    #[schema(format = DateTime)]
    pub broken_at: String,
    /// With what: class, message and trace.
    pub error: ErrorForm,
}

fn page(tx: &mut dyn Tx, wanted: &BrokenTasksOf) -> OpResult<BrokenPage> {
    if !(1..=LIMIT_MAX).contains(&wanted.limit) {
        return Err(OpError::new(codes::ALIMIT, format!("limit is 1 to {LIMIT_MAX}")));
    }
    wanted.name.iter().filter(|name| !name.is_empty()).try_for_each(|name| check_text("name", name))?;
    let (from, to) = range(&wanted.from, &wanted.to)?;
    let (before, last) = match &wanted.after {
        Some(after) => place(after)?,
        None => (to, TaskId::new("", 0)),
    };
    let before = before.min(to);
    let row = [Value::from(from), Value::from(before), Value::from(&last.process), Value::from(last.number)];
    let rows = tx.query(&PAGE, &row, EXAMINED_MAX)?;
    let (mut tasks, mut next) = (vec![], None);
    for (examined, row) in rows.iter().enumerate() {
        let id = TaskId::new(row.text(0), row.int(1));
        let is_wanted = wanted.name.as_ref().is_none_or(|name| name == group_of(wanted.group, row));
        if is_wanted
            && counts(row)
            && let Some(decision) = Decision::find(tx, &id)?
        {
            tasks.push(BrokenTask {
                task_id: id.to_string(),
                process_id: id.process.clone(),
                kind: row.text(7).to_owned(),
                starter: row.text(5).to_owned(),
                actor: row.text(4).to_owned(),
                method: row.opt_text(8).unwrap_or_default().to_owned(),
                attempt: decision.attempt,
                broken_at: Wall(row.int(2)).rfc3339(),
                error: decision.error.unwrap_or_default(),
            });
        }
        let is_full = tasks.len() == wanted.limit as usize;
        if (is_full && examined + 1 < rows.len()) || examined + 1 == EXAMINED_MAX {
            next = Some(format!("{}/{id}", row.int(2)));
        }
        if is_full {
            break;
        }
    }
    Ok(BrokenPage { tasks, next })
}

/// Where a page ended: when the last task broke, and which that was.
fn place(after: &str) -> OpResult<(Wall, TaskId)> {
    let wrong = || OpError::new(AWORKFLOW, format!("after `{}` is no place in this list", short(after)));
    let (at, id) = after.split_once('/').ok_or_else(wrong)?;
    Ok((Wall(at.parse().map_err(|_| wrong())?), id.parse().map_err(|()| wrong())?))
}
