//! Processes as they are shown (EXC-11), also those that ended.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

use crate::codes::NPROCESS;
use crate::message::name::FileName;

/// One process, with its messages.
pub static SHOW_PROCESS: Query<ProcessOf, ProcessView> = Query::new("exchange.process", show);
/// Processes, newest first, without their messages.
pub static PROCESSES: Query<ProcessesOf, Vec<ProcessView>> = Query::new("exchange.processes", list);

/// Messages of one process that are shown; more are never given or replied.
const MESSAGES_MAX: usize = 2_000;

/// Which process.
#[derive(Debug, Clone)]
pub struct ProcessOf {
    /// Its id.
    pub id: String,
    /// Of this database; `None`: of any.
    pub db: Option<String>,
}

/// Which processes.
#[derive(Debug, Clone, Default)]
pub struct ProcessesOf {
    /// Only of this database.
    pub db: Option<String>,
    /// Only in this state.
    pub state: Option<ProcessState>,
    /// Only older ones than this.
    pub before: Option<String>,
    /// At most so many.
    pub limit: u32,
}

/// Where a process stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ProcessState {
    /// Messages were given.
    Started,
    /// Results and replies are here; the database may commit.
    ReadyToCommit,
    /// The database committed; files are moved.
    Cleanup,
    /// A move failed and is tried again.
    Failed,
    /// Nobody knows whether the database committed.
    Unknown,
    /// It is over.
    Ended,
}

impl ProcessState {
    /// As it is written.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Started => "STARTED",
            Self::ReadyToCommit => "READY_TO_COMMIT",
            Self::Cleanup => "CLEANUP",
            Self::Failed => "FAILED",
            Self::Unknown => "UNKNOWN",
            Self::Ended => "ENDED",
        }
    }

    pub(crate) fn of_word(word: &str) -> Self {
        let all = [Self::Started, Self::ReadyToCommit, Self::Cleanup, Self::Failed, Self::Unknown];
        all.into_iter().find(|state| state.word() == word).unwrap_or(Self::Ended)
    }
}

/// A process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ExchangeProcess)]
pub struct ProcessView {
    /// Its id.
    pub id: String,
    /// Of which database.
    pub db: String,
    /// Where it stands.
    pub state: ProcessState,
    /// How it ended: `committed`, `rolled_back`, `interrupted`, `timed_out` or `forgotten`; null until then.
    pub outcome: Option<String>,
    /// What was said when it ended.
    pub message: String,
    /// When it was started.
    #[schema(format = DateTime)]
    pub started_at: String,
    /// When it became ready to commit.
    #[schema(format = DateTime)]
    pub ready_at: Option<String>,
    /// When it ended.
    #[schema(format = DateTime)]
    pub ended_at: Option<String>,
    /// The messages that it was given, with what became of each. Not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub given: Option<Vec<GivenView>>,
    /// The messages that it replied. Not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub replies: Option<Vec<GivenView>>,
}

/// A message of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ExchangeProcessMessage)]
pub struct GivenView {
    /// Its id.
    pub id: String,
    /// The name of its file; null if it was removed.
    pub name: Option<String>,
    /// The folder that it belongs in now: `messages`, `prepared`, `log`, `unknown`, `error`; null if it was removed.
    pub place: Option<String>,
    /// What the database said of it, once it did.
    pub result: Option<String>,
    /// The number of the error, as the database has it.
    pub error_code: Option<i64>,
    /// What went wrong.
    pub error_text: Option<String>,
}

