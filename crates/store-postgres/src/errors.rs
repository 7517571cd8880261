//! What the server or the connection said, as what the caller does next.
//!
//! Messages carry the server's sentence and its SQLSTATE, never its detail line: that quotes values.

use std::error::Error as _;

use base::StoreError;
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, Severity, SqlState};

/// The error of one statement that was not COMMIT.
pub(crate) fn of_statement(statement: &'static str, error: &Error) -> StoreError {
    match error.as_db_error() {
        Some(said) => of_server(statement, said),
        None => StoreError::Unavailable(text(error)),
    }
}

fn of_server(statement: &'static str, said: &DbError) -> StoreError {
    let message = server_text(said);
    let code = said.code().code();
    match (&code[..2], code) {
        (_, "40001" | "40P01" | "55P03") => StoreError::Conflict,
        _ if is_stale(said) => StoreError::Conflict,
        (_, "40003" | "08007") => StoreError::Unknown(message),
        ("23", _) | (_, "40002") => StoreError::Constraint { statement, message },
        (_, "53100") => StoreError::Full(message),
        (_, "57014") if said.message().contains("timeout") => StoreError::Budget(format!("{statement}: {message}")),
        (_, "25P02") => StoreError::Poisoned,
        (_, "25006" | "25P03" | "25P04") => StoreError::Unavailable(message),
        ("08" | "28" | "53" | "57" | "58" | "XX", _) => StoreError::Unavailable(message),
        _ => StoreError::Statement { statement, message },
    }
}

/// The error of a COMMIT. An ERROR means that it was undone; anything that ends the connection says nothing about it.
pub(crate) fn of_commit(error: &Error) -> StoreError {
    if ends_connection(error) {
        return StoreError::Unknown(text(error));
    }
    of_statement("COMMIT", error)
}

/// Whether the connection cannot be used any more.
pub(crate) fn ends_connection(error: &Error) -> bool {
    match error.as_db_error() {
        None => true,
        Some(said) => {
            matches!(said.parsed_severity(), Some(Severity::Fatal | Severity::Panic))
                || said.code().code().starts_with("08")
        }
    }
}

/// Whether a cached statement no longer fits the schema, as after a migration by another process.
pub(crate) fn is_stale_statement(error: &Error) -> bool {
    error.as_db_error().is_some_and(is_stale)
}

fn is_stale(said: &DbError) -> bool {
    *said.code() == SqlState::INVALID_SQL_STATEMENT_NAME
        || (*said.code() == SqlState::FEATURE_NOT_SUPPORTED && said.message().contains("cached plan"))
}

/// Whether the server refuses writes as such: a standby, or set to read only.
pub(crate) fn is_read_only(error: &Error) -> bool {
    error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION)
}

/// Whether the server has no place for one more connection: it is crowded, not gone.
pub(crate) fn is_crowded(error: &Error) -> bool {
    error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS)
}

/// Whether there is no schema of that name.
pub(crate) fn is_unknown_schema(error: &Error) -> bool {
    error.code() == Some(&SqlState::INVALID_SCHEMA_NAME)
}

/// Whether there is a schema of that name already.
pub(crate) fn is_known_schema(error: &Error) -> bool {
    error.code() == Some(&SqlState::DUPLICATE_SCHEMA)
}

/// Whether a setting is one that the server does not know.
pub(crate) fn is_unknown_setting(error: &Error) -> bool {
    let known = [SqlState::UNDEFINED_OBJECT, SqlState::FEATURE_NOT_SUPPORTED, SqlState::SYNTAX_ERROR];
    error.code().is_some_and(|code| known.contains(code))
}

/// Whether two processes made the same thing at the same moment, so that trying again finds it made.
pub(crate) fn is_creation_race(error: &Error) -> bool {
    let races = [
        SqlState::UNIQUE_VIOLATION,
        SqlState::DUPLICATE_TABLE,
        SqlState::DUPLICATE_SCHEMA,
        SqlState::DUPLICATE_OBJECT,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
    ];
    error.code().is_some_and(|code| races.contains(code))
}

/// The error in one line, with its causes.
pub(crate) fn text(error: &Error) -> String {
    match error.as_db_error() {
        Some(said) => server_text(said),
        None => match error.source() {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        },
    }
}

fn server_text(said: &DbError) -> String {
    format!("{} (SQLSTATE {})", said.message(), said.code().code())
}
