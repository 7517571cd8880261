//! One business database: what is done in it, in one transaction, and what its table of markers says.
//!
//! The marker rule (EXC-20): a row of `fastness_process` is written inside the transaction, before prepare. To find out whether a
//! process was committed, the same row is inserted again. The database itself then waits for a transaction that still holds the row:
//! - it is inserted: there is no such row and no open transaction that could still bring it: not committed;
//! - it is there already, committed, and is seen: committed;
//! - a lock does not go away in time: its transaction is still open; nobody knows yet.
//!
//! Only looking for the row would not do: an absent row may be one that is about to be committed.

use std::sync::Arc;

use client::exchange::{Message, MessageResult, Processed};

use crate::engine::{self, Engine, ErrorKind, Row, SqlError};
use crate::next::{BadReply, Blame, CommitFailure, MarkerSeen};
use crate::replies::{self, Known, REPLIES_MAX};
use crate::settings::{Replies, Settings};
use crate::statement::Statement;
use crate::values::{Name, SqlValue, values_of, written};
use crate::world;

/// What a marker says.
pub type Marker = MarkerSeen;

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Work {
    /// In which process.
    pub process: String,
    /// With which messages, in this order.
    pub messages: Vec<Message>,
    /// Which of them are not processed but found incorrect, and why.
    pub blame: Blame,
}

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Worked {
    /// One for each message.
    pub results: Vec<MessageResult>,
    /// In the order of the query.
    pub replies: Vec<Message>,
    /// Rows that are no replies, and that came with the messages. If there are any, the transaction is of no use.
    pub bad: Vec<BadReply>,
    /// What is wrong with those that stood there before, and were left alone.
    pub left_alone: Vec<String>,
}

/// A database that is connected when it is needed.
pub struct Database {
    settings: Arc<Settings>,
    engine: Option<Box<dyn Engine>>,
    /// Old markers were looked for on this connection.
    is_tidy: bool,
}

const SEEN: &str = "SELECT process FROM fastness_process WHERE process = ";
const SAVEPOINT: &str = "SAVEPOINT fastness_message";
const UNDO: &str = "ROLLBACK TO SAVEPOINT fastness_message";
const RELEASE: &str = "RELEASE SAVEPOINT fastness_message";
const DAY_MS: i64 = 86_400_000;
/// Rows that are read where some are left alone.
const ROWS_MAX: usize = 1_000;

impl Database {
    /// Not connected yet.
    #[must_use]
    pub fn new(settings: Arc<Settings>) -> Self {
        Self { settings, engine: None, is_tidy: false }
    }

    /// Makes sure that there is a connection that answers, and the table of markers.
    ///
    /// # Errors
    /// See [`SqlError`].
    pub fn ready(&mut self) -> Result<(), SqlError> {
        if self.engine.is_some() && self.is_committed("").is_ok() {
            return Ok(());
        }
        self.engine = None;
        self.engine = Some(engine::open(&self.settings)?);
        match self.is_committed("") {
            Ok(_) => {}
            Err(error) if error.kind == ErrorKind::Wrong => self.make_markers()?,
            Err(error) => return Err(error),
        }
        self.is_tidy = false;
        Ok(())
    }

    /// Processes messages in a new transaction, which stays open.
    ///
    /// # Errors
    /// The database failed; the transaction is of no use.
    pub fn work(&mut self, work: &Work) -> Result<Worked, SqlError> {
        self.open(&work.process)?;
        self.go_through(work)
    }

    /// Opens a transaction with the marker of a process.
    ///
    /// # Errors
    /// The database failed, and no message is to blame.
    pub(crate) fn open(&mut self, process: &str) -> Result<(), SqlError> {
        self.roll_back();
        let opened = self.begin(process);
        self.lost_if(opened)
    }

    /// Processes messages in the open transaction.
    ///
    /// # Errors
    /// The database failed; the transaction is of no use.
    pub(crate) fn go_through(&mut self, work: &Work) -> Result<Worked, SqlError> {
        let worked = self.work_through(work);
        self.lost_if(worked)
    }

    /// Commits the open transaction.
    ///
    /// # Errors
    /// See [`CommitFailure`].
    pub fn commit(&mut self) -> Result<(), CommitFailure> {
        let none = || CommitFailure::Undone("the transaction is gone with its connection".into());
        let outcome = self.engine.as_mut().ok_or_else(none)?.commit();
        if matches!(outcome, Err(CommitFailure::Unclear(_) | CommitFailure::Broken(_))) {
            self.engine = None;
        }
        outcome
    }

    /// Rolls the open transaction back, by ending the connection if nothing else helps.
    pub fn roll_back(&mut self) {
        if self.engine.as_mut().is_some_and(|engine| engine.roll_back().is_err()) {
            self.engine = None;
        }
    }

