//! A task as it is stored, from the moment it is claimed.

use base::{Id, Row, Stamp, Wall};
use serde::{Deserialize, Serialize};

use super::cron::Cron;
use crate::service::TaskRow;

/// Where parked tasks stay: the end of the century (KER-17).
#[must_use]
pub fn parked_at() -> Wall {
    Stamp::MAX.to_wall()
}

/// The columns that [`Task::read`] wants, in its order.
macro_rules! columns {
    () => {
        "id, op, param, info, queue, lane, behind, start_at, start_time, owner, attempt, retry, forgiven, cron, standing, \
         target, checkpoint, exc, report, created_at, faults, unique_key"
    };
}
pub(super) use columns;

/// A task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its id, the same over all attempts.
    pub id: Id,
    /// Name of its operation.
    pub op: String,
    /// Its parameter, JSON.
    pub param: String,
    /// Text that people find it by.
    pub info: String,
    /// Its queue.
    pub queue: i64,
    /// Its lane.
    pub lane: Option<String>,
    /// Whether an older task of its lane has not ended.
    pub behind: bool,
    /// When it may start.
    pub start_at: Wall,
    /// When its run began, while it runs.
    pub start_time: Option<Wall>,
    /// Which node runs it.
    pub owner: Option<String>,
    /// Which claim this is.
    pub attempt: i64,
    /// Failed or lost runs.
    pub retry: i64,
    /// Attempts that count for nothing when it is decided whether to park.
    pub forgiven: i64,
    /// When it runs again and again.
    pub cron: Option<Cron>,
    /// Which standing task of the program it is.
    pub standing: Option<String>,
    /// The URL that is called in place of a built-in operation.
    pub target: Option<String>,
    /// Where the last cycle left off, JSON.
    pub checkpoint: Option<String>,
    /// Code of its last failure.
    pub exc: Option<String>,
    /// What is known of its last failure.
    pub report: Option<String>,
    /// When it was created.
    pub created_at: Wall,
    /// Runs in a row that met contention or a fault that passes by itself: no tries, but each pause is longer.
    pub faults: i64,
    /// At most one of its kind with this key waits.
    pub unique_key: Option<String>,
}

impl Task {
    /// Reads [`columns!`].
    pub(super) fn read(row: &Row) -> Self {
        let text = |column| row.opt_text(column).map(str::to_owned);
        Self {
            id: row.id(0),
            op: row.text(1).to_owned(),
            param: row.text(2).to_owned(),
            info: row.text(3).to_owned(),
            queue: row.int(4),
            lane: text(5),
            behind: row.int(6) == 1,
            start_at: Wall(row.int(7)),
            start_time: row.opt_int(8).map(Wall),
            owner: text(9),
            attempt: row.int(10),
            retry: row.int(11),
            forgiven: row.int(12),
            // Only texts that were parsed are stored; one that a newer program wrote runs once and ends.
            cron: row.opt_text(13).and_then(|cron| cron.parse().ok()),
            standing: text(14),
            target: text(15),
            checkpoint: text(16),
            exc: text(17),
            report: text(18),
            created_at: Wall(row.int(19)),
            faults: row.int(20),
            unique_key: text(21),
        }
    }

    /// Whether it waits for a person.
    #[must_use]
    pub fn is_parked(&self) -> bool {
        self.start_at >= parked_at()
    }

    /// As its functions see it.
    pub(super) fn seen(&self) -> TaskRow {
        TaskRow {
            id: self.id,
            op: self.op.clone(),
            param: self.param.clone(),
            target: self.target.clone(),
            attempt: self.attempt,
            retry: self.retry,
            start_time: self.start_time.unwrap_or(self.start_at),
            checkpoint: self.checkpoint.clone(),
        }
    }
}
