//! A database as the connector needs it: one connection, one transaction at a time, and errors told apart by what follows from them.

mod firebird;
mod firebird_errors;
mod postgres;
mod sqlite;

use serde_json::{Map, Value};

use crate::next::CommitFailure;
use crate::settings::{EngineName, Settings};
use crate::values::SqlValue;

/// A row of a query: columns by their names in lower case.
pub type Row = Map<String, Value>;

/// What an error of the database means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Somebody else has a lock, or won a race: later it may go.
    Locked,
    /// There is a row with this key.
    Duplicate,
    /// The connection is gone, or of no use, and with it the transaction: what was done may be why.
    Lost,
    /// The disk failed, and the transaction is of no use: no message's fault, as far as one can see.
    Machine,
    /// The statement or its values are wrong.
    Wrong,
}

/// An error of the database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct SqlError {
    /// What it means.
    pub kind: ErrorKind,
    /// Its number, as the database has it: gdscode, SQLSTATE if that is a number, SQLite's extended code.
    pub code: Option<i64>,
    /// What the database says.
    pub text: String,
}

/// One connection.
pub trait Engine: Send {
    /// Begins a transaction that can write.
    ///
    /// # Errors
    /// See [`SqlError`].
    fn begin(&mut self) -> Result<(), SqlError>;

    /// Runs a statement to its end.
    ///
    /// # Errors
    /// See [`SqlError`].
    fn execute(&mut self, sql: &str, values: &[SqlValue]) -> Result<(), SqlError>;

    /// Rows of a query, at most so many.
    ///
    /// # Errors
    /// See [`SqlError`].
    fn query(&mut self, sql: &str, values: &[SqlValue], max: usize) -> Result<Vec<Row>, SqlError>;

    /// Commits. Whatever comes of it, the transaction is over.
    ///
    /// # Errors
    /// See [`CommitFailure`].
    fn commit(&mut self) -> Result<(), CommitFailure>;

    /// Rolls back; no error if there is nothing to roll back.
    ///
    /// # Errors
    /// The connection is gone, which has rolled back too.
    fn roll_back(&mut self) -> Result<(), SqlError>;

    /// Makes the table of markers.
    fn markers_sql(&self) -> &'static str;
}

/// Connects as the settings say, and runs what they say for each connection.
///
/// # Errors
/// See [`SqlError`].
pub fn open(settings: &Settings) -> Result<Box<dyn Engine>, SqlError> {
    let mut engine: Box<dyn Engine> = match settings.engine {
        EngineName::Sqlite => Box::new(sqlite::Sqlite::open(&settings.connect, settings.lock_wait_s)?),
        EngineName::Postgres => Box::new(postgres::Postgres::open(&settings.connect, settings.lock_wait_s)?),
        EngineName::Firebird => Box::new(firebird::Firebird::open(&settings.connect, settings.lock_wait_s)?),
    };
    for sql in &settings.setup {
        engine.execute(sql, &[])?;
    }
    Ok(engine)
}

impl SqlError {
    /// An error without a number.
    pub(crate) fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self { kind, code: None, text: text.into() }
    }
}