    /// Whether a process was committed, or may still be.
    ///
    /// # Errors
    /// The database failed: nobody knows.
    pub fn marker(&mut self, process: &str) -> Result<MarkerSeen, SqlError> {
        self.roll_back();
        let inserted = self.ready().and_then(|()| self.begin(process));
        self.roll_back();
        match inserted {
            Ok(()) => Ok(MarkerSeen::Absent),
            Err(error) if error.kind == ErrorKind::Locked => Ok(MarkerSeen::Open),
            Err(error) if error.kind == ErrorKind::Duplicate => match self.is_committed(process)? {
                true => Ok(MarkerSeen::Present),
                false => Ok(MarkerSeen::Open),
            },
            Err(error) => self.lost_if(Err(error)),
        }
    }

    /// Whether the marker of a process is there for all to see. If it is not, that says nothing.
    ///
    /// # Errors
    /// The database failed.
    pub fn is_committed(&mut self, process: &str) -> Result<bool, SqlError> {
        self.roll_back();
        let sql = format!("{SEEN}{}", self.place(1));
        let rows = self.engine()?.query(&sql, &[SqlValue::Text(process.to_owned())], 1);
        self.lost_if(rows).map(|rows| !rows.is_empty())
    }

    fn engine(&mut self) -> Result<&mut Box<dyn Engine>, SqlError> {
        if self.engine.is_none() {
            self.engine = Some(engine::open(&self.settings)?);
        }
        self.engine.as_mut().ok_or_else(|| SqlError::new(ErrorKind::Lost, "no connection"))
    }

    /// Begins a transaction with its marker.
    fn begin(&mut self, process: &str) -> Result<(), SqlError> {
        let sql =
            format!("INSERT INTO fastness_process (process, written_at) VALUES ({}, {})", self.place(1), self.place(2));
        let at = written(world::now(), self.settings.engine.moments());
        let engine = self.engine()?;
        engine.begin()?;
        engine.execute(&sql, &[SqlValue::Text(process.to_owned()), SqlValue::Text(at)])
    }

    fn place(&self, number: usize) -> String {
        match self.settings.engine.dialect() {
            crate::statement::Dialect::Plain => "?".into(),
            crate::statement::Dialect::Dollar => format!("${number}"),
        }
    }

    fn work_through(&mut self, work: &Work) -> Result<Worked, SqlError> {
        let mut worked = Worked::default();
        let stood = if work.blame.is_careful { self.unreadable(work)? } else { vec![] };
        for message in &work.messages {
            let result = match work.blame.reason(&message.id) {
                Some(reason) => result_of(message, Err(SqlError::new(ErrorKind::Wrong, reason)))?,
                None => self.process(message, &work.process)?,
            };
            worked.results.push(result);
        }
        if work.messages.iter().any(|message| work.blame.reason(&message.id).is_none()) {
            self.replies(work, &stood, &mut worked)?;
        }
        Ok(worked)
    }

    /// Rows that are no replies and stand there before any message is processed: others wrote them.
    fn unreadable(&mut self, work: &Work) -> Result<Vec<Row>, SqlError> {
        let rows = self.reply_rows(work)?;
        let settings = Arc::clone(&self.settings);
        let known = Known { messages: &work.messages, database: &settings.database, now: world::now() };
        Ok(rows.into_iter().filter(|row| replies::reply(row, &known).is_err()).collect())
    }

    fn reply_rows(&mut self, work: &Work) -> Result<Vec<Row>, SqlError> {
        let settings = Arc::clone(&self.settings);
        let Some(Replies { query, .. }) = &settings.replies else { return Ok(vec![]) };
        let query = self.read(query)?;
        // What is left alone must not keep others back.
        let max = if work.blame.is_careful { ROWS_MAX } else { REPLIES_MAX };
        self.engine()?.query(&query.sql, &reply_values(&query.names, &work.process, ""), max)
    }

    fn read(&self, text: &str) -> Result<Statement, SqlError> {
        Statement::read(text, self.settings.engine.dialect()).map_err(|text| SqlError::new(ErrorKind::Wrong, text))
    }

    /// One message in its savepoint.
    fn process(&mut self, message: &Message, process: &str) -> Result<MessageResult, SqlError> {
        let statements = self.statements_for(message)?;
        let moments = self.settings.engine.moments();
        let engine = self.engine()?;
        engine.execute(SAVEPOINT, &[])?;
        let run = |statement: &Statement| {
            engine.execute(&statement.sql, &values_of(&statement.names, message, process, moments))
        };
        let outcome = statements.iter().try_for_each(run);
        let engine = self.engine()?;
        if let Err(error) = &outcome {
            engine.execute(UNDO, &[]).map_err(|undo| cause(error, undo))?;
        }
        engine.execute(RELEASE, &[])?;
        result_of(message, outcome)
    }

