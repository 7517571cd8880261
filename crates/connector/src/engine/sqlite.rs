//! SQLite: a file with one writer at a time. The marker is the first that is written, and takes the writer's place; other files that are
//! attached are locked when they are used.

use std::time::Duration;

use rusqlite::types::{ToSqlOutput, Value as SqliteValue, ValueRef};
use rusqlite::{Connection, ErrorCode, Statement, ToSql, params_from_iter};
use serde_json::{Number, Value};

use super::{Engine, ErrorKind, Row, SqlError};
use crate::next::CommitFailure;
use crate::values::SqlValue;

pub(super) struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    pub(super) fn open(path: &str, lock_wait_s: u32) -> Result<Self, SqlError> {
        let connection = Connection::open(path).map_err(told)?;
        connection.busy_timeout(Duration::from_secs(lock_wait_s.into())).map_err(told)?;
        // A marker that a power cut takes away would let a message be processed twice.
        connection.pragma_update(None, "synchronous", "FULL").map_err(told)?;
        connection.pragma_update(None, "foreign_keys", "ON").map_err(told)?;
        Ok(Self { connection })
    }
}

impl Engine for Sqlite {
    fn begin(&mut self) -> Result<(), SqlError> {
        self.connection.execute_batch("BEGIN").map_err(told)
    }

    fn execute(&mut self, sql: &str, values: &[SqlValue]) -> Result<(), SqlError> {
        let mut statement = self.connection.prepare(sql).map_err(told)?;
        let mut rows = statement.query(params_from_iter(values)).map_err(told)?;
        while rows.next().map_err(told)?.is_some() {}
        Ok(())
    }

    fn query(&mut self, sql: &str, values: &[SqlValue], max: usize) -> Result<Vec<Row>, SqlError> {
        let mut statement = self.connection.prepare(sql).map_err(told)?;
        let names = names(&statement);
        let mut rows = statement.query(params_from_iter(values)).map_err(told)?;
        let mut found = vec![];
        while found.len() < max {
            let Some(row) = rows.next().map_err(told)? else { break };
            let column = |(at, name): (usize, &String)| Ok((name.clone(), json(row.get_ref(at)?)));
            found.push(names.iter().enumerate().map(column).collect::<rusqlite::Result<Row>>().map_err(told)?);
        }
        Ok(found)
    }

    fn commit(&mut self) -> Result<(), CommitFailure> {
        let Err(error) = self.connection.execute_batch("COMMIT") else { return Ok(()) };
        let failure = match error.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation) => CommitFailure::Refused,
            Some(ErrorCode::DatabaseBusy) => CommitFailure::Undone,
            _ => CommitFailure::Unclear,
        };
        let SqlError { kind, text, .. } = told(error);
        // The transaction is still open after the first two, and only then is it sure that nothing was committed.
        let rolled_back = !self.connection.is_autocommit() && self.roll_back().is_ok();
        Err(match rolled_back {
            _ if kind == ErrorKind::Machine => CommitFailure::Broken(text),
            true => failure(text),
            false => CommitFailure::Unclear(text),
        })
    }

    fn roll_back(&mut self) -> Result<(), SqlError> {
        if self.connection.is_autocommit() {
            return Ok(());
        }
        self.connection.execute_batch("ROLLBACK").map_err(told)
    }

    fn markers_sql(&self) -> &'static str {
        "CREATE TABLE IF NOT EXISTS fastness_process (process TEXT PRIMARY KEY, written_at TEXT NOT NULL)"
    }
}

impl ToSql for SqlValue {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Int(number) => ToSqlOutput::Owned(SqliteValue::Integer(*number)),
            Self::Null => ToSqlOutput::Owned(SqliteValue::Null),
        })
    }
}

fn names(statement: &Statement<'_>) -> Vec<String> {
    statement.column_names().map(str::to_lowercase).collect()
}

fn json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into(),
    }
}

fn told(error: rusqlite::Error) -> SqlError {
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ErrorKind::Locked,
        Some(ErrorCode::ConstraintViolation) => constraint(&error),
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => ErrorKind::Machine,
        Some(code) if LOST.contains(&code) => ErrorKind::Lost,
        _ => ErrorKind::Wrong,
    };
    let code = error.sqlite_error().map(|inner| i64::from(inner.extended_code));
    SqlError { kind, code, text: error.to_string() }
}

/// The transaction is of no use. It may be one message's alone: it writes to another file than the others, or touches the one page that is
/// corrupt. Where it is the file of all, its marker cannot be written, and nobody is to blame.
const LOST: [ErrorCode; 6] = [
    ErrorCode::CannotOpen,
    ErrorCode::NotADatabase,
    ErrorCode::DatabaseCorrupt,
    ErrorCode::OutOfMemory,
    ErrorCode::FileLockingProtocolFailed,
    ErrorCode::ReadOnly,
];

fn constraint(error: &rusqlite::Error) -> ErrorKind {
    use rusqlite::ffi::{SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE};
    let extended = error.sqlite_error().map_or(0, |inner| inner.extended_code);
    match [SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE].contains(&extended) {
        true => ErrorKind::Duplicate,
        false => ErrorKind::Wrong,
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn exc_25_a_disk_is_no_messages_fault_and_what_is_wrong_with_a_file_may_be() {
        let kind = |code| told(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)).kind;
        assert_eq!([ffi::SQLITE_FULL, ffi::SQLITE_IOERR].map(kind), [ErrorKind::Machine; 2]);
        let lost =
            [ffi::SQLITE_CORRUPT, ffi::SQLITE_NOMEM, ffi::SQLITE_PROTOCOL, ffi::SQLITE_READONLY, ffi::SQLITE_CANTOPEN];
        assert_eq!(lost.map(kind), [ErrorKind::Lost; 5]);
        assert_eq!([ffi::SQLITE_BUSY, ffi::SQLITE_LOCKED].map(kind), [ErrorKind::Locked; 2]);
        assert_eq!([ffi::SQLITE_ERROR, ffi::SQLITE_MISMATCH, ffi::SQLITE_CONSTRAINT].map(kind), [ErrorKind::Wrong; 3]);
    }
}
