//! The rows of jobs.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args, codes};

use super::form::CreateJob;
use super::pace::Pace;
use crate::codes::NFLOWJOB;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&FIND, &SAVE, &RESULT, &HIGHER];

macro_rules! columns {
    () => {
        "number, state, wish, priority, rate, task, part, after, begun, until, pace, found, examined, changed, skipped, failed, results, \
         created_at, created_by, ended_at"
    };
}
pub(super) use columns;

static FIND: Sql = Sql::new("wfl_job.find", concat!("SELECT ", columns!(), " FROM wfl_job WHERE number = ?1"));
static SAVE: Sql = Sql::new(
    "wfl_job.save",
    "UPDATE wfl_job SET state = ?2, priority = ?3, rate = ?4, task = ?5, part = ?6, after = ?7, begun = ?8, pace = ?9, found = ?10, \
     examined = ?11, changed = ?12, skipped = ?13, failed = ?14, results = ?15, ended_at = ?16, ended = ?17 WHERE number = ?1",
);
static RESULT: Sql = Sql::new(
    "wfl_job_result.insert",
    "INSERT INTO wfl_job_result (job, place, process, outcome, text) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (job, place) DO NOTHING",
);
static HIGHER: Sql = Sql::new(
    "wfl_job.higher",
    "SELECT number FROM wfl_job WHERE state = 'RUNNING' AND priority > ?1 ORDER BY priority, number LIMIT 1",
);

/// Results of a job that are listed; the rest is counted.
pub(super) const RESULTS_MAX: i64 = 10_000;

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Running,
    Paused,
    Done,
    Cancelled,
}

impl State {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Paused => "PAUSED",
            Self::Done => "DONE",
            Self::Cancelled => "CANCELLED",
        }
    }

    fn of(text: &str) -> Self {
        match text {
            "RUNNING" => Self::Running,
            "PAUSED" => Self::Paused,
            "CANCELLED" => Self::Cancelled,
            _ => Self::Done,
        }
    }

    pub(super) fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled)
    }
}

/// A job.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) number: i64,
    pub(super) state: State,
    pub(super) wish: CreateJob,
    pub(super) priority: i64,
    pub(super) rate: i64,
    /// The task of the kernel that runs it.
    pub(super) task: String,
    /// Which of its types it is at.
    pub(super) part: i64,
    /// The last process that it passed there.
    pub(super) after: String,
    /// The first one.
    pub(super) begun: String,
    /// What was started later is not its business.
    pub(super) until: String,
    /// When its next change is due, in microseconds of listening time.
    pub(super) due_us: i64,
    pub(super) found: i64,
    pub(super) examined: i64,
    pub(super) changed: i64,
    pub(super) skipped: i64,
    pub(super) failed: i64,
    pub(super) results: i64,
    pub(super) created_at: Wall,
    pub(super) created_by: String,
    pub(super) ended_at: Option<Wall>,
}

impl Job {
    pub(super) fn of(row: &Row) -> OpResult<Self> {
        let damaged = |error| OpError::new(codes::BDETECTED, format!("job {} cannot be read: {error}", row.int(0)));
        let text = |column: usize| row.text(column).to_owned();
        Ok(Self {
            number: row.int(0),
            state: State::of(row.text(1)),
            wish: serde_json::from_str(row.text(2)).map_err(damaged)?,
            priority: row.int(3),
            rate: row.int(4),
            task: text(5),
            part: row.int(6),
            after: text(7),
            begun: text(8),
            until: text(9),
            due_us: row.int(10),
            found: row.int(11),
            examined: row.int(12),
            changed: row.int(13),
            skipped: row.int(14),
            failed: row.int(15),
            results: row.int(16),
            created_at: Wall(row.int(17)),
            created_by: text(18),
            ended_at: row.opt_int(19).map(Wall),
        })
    }

    pub(super) fn get(tx: &mut dyn Tx, number: i64) -> OpResult<Self> {
        let absent = || OpError::new(NFLOWJOB, format!("no job {number}"));
        Self::of(&tx.query_one(&FIND, args![number])?.ok_or_else(absent)?)
    }

    /// Keeps what may change. `ended`: listening time, if it is over.
    pub(super) fn save(&self, tx: &mut dyn Tx) -> OpResult<()> {
        let ended = self.state.is_over().then(|| tx.heard());
        let row = args![
            self.number,
            self.state.text(),
            self.priority,
            self.rate,
            &self.task,
            self.part,
            &self.after,
            &self.begun,
            self.due_us,
            self.found,
            self.examined,
            self.changed,
            self.skipped,
            self.failed,
            self.results,
            self.ended_at,
            ended
        ];
        Ok(tx.write(&SAVE, row)?)
    }

    /// Whose doing its changes are (WFL-19).
    pub(super) fn source(&self) -> String {
        format!("operator job {}", self.number)
    }

    pub(super) fn pace(&self) -> Pace {
        Pace { due_us: self.due_us, rate: self.rate }
    }

    /// The job of a higher priority that it waits for.
    pub(super) fn higher(&self, tx: &mut dyn Tx) -> OpResult<Option<i64>> {
        Ok(tx.query_one(&HIGHER, args![self.priority])?.map(|row| row.int(0)))
    }

    /// Lists what became of a process, as long as there is room.
    pub(super) fn list(&mut self, tx: &mut dyn Tx, process: &str, outcome: &str, text: &str) -> OpResult<()> {
        self.results += 1;
        if self.results > RESULTS_MAX {
            return Ok(());
        }
        let text: String = text.chars().take(500).collect();
        Ok(tx.write(&RESULT, args![self.number, self.results, process, outcome, text])?)
    }
}
