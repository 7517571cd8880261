//! Finds processes, a page at a time.

use base::limits::PAGE_MAX;
use base::{OpError, OpResult, Sql, Tx, Wall, codes};
use kernel::Query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::form::Search;
use super::matching::{error_of, matches};
use super::walk::{Seen, Walk};
use crate::names::check_text;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[];

/// Rows of one step.
const STEP: usize = 200;

/// A page of processes.
pub static PROCESSES: Query<ProcessesOf, Found> = Query::new("workflow.processes", find);

/// In which order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ProcessOrder)]
pub enum Order {
    /// The oldest first.
    Oldest,
    /// The newest first.
    #[default]
    Newest,
}

/// Which page.
#[derive(Debug, Clone)]
pub struct ProcessesOf {
    /// What is looked for.
    pub search: Search,
    /// In which order.
    pub order: Order,
    /// Behind this process: `next` of the page before.
    pub after: Option<String>,
    /// At most so many, 1 to 1,000.
    pub limit: u32,
    /// What the calendar says: for the duration of those that are not over.
    pub now: Wall,
}

/// A page of processes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = FoundProcesses)]
pub struct Found {
    /// Processes.
    pub processes: Vec<ProcessLine>,
    /// Where the next page begins. It may come with fewer processes than were asked for, and with none: one page looks at no more than
    /// 2,000 of them, so that it never takes long. Not given: that was all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A process in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProcessLine {
    /// Its id.
    pub process_id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The id that whoever started it gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_id: Option<String>,
    /// ACTIVE, FINISHED, BROKEN or ABORTED.
    pub state: String,
    /// The actor that it began with.
    pub starter: String,
    /// When it was started.
    #[schema(format = DateTime)]
    pub started_at: String,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub ended_at: Option<String>,
    /// How long it took, or takes up to now.
    pub duration_ms: i64,
    /// For how long its state is as it is.
    pub unchanged_ms: i64,
    /// The class of its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_class: Option<String>,
    /// The message of its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

fn find(tx: &mut dyn Tx, page: &ProcessesOf) -> OpResult<Found> {
    let wanted = page.search.read()?;
    page.after.iter().try_for_each(|after| check_text("after", after))?;
    if !(1..=PAGE_MAX).contains(&page.limit) {
        return Err(OpError::new(codes::ALIMIT, format!("limit is 1 to {PAGE_MAX}")));
    }
    let now = (tx.heard(), page.now);
    let mut walk = Walk::of(&wanted, page.order, page.after.as_deref().unwrap_or_default());
    let (mut processes, mut examined, limit) = (vec![], 0, page.limit as usize);
    while !walk.is_over && examined < wanted.examined_max() {
        let steps = walk.step(tx, STEP)?;
        examined += steps.len();
        for seen in steps {
            if !matches(tx, &wanted, &seen, now)? {
                continue;
            }
            if processes.len() == limit {
                // One more than fits: the page ends with the last that does.
                let next = processes.last().map(|line: &ProcessLine| line.process_id.clone());
                return Ok(Found { processes, next });
            }
            processes.push(line(tx, seen, page.now)?);
        }
    }
    Ok(Found { processes, next: (!walk.is_over).then_some(walk.place) })
}

fn line(tx: &mut dyn Tx, seen: Seen, now: Wall) -> OpResult<ProcessLine> {
    let error = if seen.error_class.is_some() { error_of(tx, &seen.id)? } else { None };
    Ok(ProcessLine {
        unchanged_ms: tx.heard().0.saturating_sub(seen.changed.0),
        duration_ms: seen.ended_at.unwrap_or(now).0.saturating_sub(seen.started_at.0),
        process_id: seen.id,
        kind: seen.kind,
        custom_id: seen.custom_id,
        state: seen.state.text().into(),
        starter: seen.starter,
        started_at: seen.started_at.rfc3339(),
        ended_at: seen.ended_at.map(|at| at.rfc3339()),
        error_class: seen.error_class,
        error: error.map(|error| error.message.chars().take(500).collect()),
    })
}