    fn statements_for(&self, message: &Message) -> Result<Vec<Statement>, SqlError> {
        let wrong = |text: String| SqlError::new(ErrorKind::Wrong, text);
        let unknown = || wrong(format!("nothing here knows messages of type `{}`", message.body.kind));
        let handler = self.settings.handler(&message.body.kind).ok_or_else(unknown)?;
        self.settings.statements(handler).map_err(wrong)
    }

    fn replies(&mut self, work: &Work, stood: &[Row], worked: &mut Worked) -> Result<(), SqlError> {
        let settings = Arc::clone(&self.settings);
        let known = Known { messages: &work.messages, database: &settings.database, now: world::now() };
        for row in self.reply_rows(work)? {
            match replies::reply(&row, &known) {
                Ok(_) if worked.replies.len() == REPLIES_MAX => break,
                Ok(reply) => worked.replies.push(reply),
                Err(error) if stood.contains(&row) => worked.left_alone.push(error),
                Err(error) => worked.bad.push(replies::bad(&row, &known, &error)),
            }
        }
        let then = settings.replies.as_ref().and_then(|replies| replies.then.as_deref());
        let Some(then) = then.filter(|_| worked.bad.is_empty()) else { return Ok(()) };
        let then = self.read(then)?;
        for reply in &worked.replies {
            self.engine()?.execute(&then.sql, &reply_values(&then.names, &work.process, &reply.id))?;
        }
        Ok(())
    }

    fn make_markers(&mut self) -> Result<(), SqlError> {
        let engine = self.engine()?;
        let sql = engine.markers_sql();
        let failed = |text: &str| format!("the table of markers cannot be made: {text}; make it yourself: {sql}");
        engine
            .begin()
            .and_then(|()| engine.execute(sql, &[]))
            .map_err(|error| SqlError { text: failed(&error.text), ..error })?;
        engine.commit().map_err(|error| match error {
            CommitFailure::Refused(text)
            | CommitFailure::Undone(text)
            | CommitFailure::Unclear(text)
            | CommitFailure::Broken(text) => SqlError::new(ErrorKind::Wrong, failed(&text)),
        })
    }

    /// Those that nobody will ask for, once for each connection. If it fails, they are there for another day.
    pub fn forget_old_markers(&mut self) {
        if std::mem::replace(&mut self.is_tidy, true) {
            return;
        }
        let oldest = world::now().plus_ms(-DAY_MS * i64::from(self.settings.keep_markers_days));
        let oldest = SqlValue::Text(written(oldest, self.settings.engine.moments()));
        let sql = format!("DELETE FROM fastness_process WHERE written_at < {}", self.place(1));
        let Ok(engine) = self.engine() else { return };
        let done = engine.begin().and_then(|()| engine.execute(&sql, &[oldest]));
        if done.is_err() || engine.commit().is_err() {
            self.roll_back();
        }
    }

    /// A connection that is gone is not used again.
    fn lost_if<T>(&mut self, outcome: Result<T, SqlError>) -> Result<T, SqlError> {
        if outcome.as_ref().is_err_and(|error| matches!(error.kind, ErrorKind::Lost | ErrorKind::Machine)) {
            self.engine = None;
        }
        outcome
    }
}

/// A reply has an id, and its query a process; the other names are of messages.
fn reply_values(names: &[Name], process: &str, id: &str) -> Vec<SqlValue> {
    let value = |name: &Name| match name {
        Name::Process => SqlValue::Text(process.to_owned()),
        Name::Id => SqlValue::Text(id.to_owned()),
        _ => SqlValue::Null,
    };
    names.iter().map(value).collect()
}

/// Why a savepoint cannot be gone back to: the database rolled back everything, over somebody's lock or a full disk, or over what the
/// message did.
fn cause(error: &SqlError, undo: SqlError) -> SqlError {
    match error.kind {
        ErrorKind::Locked | ErrorKind::Lost | ErrorKind::Machine => error.clone(),
        ErrorKind::Duplicate | ErrorKind::Wrong => SqlError { text: format!("{}; {}", error.text, undo.text), ..undo },
    }
}

/// What became of a message; a connection that is gone is no result of a message.
fn result_of(message: &Message, outcome: Result<(), SqlError>) -> Result<MessageResult, SqlError> {
    let result = |status, error: Option<SqlError>| MessageResult {
        id: message.id.clone(),
        status,
        error_code: error.as_ref().and_then(|error| error.code),
        error_text: error.map(|error| error.text),
    };
    match outcome {
        Ok(()) => Ok(result(Processed::Processed, None)),
        Err(error) => match error.kind {
            ErrorKind::Locked => Ok(result(Processed::ProcessedDeadlock, Some(error))),
            ErrorKind::Duplicate | ErrorKind::Wrong => Ok(result(Processed::ProcessedIncorrect, Some(error))),
            ErrorKind::Lost | ErrorKind::Machine => Err(error),
        },
    }
}
