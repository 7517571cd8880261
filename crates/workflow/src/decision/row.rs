//! The rows of decisions and of queues.

use base::{Heard, OpResult, Row, Sql, Tx, Wall, args};

use super::next::State;
use crate::names::TaskId;
use crate::task::ErrorForm;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &INSERT,
    &FIND,
    &OF_PROCESS,
    &REGISTER,
    &TAKE,
    &FINISH,
    &KEEP_UP,
    &REMOVE,
    &REMOVE_ALL,
    &LATER,
    &ENQUEUE,
    &DEQUEUE,
    &IS_QUEUED,
    &FIRST,
];

macro_rules! columns {
    () => {
        "process, number, state, attempt, pass, worker, queue, queued, restarted, taken, recovery, failures, checkpoint, value, error_class, \
         error, tasks, ready_at, taken_at, finished_at, broken_at"
    };
}
static INSERT: Sql = Sql::new(
    "wfl_decision.insert",
    "INSERT INTO wfl_decision (process, number, state, attempt, queue, queued, recovery, ready_at) \
     VALUES (?1, ?2, 'REGISTERED', ?3, ?4, ?5, ?6, ?7) ON CONFLICT (process, number) DO NOTHING",
);
static FIND: Sql = Sql::new(
    "wfl_decision.find",
    concat!("SELECT ", columns!(), " FROM wfl_decision WHERE process = ?1 AND number = ?2"),
);
static OF_PROCESS: Sql = Sql::new(
    "wfl_decision.of_process",
    concat!("SELECT ", columns!(), " FROM wfl_decision WHERE process = ?1 ORDER BY number LIMIT 10000"),
);
/// Back into the queue, from a state and an attempt.
static REGISTER: Sql = Sql::new(
    "wfl_decision.register",
    "UPDATE wfl_decision SET state = 'REGISTERED', pass = NULL, worker = NULL, queued = ?5, restarted = ?6, taken = NULL, recovery = ?7, \
     failures = ?8, error_class = ?9, error = ?10, value = NULL, tasks = NULL, finished_at = NULL, broken_at = NULL \
     WHERE process = ?1 AND number = ?2 AND state = ?3 AND attempt = ?4",
);
static TAKE: Sql = Sql::new(
    "wfl_decision.take",
    "UPDATE wfl_decision SET state = 'WORK', attempt = ?3, pass = ?4, worker = ?5, taken = ?6, recovery = ?7, taken_at = ?8 \
     WHERE process = ?1 AND number = ?2 AND state = 'REGISTERED'",
);
static FINISH: Sql = Sql::new(
    "wfl_decision.finish",
    "INSERT INTO wfl_decision (process, number, state, attempt, queue, queued, ready_at, value, error_class, error, tasks, failures, \
     finished_at, broken_at) VALUES (?1, ?2, 'FINISH', ?3, ?4, ?5, ?11, ?6, ?7, ?8, ?9, ?10, ?11, ?12) \
     ON CONFLICT (process, number) DO UPDATE SET state = 'FINISH', attempt = excluded.attempt, value = excluded.value, \
     error_class = excluded.error_class, error = excluded.error, tasks = excluded.tasks, failures = excluded.failures, \
     finished_at = excluded.finished_at, broken_at = excluded.broken_at, recovery = NULL, checkpoint = NULL",
);
/// Of a process that is over nothing is worked on any more: whoever still does is told so.
static KEEP_UP: Sql = Sql::new(
    "wfl_decision.keep_up",
    "UPDATE wfl_decision SET recovery = ?4, checkpoint = COALESCE(?5, checkpoint) \
     WHERE process = ?1 AND number = ?2 AND state = 'WORK' AND attempt = ?3 \
     AND EXISTS (SELECT 1 FROM wfl_process p WHERE p.id = ?1 AND p.state IN ('ACTIVE', 'BROKEN'))",
);
static LATER: Sql = Sql::new(
    "wfl_decision.later",
    "UPDATE wfl_decision SET recovery = ?5 WHERE process = ?1 AND number = ?2 AND state = ?3 AND attempt = ?4",
);
static REMOVE: Sql = Sql::new("wfl_decision.remove", "DELETE FROM wfl_decision WHERE process = ?1 AND number = ?2");
static REMOVE_ALL: Sql = Sql::new("wfl_decision.remove_all", "DELETE FROM wfl_decision WHERE process = ?1");

