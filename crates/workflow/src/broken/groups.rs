//! Broken tasks in groups: by starter, actor or class of their error.

use std::collections::BTreeMap;

use base::{OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::decision::row::Decision;
use crate::names::TaskId;
use crate::search::moment;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&IN_RANGE];

/// Tasks that are looked at, the newest.
const EXAMINED_MAX: usize = 10_000;
/// Groups that are shown, the largest.
const GROUPS_MAX: usize = 200;

static IN_RANGE: Sql = Sql::new(
    "wfl_decision.broken_in_range",
    "SELECT d.process, d.number, d.broken_at, d.error_class, COALESCE(t.actor, d.queue), p.starter, p.state \
     FROM wfl_decision d JOIN wfl_process p ON p.id = d.process \
     LEFT JOIN wfl_task t ON t.process = d.process AND t.number = d.number \
     WHERE d.broken_at IS NOT NULL AND d.broken_at >= ?1 AND d.broken_at < ?2 \
     ORDER BY d.broken_at DESC, d.process DESC, d.number DESC LIMIT 10000",
);

/// Groups of broken tasks, the largest first.
pub static BROKEN: Query<BrokenOf, Groups> = Query::new("workflow.broken", groups);

/// By what tasks are grouped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = BrokenGrouping)]
pub enum Grouping {
    /// The actor that the process began with.
    Starter,
    /// The actor of the task.
    Actor,
    /// The class of the error.
    #[default]
    Error,
}

/// Which of them, and how.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BrokenOf {
    /// By what they are grouped.
    pub group: Grouping,
    /// Broken at this moment or later, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Broken before this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// Groups of broken tasks.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = BrokenGroups)]
pub struct Groups {
    /// The largest first.
    pub groups: Vec<Group>,
    /// There are more than the newest 10,000 tasks that were counted, or more than 200 groups: name a shorter time.
    pub more: bool,
}

/// A group of broken tasks.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = BrokenGroup)]
pub struct Group {
    /// The starter, the actor or the class.
    pub group: String,
    /// Tasks.
    pub count: i64,
    /// When the first of them broke.
    #[schema(format = DateTime)]
    pub first_at: String,
    /// When the last of them broke.
    #[schema(format = DateTime)]
    pub last_at: String,
    /// The last of them.
    pub task_id: String,
    /// The message of its error.
    pub example: String,
}

/// From when to when.
pub(super) fn range(from: &Option<String>, to: &Option<String>) -> OpResult<(Wall, Wall)> {
    Ok((moment("from", from)?.unwrap_or(Wall(0)), moment("to", to)?.unwrap_or(Wall(i64::MAX))))
}

/// The group of a row of `IN_RANGE`.
pub(super) fn group_of(by: Grouping, row: &Row) -> &str {
    match by {
        Grouping::Starter => row.text(5),
        Grouping::Actor => row.text(4),
        Grouping::Error => row.opt_text(3).unwrap_or_default(),
    }
}

/// Whether its process is still broken.
pub(super) fn counts(row: &Row) -> bool {
    row.text(6) == "BROKEN"
}

struct Sum {
    count: i64,
    first: Wall,
    last: Wall,
    example: TaskId,
}

fn groups(tx: &mut dyn Tx, wanted: &BrokenOf) -> OpResult<Groups> {
    let (from, to) = range(&wanted.from, &wanted.to)?;
    let rows = tx.query(&IN_RANGE, args![from, to], EXAMINED_MAX)?;
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for row in rows.iter().filter(|row| counts(row)) {
        let at = Wall(row.int(2));
        // They come newest first.
        let new = || Sum { count: 0, first: at, last: at, example: TaskId::new(row.text(0), row.int(1)) };
        let sum = sums.entry(group_of(wanted.group, row)).or_insert_with(new);
        (sum.count, sum.first) = (sum.count + 1, at);
    }
    let more = rows.len() == EXAMINED_MAX || sums.len() > GROUPS_MAX;
    let mut largest: Vec<(&str, Sum)> = sums.into_iter().collect();
    largest.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.count));
    let groups =
        largest.into_iter().take(GROUPS_MAX).map(|(name, sum)| shown(tx, name, &sum)).collect::<OpResult<_>>()?;
    Ok(Groups { groups, more })
}

fn shown(tx: &mut dyn Tx, name: &str, sum: &Sum) -> OpResult<Group> {
    let error = Decision::find(tx, &sum.example)?.and_then(|decision| decision.error).unwrap_or_default();
    Ok(Group {
        group: name.to_owned(),
        count: sum.count,
        first_at: sum.first.rfc3339(),
        last_at: sum.last.rfc3339(),
        task_id: sum.example.to_string(),
        example: error.message.chars().take(500).collect(),
    })
}
