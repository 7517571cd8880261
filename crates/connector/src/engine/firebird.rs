//! Firebird, over its wire, without its library.
//!
//! READ COMMITTED with record versions, waiting for locks so many seconds: after a rollback to a savepoint a statement sees what
//! others committed meanwhile, as in PostgreSQL. A snapshot would run into the same conflict again.

use rsfbclient::prelude::*;
use rsfbclient::{Connection, FbError, Row as FirebirdRow, RustFbClient, SqlType, builder_pure_rust};
use serde_json::{Number, Value};

use super::firebird_errors::judge;
use super::{Engine, ErrorKind, Row, SqlError};
use crate::next::CommitFailure;
use crate::values::SqlValue;

pub(super) struct Firebird {
    connection: Connection<RustFbClient>,
    transaction: TransactionConfiguration,
    open: bool,
}

impl Firebird {
    pub(super) fn open(address: &str, lock_wait_s: u32) -> Result<Self, SqlError> {
        let transaction = TransactionConfiguration {
            data_access: TrDataAccessMode::ReadWrite,
            isolation: TrIsolationLevel::ReadCommited(TrRecordVersion::RecordVersion),
            lock_resolution: TrLockResolution::Wait(Some(lock_wait_s)),
        };
        let mut builder = builder_pure_rust();
        let connection = builder.from_string(address).and_then(|builder| builder.transaction(transaction).connect());
        let connection = connection.map_err(|error| SqlError { kind: ErrorKind::Lost, ..told(error) })?;
        Ok(Self { connection, transaction, open: false })
    }

    /// A statement without values, of the kind that is not prepared: savepoints.
    fn immediate(&mut self, sql: &str) -> Result<(), SqlError> {
        self.connection.with_transaction(|transaction| transaction.execute_immediate(sql)).map_err(told)
    }
}

impl Engine for Firebird {
    fn begin(&mut self) -> Result<(), SqlError> {
        self.connection.begin_transaction_config(self.transaction).map_err(told)?;
        self.open = true;
        Ok(())
    }

    fn execute(&mut self, sql: &str, values: &[SqlValue]) -> Result<(), SqlError> {
        if values.is_empty() && !is_query(sql) {
            return self.immediate(sql);
        }
        let values: Vec<SqlType> = values.iter().map(value).collect();
        match is_query(sql) {
            // A procedure that gives rows runs as far as they are fetched.
            true => self.connection.query::<_, FirebirdRow>(sql, values).map(drop).map_err(told),
            false => self.connection.execute(sql, values).map(drop).map_err(told),
        }
    }

    fn query(&mut self, sql: &str, values: &[SqlValue], max: usize) -> Result<Vec<Row>, SqlError> {
        let values: Vec<SqlType> = values.iter().map(value).collect();
        let rows = self.connection.query_iter::<_, FirebirdRow>(sql, values).map_err(told)?;
        rows.take(max).map(|row| row.map_err(told).map(columns)).collect()
    }

    /// After any error it may have committed: the client does not tell one of the server from one on the way, and the marker knows.
    fn commit(&mut self) -> Result<(), CommitFailure> {
        self.open = false;
        self.connection.commit().map_err(|error| match told(error) {
            SqlError { kind: ErrorKind::Machine, text, .. } => CommitFailure::Broken(text),
            SqlError { text, .. } => CommitFailure::Unclear(text),
        })
    }

    fn roll_back(&mut self) -> Result<(), SqlError> {
        match std::mem::take(&mut self.open) {
            true => self.connection.rollback().map_err(told),
            false => Ok(()),
        }
    }

    fn markers_sql(&self) -> &'static str {
        "CREATE TABLE fastness_process (process VARCHAR(64) NOT NULL PRIMARY KEY, written_at TIMESTAMP NOT NULL)"
    }
}

fn is_query(sql: &str) -> bool {
    let word = sql.trim_start().split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
    ["select", "with"].iter().any(|query| word.eq_ignore_ascii_case(query))
}

fn value(value: &SqlValue) -> SqlType {
    match value {
        SqlValue::Text(text) => SqlType::Text(text.clone()),
        SqlValue::Int(number) => SqlType::Integer(*number),
        SqlValue::Null => SqlType::Null,
    }
}

fn columns(row: FirebirdRow) -> Row {
    row.cols.into_iter().map(|column| (column.name.to_lowercase(), json(column.value))).collect()
}

fn json(value: SqlType) -> Value {
    match value {
        SqlType::Text(text) => text.into(),
        SqlType::Integer(number) => number.into(),
        SqlType::Int128(number) => number.to_string().into(),
        SqlType::Floating(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
        SqlType::Timestamp(moment) => format!("{}Z", moment.format("%Y-%m-%dT%H:%M:%S%.3f")).into(),
        SqlType::Binary(bytes) => String::from_utf8_lossy(&bytes).into(),
        SqlType::Boolean(yes) => yes.into(),
        SqlType::Null => Value::Null,
    }
}

fn told(error: FbError) -> SqlError {
    match error {
        FbError::Sql { msg, code } => {
            let (kind, code) = judge(&msg, code);
            SqlError { kind, code, text: msg.lines().map(str::trim).collect::<Vec<_>>().join("; ") }
        }
        FbError::Io(error) => SqlError::new(ErrorKind::Lost, error.to_string()),
        FbError::Other(text) => SqlError::new(ErrorKind::Wrong, text),
    }
}
