//! Schedules as people and programs see them, with their next dates.

use base::{OpResult, Sql, Tx, Wall, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

use super::change::{Schedule, columns};
use super::form::CreateSchedule;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&LIST];

static LIST: Sql =
    Sql::new("wfl_schedule.list", concat!("SELECT ", columns!(), " FROM wfl_schedule ORDER BY id LIMIT 1000"));

/// All schedules, the oldest first.
pub static SCHEDULES: Query<(), Vec<ScheduleView>> = Query::new("workflow.schedules", |tx, ()| list(tx));
/// A schedule by its id.
pub static SCHEDULE: Query<String, ScheduleView> =
    Query::new("workflow.schedule", |tx, id| Schedule::get(tx, id).map(shown));

/// Dates that are shown.
const DATES: usize = 5;

/// A schedule.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ScheduleView {
    /// Its id.
    pub id: String,
    /// What was asked for.
    #[serde(flatten)]
    pub wish: CreateSchedule,
    /// It starts nothing for now.
    pub paused: bool,
    /// Its next five dates; none while it is paused.
    pub next: Vec<String>,
    /// Processes that it started.
    pub runs: i64,
    /// How often due moments were left out.
    pub missed_times: i64,
    /// The last moment that it started a process for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub last_at: Option<String>,
    /// That process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_process: Option<String>,
    /// When it was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// By whom.
    pub created_by: String,
}

fn list(tx: &mut dyn Tx) -> OpResult<Vec<ScheduleView>> {
    let rows = tx.query(&LIST, args![], 1_000)?;
    rows.iter().map(|row| Schedule::of(row).map(shown)).collect()
}

fn shown(schedule: Schedule) -> ScheduleView {
    let first = (!schedule.paused).then_some(schedule.next);
    let calendar = schedule.wish.calendar().ok();
    let following = |at: &Wall| calendar.as_ref().map(|calendar| calendar.next_after(*at));
    let next = std::iter::successors(first, following).take(DATES).map(Wall::rfc3339).collect();
    ScheduleView {
        next,
        id: schedule.id,
        wish: schedule.wish,
        paused: schedule.paused,
        runs: schedule.runs,
        missed_times: schedule.missed,
        last_at: schedule.last_at.map(Wall::rfc3339),
        last_process: schedule.last_process,
        created_at: schedule.created_at.rfc3339(),
        created_by: schedule.created_by,
    }
}
