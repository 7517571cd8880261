//! A schedule as it is asked for. Pure.

use base::{OpError, OpResult, Wall};
use kernel::tasks::{Cron, InvalidCron};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::codes::AWORKFLOW;
use crate::process::Start;
use crate::task::TaskForm;

/// Runs that are made up for at once.
const MISSED_MAX: usize = 100;
/// A run that begins no later than this is on time.
const ON_TIME_MS: i64 = 60_000;

/// What becomes of runs that were missed while the server was off, or when the calendar jumped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = MissedRuns)]
pub enum Missed {
    /// They are left out.
    Skip,
    /// One is made up for, the last.
    #[default]
    Once,
    /// All are made up for, up to `missed_max` of the last.
    All,
}

/// A schedule.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSchedule {
    /// When: a short text (`H25`, `D0425`, `W30425`, `M100425`, `Y11100425`) or a standard cron text of five fields, UTC.
    #[schema(example = "*/15 * * * *")]
    pub cron: String,
    /// What becomes of runs that were missed.
    #[serde(default)]
    pub missed: Missed,
    /// How many are made up for, 1 to 100; 10 unless it is said.
    #[serde(default = "usual_missed_max")]
    pub missed_max: usize,
    /// What is started.
    pub start: ScheduledStart,
}

fn usual_missed_max() -> usize {
    10
}

/// A process that a schedule starts.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduledStart {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// An id of yours, the same of all that are started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_id: Option<String>,
    /// The task that it begins with.
    pub start: TaskForm,
}

impl ScheduledStart {
    pub(super) fn wanted(&self) -> Start {
        Start { kind: self.kind.clone(), custom_id: self.custom_id.clone(), key: None, start: self.start.clone() }
    }
}

impl CreateSchedule {
    /// Refuses what cannot be.
    ///
    /// # Errors
    /// `AWORKFLOW`, `ALIMIT`.
    pub fn check(&self) -> OpResult<()> {
        self.calendar()?;
        if !(1..=MISSED_MAX).contains(&self.missed_max) {
            return Err(OpError::new(AWORKFLOW, format!("missed_max is 1 to {MISSED_MAX}")));
        }
        self.start.wanted().check()
    }

    pub(super) fn calendar(&self) -> OpResult<Cron> {
        self.cron.parse().map_err(|error: InvalidCron| OpError::new(AWORKFLOW, format!("cron: {error}")))
    }

    /// The moments to start a process for, where `first` is due and it is `now`; and how many due ones are left out among the last.
    pub(super) fn runs(&self, calendar: &Cron, first: Wall, now: Wall) -> (Vec<Wall>, bool) {
        let most = match self.missed {
            Missed::Skip | Missed::Once => 1,
            Missed::All => self.missed_max,
        };
        let mut due = calendar.due(first, now, most + 1);
        let left_out = due.len() > most;
        due.drain(..due.len().saturating_sub(most));
        if self.missed == Missed::Skip && due.last().is_some_and(|last| now.0 - last.0 > ON_TIME_MS) {
            return (vec![], true);
        }
        (due, left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(missed: &str) -> CreateSchedule {
        let text = format!(
            r#"{{"cron":"H00","missed":"{missed}","missed_max":3,"start":{{"type":"report","start":{{"actor":"a#1"}}}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn wfl_29_what_was_missed_is_left_out_or_made_up_for() {
        let hour = |hour: i64| Wall(hour * 3_600_000);
        let runs = |missed: &str, late_ms: i64, hours: i64| {
            let schedule = schedule(missed);
            schedule.runs(&schedule.calendar().unwrap(), hour(10), hour(10 + hours).plus_ms(late_ms)).0
        };
        for missed in ["skip", "once", "all"] {
            assert_eq!(runs(missed, 500, 0), [hour(10)], "{missed}: on time");
        }
        assert_eq!(runs("skip", 600_000, 5), []);
        assert_eq!(runs("skip", 500, 5), [hour(15)], "the last one is on time");
        assert_eq!(runs("once", 600_000, 5), [hour(15)]);
        assert_eq!(runs("all", 600_000, 5), [hour(13), hour(14), hour(15)]);
        assert_eq!(runs("all", 600_000, 1), [hour(10), hour(11)]);
    }
}