static ENQUEUE: Sql = Sql::new(
    "wfl_queue.enqueue",
    "INSERT INTO wfl_queue (queue, at, process, number) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (queue, at, process, number) DO NOTHING",
);
static DEQUEUE: Sql = Sql::new(
    "wfl_queue.dequeue",
    "DELETE FROM wfl_queue WHERE queue = ?1 AND at = ?2 AND process = ?3 AND number = ?4",
);
static IS_QUEUED: Sql = Sql::new(
    "wfl_queue.is_queued",
    "SELECT 1 FROM wfl_queue WHERE queue = ?1 AND at = ?2 AND process = ?3 AND number = ?4",
);
static FIRST: Sql = Sql::new(
    "wfl_queue.first",
    "SELECT at, process, number FROM wfl_queue WHERE queue = ?1 AND at <= ?2 ORDER BY at, process, number LIMIT ?3 \
     /*pg FOR UPDATE SKIP LOCKED */",
);

/// A decision.
#[derive(Debug, Clone)]
pub(crate) struct Decision {
    pub(crate) id: TaskId,
    pub(crate) state: State,
    pub(crate) attempt: i64,
    pub(crate) pass: Option<String>,
    pub(crate) worker: Option<String>,
    pub(crate) queue: String,
    pub(crate) queued: Heard,
    pub(crate) restarted: Option<Heard>,
    pub(crate) taken: Option<Heard>,
    pub(crate) recovery: Option<Heard>,
    pub(crate) failures: i64,
    pub(crate) checkpoint: Option<String>,
    pub(crate) value: Option<String>,
    pub(crate) error: Option<ErrorForm>,
    pub(crate) tasks: Option<String>,
    pub(crate) ready_at: Wall,
    pub(crate) taken_at: Option<Wall>,
    pub(crate) finished_at: Option<Wall>,
    pub(crate) broken_at: Option<Wall>,
}

/// How a task ended, as it is kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ending<'a> {
    pub(crate) value: Option<&'a str>,
    pub(crate) error: Option<&'a ErrorForm>,
    /// The numbers of the tasks that it laid out, JSON.
    pub(crate) tasks: Option<String>,
    pub(crate) failures: i64,
    pub(crate) broken: bool,
}

fn state_of(text: &str) -> State {
    match text {
        "REGISTERED" => State::Registered,
        "WORK" => State::Work,
        _ => State::Finish,
    }
}

fn text_of(state: State) -> &'static str {
    match state {
        State::Registered => "REGISTERED",
        State::Work => "WORK",
        State::Finish => "FINISH",
    }
}

impl Decision {
    fn of(row: &Row) -> Self {
        let text = |column: usize| row.opt_text(column).map(str::to_owned);
        let error = row.opt_text(15).map(|text| serde_json::from_str(text).unwrap_or_default());
        Self {
            id: TaskId::new(row.text(0), row.int(1)),
            state: state_of(row.text(2)),
            attempt: row.int(3),
            pass: text(4),
            worker: text(5),
            queue: row.text(6).to_owned(),
            queued: Heard(row.int(7)),
            restarted: row.opt_int(8).map(Heard),
            taken: row.opt_int(9).map(Heard),
            recovery: row.opt_int(10).map(Heard),
            failures: row.int(11),
            checkpoint: text(12),
            value: text(13),
            error,
            tasks: text(16),
            ready_at: Wall(row.int(17)),
            taken_at: row.opt_int(18).map(Wall),
            finished_at: row.opt_int(19).map(Wall),
            broken_at: row.opt_int(20).map(Wall),
        }
    }

    pub(crate) fn find(tx: &mut dyn Tx, id: &TaskId) -> OpResult<Option<Self>> {
        Ok(tx.query_one(&FIND, args![&id.process, id.number])?.as_ref().map(Self::of))
    }

    pub(crate) fn of_process(tx: &mut dyn Tx, process: &str) -> OpResult<Vec<Self>> {
        Ok(tx.query(&OF_PROCESS, args![process], crate::task::row::TASKS_MAX)?.iter().map(Self::of).collect())
    }

    /// A task is ready: REGISTERED, in no queue yet.
    pub(crate) fn insert(
        tx: &mut dyn Tx,
        id: &TaskId,
        (queue, attempt): (&str, i64),
        (queued, recovery): (Heard, Option<Heard>),
        ready_at: Wall,
    ) -> OpResult<()> {
        Ok(tx.write(&INSERT, args![&id.process, id.number, attempt, queue, queued, recovery, ready_at])?)
    }

