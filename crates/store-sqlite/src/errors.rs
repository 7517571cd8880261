//! SQLite's errors, split by what the caller does next.

use base::{Sql, StoreError};
use rusqlite::ErrorCode;

/// What an error of a statement means.
pub(crate) fn of_statement(sql: &'static Sql, error: &rusqlite::Error) -> StoreError {
    let (statement, message) = (sql.name, error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => StoreError::Constraint { statement, message },
        Some(ErrorCode::OperationInterrupted) => StoreError::Budget(format!("statement {statement} takes too long")),
        Some(code) if is_fault(code) => of_engine(error),
        _ => StoreError::Statement { statement, message },
    }
}

/// What an error of BEGIN, COMMIT, a pragma and the like means.
pub(crate) fn of_engine(error: &rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full(error.to_string()),
        _ => StoreError::Unavailable(error.to_string()),
    }
}

/// Faults of the disk or the machine, as opposed to mistakes in a statement.
fn is_fault(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::OutOfMemory
            | ErrorCode::PermissionDenied
            | ErrorCode::FileLockingProtocolFailed
    )
}