macro_rules! processes {
    ($of:literal) => {
        concat!(
            "SELECT id, db, state, outcome, message, started_at, ready_at, ended_at FROM exc_process WHERE ",
            $of,
            " ORDER BY id DESC LIMIT ?1"
        )
    };
}
pub(crate) static ONE: Sql = Sql::new("exc_process.show", processes!("id = ?2"));
pub(crate) static ALL: Sql = Sql::new("exc_process.list", processes!("id < ?2"));
pub(crate) static OF: Sql = Sql::new("exc_process.list_of", processes!("id < ?2 AND db = ?3"));
pub(crate) static IN_STATE: Sql = Sql::new("exc_process.list_in", processes!("id < ?2 AND state = ?3"));
pub(crate) static OF_IN_STATE: Sql =
    Sql::new("exc_process.list_of_in", processes!("id < ?2 AND db = ?3 AND state = ?4"));
pub(crate) static MESSAGES: Sql = Sql::new(
    "exc_given.show",
    "SELECT g.number, g.id, g.reply, g.result, g.error_code, g.error_text, m.place, m.at, m.sender, m.receiver, m.subsystem \
     FROM exc_given g LEFT JOIN exc_message m ON m.number = g.number AND m.place <> 'gone' \
     WHERE g.process = ?1 ORDER BY g.number LIMIT ?2",
);

fn show(tx: &mut dyn Tx, wanted: &ProcessOf) -> OpResult<ProcessView> {
    let absent = || OpError::new(NPROCESS, format!("no process `{}`", kernel::watch::shown(&wanted.id, 80)));
    let row = tx.query_one(&ONE, args![1, &wanted.id])?;
    let process = row.as_ref().map(view).filter(|found| wanted.db.as_ref().is_none_or(|db| *db == found.db));
    let mut process = process.ok_or_else(absent)?;
    let rows = tx.query(&MESSAGES, args![&wanted.id, i64::try_from(MESSAGES_MAX).unwrap_or(i64::MAX)], MESSAGES_MAX)?;
    let (replies, given): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.int(2) == 1);
    let views = |rows: Vec<&Row>| rows.into_iter().map(message).collect();
    (process.given, process.replies) = (Some(views(given)), Some(views(replies)));
    Ok(process)
}

fn list(tx: &mut dyn Tx, wanted: &ProcessesOf) -> OpResult<Vec<ProcessView>> {
    // After every id: they are digits and capital letters.
    let before = wanted.before.as_deref().unwrap_or("~");
    let (limit, most) = (i64::from(wanted.limit), wanted.limit as usize);
    let rows = match (&wanted.db, wanted.state.map(ProcessState::word)) {
        (None, None) => tx.query(&ALL, args![limit, before], most)?,
        (Some(db), None) => tx.query(&OF, args![limit, before, db], most)?,
        (None, Some(state)) => tx.query(&IN_STATE, args![limit, before, state], most)?,
        (Some(db), Some(state)) => tx.query(&OF_IN_STATE, args![limit, before, db, state], most)?,
    };
    Ok(rows.iter().map(view).collect())
}

fn view(row: &Row) -> ProcessView {
    let time = |column: usize| row.opt_int(column).map(|at| Wall(at).rfc3339());
    ProcessView {
        id: row.text(0).to_owned(),
        db: row.text(1).to_owned(),
        state: ProcessState::of_word(row.text(2)),
        outcome: Some(row.text(3).to_owned()).filter(|outcome| !outcome.is_empty()),
        message: row.text(4).to_owned(),
        started_at: Wall(row.int(5)).rfc3339(),
        ready_at: time(6),
        ended_at: time(7),
        given: None,
        replies: None,
    }
}

fn message(row: &Row) -> GivenView {
    let word = |column: usize| row.opt_text(column).map(str::to_owned);
    let name = row.opt_int(7).map(|at| {
        let part = |column: usize| row.opt_text(column).unwrap_or_default().to_owned();
        let (id, number) = (row.text(1).to_owned(), row.int(0));
        FileName { at: Wall(at), number, id, from: part(8), to: part(9), subsystem: part(10) }.text()
    });
    GivenView {
        id: row.text(1).to_owned(),
        name,
        place: word(6),
        result: word(3),
        error_code: row.opt_int(4),
        error_text: word(5),
    }
}
