//! Creates, changes and deletes schedules.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args, codes};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::form::{CreateSchedule, Missed, ScheduledStart};
use super::run::{come, wait};
use crate::codes::NFLOWJOB;
use crate::names::short;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &FIND, &SAVE, &DELETE, &MANY];

/// Schedules of a namespace.
const SCHEDULES_MAX: i64 = 1_000;

macro_rules! columns {
    () => {
        "id, wish, paused, next, task, runs, missed, last_at, last_process, created_at, created_by"
    };
}
pub(super) use columns;

static INSERT: Sql = Sql::new(
    "wfl_schedule.insert",
    "INSERT INTO wfl_schedule (id, wish, next, created_at, created_by) VALUES (?1, ?2, ?3, ?4, ?5)",
);
static FIND: Sql = Sql::new("wfl_schedule.find", concat!("SELECT ", columns!(), " FROM wfl_schedule WHERE id = ?1"));
static SAVE: Sql = Sql::new(
    "wfl_schedule.save",
    "UPDATE wfl_schedule SET wish = ?2, paused = ?3, next = ?4, task = ?5, runs = ?6, missed = ?7, last_at = ?8, last_process = ?9 \
     WHERE id = ?1",
);
static DELETE: Sql = Sql::new("wfl_schedule.delete", "DELETE FROM wfl_schedule WHERE id = ?1");
static MANY: Sql = Sql::new("wfl_schedule.many", "SELECT COUNT(*) FROM wfl_schedule");

/// Creates a schedule.
pub static CREATE_SCHEDULE: Op<CreateSchedule, CreatedSchedule> =
    Op::new("workflow.create_schedule", create).keyed(|_| crate::key_of("schedules"));
/// Changes a schedule.
pub static PATCH_SCHEDULE: Op<PatchOf, ()> = Op::new("workflow.patch_schedule", patch);
/// Deletes a schedule; what it started goes on.
pub static DELETE_SCHEDULE: Op<String, ()> = Op::new("workflow.delete_schedule", delete).ending();

/// It is durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CreatedSchedule {
    /// Its id.
    pub id: String,
}

/// What changes of a schedule.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SchedulePatch {
    /// It starts nothing until this is taken back; what lies between is not missed.
    pub paused: Option<bool>,
    /// When; another one than before begins anew with its next moment.
    pub cron: Option<String>,
    /// What becomes of runs that were missed.
    pub missed: Option<Missed>,
    /// How many are made up for.
    pub missed_max: Option<usize>,
    /// What is started.
    pub start: Option<ScheduledStart>,
}

/// Which schedule, and what changes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PatchOf {
    /// Its id.
    pub id: String,
    /// What changes.
    pub patch: SchedulePatch,
}

/// A schedule.
#[derive(Debug, Clone)]
pub(super) struct Schedule {
    pub(super) id: String,
    pub(super) wish: CreateSchedule,
    pub(super) paused: bool,
    pub(super) next: Wall,
    pub(super) task: Option<String>,
    pub(super) runs: i64,
    /// How often something was left out.
    pub(super) missed: i64,
    pub(super) last_at: Option<Wall>,
    pub(super) last_process: Option<String>,
    pub(super) created_at: Wall,
    pub(super) created_by: String,
}

impl Schedule {
    pub(super) fn of(row: &Row) -> OpResult<Self> {
        let damaged =
            |error| OpError::new(codes::BDETECTED, format!("schedule {} cannot be read: {error}", row.text(0)));
        Ok(Self {
            id: row.text(0).to_owned(),
            wish: serde_json::from_str(row.text(1)).map_err(damaged)?,
            paused: row.int(2) != 0,
            next: Wall(row.int(3)),
            task: row.opt_text(4).map(str::to_owned),
            runs: row.int(5),
            missed: row.int(6),
            last_at: row.opt_int(7).map(Wall),
            last_process: row.opt_text(8).map(str::to_owned),
            created_at: Wall(row.int(9)),
            created_by: row.text(10).to_owned(),
        })
    }

    pub(super) fn find(tx: &mut dyn Tx, id: &str) -> OpResult<Option<Self>> {
        tx.query_one(&FIND, args![id])?.as_ref().map(Self::of).transpose()
    }

    pub(super) fn get(tx: &mut dyn Tx, id: &str) -> OpResult<Self> {
        Self::find(tx, id)?.ok_or_else(|| OpError::new(NFLOWJOB, format!("no schedule `{}`", short(id))))
    }

    pub(super) fn save(&self, tx: &mut dyn Tx) -> OpResult<()> {
        let row = args![
            &self.id,
            wish_text(&self.wish),
            self.paused,
            self.next,
            self.task.as_deref(),
            self.runs,
            self.missed,
            self.last_at,
            self.last_process.as_deref()
        ];
        Ok(tx.write(&SAVE, row)?)
    }
}

fn wish_text(wish: &CreateSchedule) -> String {
    serde_json::to_string(wish).unwrap_or_default()
}

fn create(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &CreateSchedule) -> OpResult<CreatedSchedule> {
    wanted.check()?;
    if tx.query_one(&MANY, args![])?.is_some_and(|row| row.int(0) >= SCHEDULES_MAX) {
        return Err(OpError::new(codes::ALIMIT, format!("there are {SCHEDULES_MAX} schedules already")));
    }
    let id = cx.id().to_string();
    tx.write(&INSERT, args![&id, wish_text(wanted), cx.wall, cx.wall, &cx.caller.name])?;
    let mut schedule = Schedule::get(tx, &id)?;
    wait(cx, &mut schedule)?;
    schedule.save(tx)?;
    Ok(CreatedSchedule { id })
}

fn patch(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &PatchOf) -> OpResult<()> {
    let mut schedule = Schedule::get(tx, &wanted.id)?;
    // A stored one that cannot be read any more is repaired here: it counts as another.
    let (patch, before) = (wanted.patch.clone(), schedule.wish.calendar().ok());
    let wish = &mut schedule.wish;
    patch.cron.into_iter().for_each(|cron| wish.cron = cron);
    patch.missed.into_iter().for_each(|missed| wish.missed = missed);
    patch.missed_max.into_iter().for_each(|most| wish.missed_max = most);
    patch.start.into_iter().for_each(|start| wish.start = start);
    wish.check()?;
    let is_other = Some(wish.calendar()?) != before;
    let was_paused = schedule.paused;
    // It was to be made and is not yet: it failed, and waits for its next try or for a person.
    let is_due = !was_paused && schedule.next <= cx.wall;
    schedule.paused = patch.paused.unwrap_or(was_paused);
    if schedule.paused != was_paused || is_other {
        schedule.missed += i64::from(is_due);
        forget_task(cx, &mut schedule);
        if !schedule.paused {
            wait(cx, &mut schedule)?;
        }
    } else if is_due {
        // What it failed over may be put right now.
        forget_task(cx, &mut schedule);
        come(cx, &mut schedule);
    }
    schedule.save(tx)
}

fn delete(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &String) -> OpResult<()> {
    let mut schedule = Schedule::get(tx, id)?;
    forget_task(cx, &mut schedule);
    Ok(tx.write(&DELETE, args![id])?)
}

fn forget_task(cx: &mut OpCx<'_>, schedule: &mut Schedule) {
    let task = schedule.task.take().and_then(|task| task.parse().ok());
    task.into_iter().for_each(|task| cx.fx.cancel_task(task));
}