    /// Back to REGISTERED, only from the state and attempt that were seen; whether it was so. `failed`: the error that led to it counts
    /// among its failures.
    pub(crate) fn register(
        &self,
        tx: &mut dyn Tx,
        (queued, recovery): (Heard, Option<Heard>),
        restarted: Option<Heard>,
        failed: Option<&ErrorForm>,
    ) -> OpResult<bool> {
        let failures = self.failures + i64::from(failed.is_some());
        let error = failed.map(|error| serde_json::to_string(error).unwrap_or_default());
        let row = args![
            &self.id.process,
            self.id.number,
            text_of(self.state),
            self.attempt,
            queued,
            restarted,
            recovery,
            failures,
            failed.map(|error| error.class.as_str()),
            error
        ];
        Ok(tx.execute(&REGISTER, row)? == 1)
    }

    /// Taken by a worker; whether it waited.
    pub(crate) fn take(
        tx: &mut dyn Tx,
        id: &TaskId,
        (attempt, pass): (i64, &str),
        worker: Option<&str>,
        (now, until, at): (Heard, Heard, Wall),
    ) -> OpResult<bool> {
        Ok(tx.execute(&TAKE, args![&id.process, id.number, attempt, pass, worker, now, until, at])? == 1)
    }

    /// It is over, also where its row was lost.
    pub(crate) fn finish(
        tx: &mut dyn Tx,
        id: &TaskId,
        (queue, queued): (&str, Heard),
        attempt: i64,
        ending: &Ending<'_>,
        at: Wall,
    ) -> OpResult<()> {
        let error = ending.error.map(|error| serde_json::to_string(error).unwrap_or_default());
        let row = args![
            &id.process,
            id.number,
            attempt,
            queue,
            queued,
            ending.value,
            ending.error.map(|error| error.class.as_str()),
            error,
            ending.tasks.as_deref(),
            ending.failures,
            at,
            ending.broken.then_some(at)
        ];
        Ok(tx.write(&FINISH, row)?)
    }

    /// Its worker was heard of; whether it still has it.
    pub(crate) fn keep_up(
        tx: &mut dyn Tx,
        id: &TaskId,
        attempt: i64,
        until: Heard,
        checkpoint: Option<&str>,
    ) -> OpResult<bool> {
        Ok(tx.execute(&KEEP_UP, args![&id.process, id.number, attempt, until, checkpoint])? == 1)
    }

    /// To be looked at then, if it still stands as it was seen.
    pub(crate) fn later(&self, tx: &mut dyn Tx, until: Option<Heard>) -> OpResult<()> {
        Ok(tx.write(&LATER, args![&self.id.process, self.id.number, text_of(self.state), self.attempt, until])?)
    }

    pub(crate) fn remove(tx: &mut dyn Tx, id: &TaskId) -> OpResult<()> {
        Ok(tx.write(&REMOVE, args![&id.process, id.number])?)
    }

    pub(crate) fn remove_all(tx: &mut dyn Tx, process: &str) -> OpResult<()> {
        Ok(tx.write(&REMOVE_ALL, args![process])?)
    }
}

/// Puts a task into a queue, to be taken from then on.
pub(crate) fn enqueue(tx: &mut dyn Tx, queue: &str, at: Heard, id: &TaskId) -> OpResult<()> {
    Ok(tx.write(&ENQUEUE, args![queue, at, &id.process, id.number])?)
}

/// Takes a task out of its queue; whether it was there.
pub(crate) fn dequeue(tx: &mut dyn Tx, queue: &str, at: Heard, id: &TaskId) -> OpResult<bool> {
    Ok(tx.execute(&DEQUEUE, args![queue, at, &id.process, id.number])? == 1)
}

/// Whether a task is in its queue.
pub(crate) fn is_queued(tx: &mut dyn Tx, queue: &str, at: Heard, id: &TaskId) -> OpResult<bool> {
    Ok(tx.query_one(&IS_QUEUED, args![queue, at, &id.process, id.number])?.is_some())
}

/// The first in a queue that may be taken now, with their places.
pub(crate) fn first(tx: &mut dyn Tx, queue: &str, now: Heard, most: usize) -> OpResult<Vec<(Heard, TaskId)>> {
    let limit = i64::try_from(most).unwrap_or(i64::MAX);
    let rows = tx.query(&FIRST, args![queue, now, limit], most)?;
    Ok(rows.iter().map(|row| (Heard(row.int(0)), TaskId::new(row.text(1), row.int(2)))).collect())
}
