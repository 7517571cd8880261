//! PostgreSQL, through its own small runtime on the thread of the database.
//!
//! READ COMMITTED: after a rollback to a savepoint the transaction goes on, which a serializable one would not after a conflict. A
//! connector that vanished leaves no transaction open for long: the server ends one that is idle.

use std::error::Error;
use std::time::Duration;

use bytes::BytesMut;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{Format, IsNull, ToSql, Type};
use tokio_postgres::{Client, Config, NoTls};

use super::{Engine, ErrorKind, Row, SqlError};
use crate::next::{CommitFailure, PREPARE_MS};
use crate::values::SqlValue;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a transaction may be idle: longer than prepare is repeated.
const IDLE_MS: u64 = PREPARE_MS * 3;

pub(super) struct Postgres {
    runtime: Runtime,
    client: Client,
    open: bool,
}

impl Postgres {
    pub(super) fn open(address: &str, lock_wait_s: u32) -> Result<Self, SqlError> {
        let lost = |error: String| SqlError::new(ErrorKind::Lost, error);
        let mut config: Config = address.parse().map_err(|error: tokio_postgres::Error| lost(text(&error)))?;
        config
            .connect_timeout(CONNECT)
            .keepalives_idle(Duration::from_secs(30))
            .application_name("fastness exchange connect");
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| lost(error.to_string()))?;
        let client = runtime.block_on(async {
            let (client, connection) = config.connect(NoTls).await?;
            // It ends with the client; what it fails of, the client's next call tells.
            tokio::spawn(async move { drop(connection.await) });
            Ok::<_, tokio_postgres::Error>(client)
        });
        let mut engine = Self { client: client.map_err(|error| lost(text(&error)))?, runtime, open: false };
        let settings = format!(
            "SET lock_timeout = {}; SET idle_in_transaction_session_timeout = {IDLE_MS}; SET synchronous_commit = on; \
             SET default_transaction_isolation = 'read committed'",
            u64::from(lock_wait_s) * 1_000
        );
        engine.batch(&settings)?;
        Ok(engine)
    }

    fn batch(&mut self, sql: &str) -> Result<(), SqlError> {
        self.runtime.block_on(self.client.batch_execute(sql)).map_err(|error| told(&error))
    }

    fn rows(&mut self, sql: &str, values: &[SqlValue]) -> Result<Vec<tokio_postgres::Row>, SqlError> {
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        self.runtime.block_on(self.client.query(sql, &values)).map_err(|error| told(&error))
    }
}

impl Engine for Postgres {
    fn begin(&mut self) -> Result<(), SqlError> {
        self.batch("BEGIN")?;
        self.open = true;
        Ok(())
    }

    fn execute(&mut self, sql: &str, values: &[SqlValue]) -> Result<(), SqlError> {
        self.rows(sql, values).map(drop)
    }

    /// As JSON by PostgreSQL itself, whatever the types of its columns.
    fn query(&mut self, sql: &str, values: &[SqlValue], max: usize) -> Result<Vec<Row>, SqlError> {
        let sql = format!("SELECT row_to_json(fastness_row)::text FROM ({sql}\n) AS fastness_row LIMIT {max}");
        let read = |row: tokio_postgres::Row| match serde_json::from_str(row.get(0)) {
            Ok(Value::Object(row)) => Ok(row),
            _ => Err(SqlError::new(ErrorKind::Wrong, "a row that is no JSON object")),
        };
        self.rows(&sql, values)?.into_iter().map(read).collect()
    }

    fn commit(&mut self) -> Result<(), CommitFailure> {
        // COMMIT of a transaction that failed is no error to PostgreSQL, but a rollback: ask before.
        if let Err(error) = self.batch("SELECT 1") {
            let _ = self.roll_back();
            return Err(CommitFailure::Undone(error.text));
        }
        self.open = false;
        self.batch("COMMIT").map_err(|error| match error.kind {
            // The server answers these after the transaction is rolled back.
            ErrorKind::Duplicate | ErrorKind::Wrong => CommitFailure::Refused(error.text),
            ErrorKind::Locked => CommitFailure::Undone(error.text),
            ErrorKind::Lost => CommitFailure::Unclear(error.text),
            ErrorKind::Machine => CommitFailure::Broken(error.text),
        })
    }

    fn roll_back(&mut self) -> Result<(), SqlError> {
        match std::mem::take(&mut self.open) {
            true => self.batch("ROLLBACK"),
            false => Ok(()),
        }
    }

    fn markers_sql(&self) -> &'static str {
        "CREATE TABLE IF NOT EXISTS fastness_process (process text PRIMARY KEY, written_at timestamptz NOT NULL)"
    }
}

/// Values are sent as text: PostgreSQL reads them as what their places are.
impl ToSql for SqlValue {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Text(text) => out.extend_from_slice(text.as_bytes()),
            Self::Int(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Self::Null => return Ok(IsNull::Yes),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.to_sql(ty, out)
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }
}

fn told(error: &tokio_postgres::Error) -> SqlError {
    let Some(state) = error.code() else {
        // A value that cannot be sent is the statement's fault; all else without a code is the connection's.
        let kind = if error.is_closed() || error.source().is_some() { ErrorKind::Lost } else { ErrorKind::Wrong };
        return SqlError::new(kind, text(error));
    };
    SqlError { kind: judge(state), code: state.code().parse().ok(), text: text(error) }
}

/// What an SQLSTATE means. Memory, temporary files and a broken index may be one message's alone: only a full disk is nobody's.
fn judge(state: &SqlState) -> ErrorKind {
    match state {
        state if LOCKS.contains(state) => ErrorKind::Locked,
        state if *state == SqlState::UNIQUE_VIOLATION => ErrorKind::Duplicate,
        state if *state == SqlState::DISK_FULL => ErrorKind::Machine,
        state if is_lost(state.code()) => ErrorKind::Lost,
        _ => ErrorKind::Wrong,
    }
}

/// A statement that took too long, or that somebody ended, may go another time.
const LOCKS: [SqlState; 4] = [
    SqlState::T_R_DEADLOCK_DETECTED,
    SqlState::T_R_SERIALIZATION_FAILURE,
    SqlState::LOCK_NOT_AVAILABLE,
    SqlState::QUERY_CANCELED,
];

/// Connections, the server's going, a broken server, no room, an idle transaction that was ended.
fn is_lost(code: &str) -> bool {
    ["08", "57P", "53", "58", "XX", "25P03", "40003"].iter().any(|begin| code.starts_with(begin))
}

/// With SQLSTATE, which is not always a number.
fn text(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(told) => {
            let detail = told.detail().map(|detail| format!(" ({detail})")).unwrap_or_default();
            format!("{}: {}{detail}", told.code().code(), told.message())
        }
        None => error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exc_25_a_full_disk_is_no_messages_fault_and_an_ended_connection_may_be() {
        assert_eq!(judge(&SqlState::DISK_FULL), ErrorKind::Machine);
        assert_eq!(
            [SqlState::ADMIN_SHUTDOWN, SqlState::OUT_OF_MEMORY].map(|state| judge(&state)),
            [ErrorKind::Lost; 2]
        );
        assert_eq!(
            [SqlState::QUERY_CANCELED, SqlState::LOCK_NOT_AVAILABLE].map(|state| judge(&state)),
            [ErrorKind::Locked; 2]
        );
        assert_eq!(judge(&SqlState::CHECK_VIOLATION), ErrorKind::Wrong);
    }
}
