//! Starts by the calendar (WFL-29): each due moment starts at most one process, and what was missed is handled as its schedule says.
//!
//! A schedule waits as a task of the kernel. The key of a process is the schedule and the due moment, so that a moment that comes twice,
//! by a repeated run or a calendar that was put back, starts none twice.

mod change;
mod form;
mod run;
mod show;

pub use change::{
    CREATE_SCHEDULE, CreatedSchedule, DELETE_SCHEDULE, PATCH_SCHEDULE, PatchOf as SchedulePatchOf, SchedulePatch,
};
pub use form::{CreateSchedule, Missed, ScheduledStart};
pub use show::{SCHEDULE, SCHEDULES, ScheduleView};

pub(crate) use run::TASK;

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&[&Sql]] = &[change::STATEMENTS, show::STATEMENTS];
