//! Copies of a store, and looks into files that nobody writes: for backups and checks, also from another process.
//!
//! A copy is made with SQLite's backup interface in one step, within one reading transaction: consistent, while the
//! writer goes on. Stepwise copying would begin anew with every commit of another connection. While it lasts the WAL
//! cannot start anew, so it grows by what is written meanwhile; pages are only copied here, everything slow (checking,
//! digesting) happens on the copy, so that this time is as short as the disk allows.
//!
//! A reading connection neither checkpoints nor removes the WAL when it is closed: a server beside us is not disturbed.

use std::io;
use std::path::Path;
use std::sync::Arc;

use base::archive::{ENGINE_TABLES, RowSink, SchemaStep, TableDigest, TableSummary, row_line};
use base::{Cell, Clock, Row, StoreError, StoreResult, Tx};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use crate::config::SqliteConfig;
use crate::conn::{Conn, cell};
use crate::errors::of_engine;

/// How long a lock of somebody else is waited for.
const BUSY: std::time::Duration = std::time::Duration::from_secs(5);

/// Copies the store at `from`, which a server may be writing, to the new file `to`. The copy is not synced yet.
///
/// # Errors
/// The store cannot be read or the copy not be written.
pub fn copy_store(from: &Path, to: &Path) -> StoreResult<()> {
    copy(from, to).map_err(|error| of_engine(&error))
}

fn copy(from: &Path, to: &Path) -> rusqlite::Result<()> {
    let source = open_reading(from)?;
    let mut target = Connection::open(to)?;
    // Nobody uses the copy before it is whole, and the caller syncs it.
    target.pragma_update(None, "journal_mode", "OFF")?;
    target.pragma_update(None, "synchronous", "OFF")?;
    let step = Backup::new(&source, &mut target)?.step(-1)?;
    if step != StepResult::Done {
        let busy = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
        return Err(rusqlite::Error::SqliteFailure(busy, Some("the store is locked by another program".into())));
    }
    drop((source, target));
    // One file that can be read without making others beside it; a server that opens it turns the WAL on again.
    Connection::open(to)?.pragma_update(None, "journal_mode", "DELETE")
}

/// What is wrong with the file itself: pages, indices, foreign keys. Nobody may be writing it.
///
/// # Errors
/// It cannot be read at all.
pub fn find_damage(path: &Path) -> StoreResult<Vec<String>> {
    read(path, |raw| {
        let mut found = column_of(raw, "PRAGMA integrity_check(100)")?;
        found.retain(|line| line != "ok");
        let orphans = column_of(raw, "PRAGMA foreign_key_check")?;
        found.extend(orphans.into_iter().map(|table| format!("table {table}: a row refers to a missing one")));
        Ok(found)
    })
}

/// All tables with their digests. Nobody may be writing the file.
///
/// # Errors
/// It cannot be read.
pub fn summarise(path: &Path) -> StoreResult<Vec<TableSummary>> {
    read(path, |raw| table_names(raw)?.iter().map(|name| summarise_table(raw, name)).collect())
}

fn summarise_table(raw: &Connection, name: &str) -> rusqlite::Result<TableSummary> {
    let (summary, kept) = export_table(raw, name, &mut |_| Ok(()))?;
    kept.map(|()| summary).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

/// Writes all rows to `sink`, and tells the tables. Nobody may be writing the file.
///
/// # Errors
/// The store cannot be read, or the sink failed.
pub fn export(path: &Path, sink: &mut dyn RowSink) -> StoreResult<Vec<TableSummary>> {
    let names = read(path, table_names)?;
    names.into_iter().map(|name| export_into(path, &name, sink)).collect()
}

fn export_into(path: &Path, name: &str, sink: &mut dyn RowSink) -> StoreResult<TableSummary> {
    let unkept = |error: io::Error| StoreError::Unavailable(format!("table {name} cannot be kept: {error}"));
    sink.table(name, &read(path, |raw| columns_of(raw, name))?).map_err(unkept)?;
    let (summary, kept) = read(path, |raw| export_table(raw, name, &mut |line| sink.row(line)))?;
    kept.and_then(|()| sink.ended(&summary)).map_err(unkept)?;
    Ok(summary)
}

fn columns_of(raw: &Connection, name: &str) -> rusqlite::Result<Vec<String>> {
    let statement = raw.prepare(&format!("SELECT * FROM \"{name}\""))?;
    Ok(statement.column_names().map(str::to_owned).collect())
}

/// Gives each row's line to `keep`, until that fails.
fn export_table(
    raw: &Connection,
    name: &str,
    keep: &mut dyn FnMut(&str) -> io::Result<()>,
) -> rusqlite::Result<(TableSummary, io::Result<()>)> {
    let mut statement = raw.prepare(&format!("SELECT * FROM \"{name}\""))?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let (mut digest, mut kept) = (TableDigest::default(), Ok(()));
    let mut rows = statement.raw_query();
    while let (Some(row), true) = (rows.next()?, kept.is_ok()) {
        let cells = (0..columns.len()).map(|at| row.get_ref(at).map(cell)).collect::<rusqlite::Result<Vec<Cell>>>()?;
        let line = row_line(&Row(cells));
        digest.add(&line);
        kept = keep(&line);
    }
    Ok((digest.summary(name, columns), kept))
}

fn table_names(raw: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut names = column_of(raw, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")?;
    names.retain(|name| !name.starts_with("sqlite_") && !ENGINE_TABLES.contains(&name.as_str()));
    Ok(names)
}

/// The schema steps that the store has recorded. Nobody may be writing the file.
///
/// # Errors
/// It cannot be read or is no store of ours.
pub fn schema_steps(path: &Path) -> StoreResult<Vec<SchemaStep>> {
    read(path, |raw| {
        let mut statement =
            raw.prepare("SELECT service, version, digest FROM schema_step ORDER BY service, version")?;
        let step = |row: &rusqlite::Row<'_>| {
            Ok(SchemaStep { service: row.get(0)?, version: row.get(1)?, digest: row.get(2)? })
        };
        statement.query_map([], step)?.collect()
    })
}

/// Lets `look` read the store in one transaction without any budget.
///
/// # Errors
/// It cannot be read.
pub fn inspect<T>(path: &Path, clock: Arc<dyn Clock>, look: impl FnOnce(&mut dyn Tx) -> T) -> StoreResult<T> {
    let mut conn = Conn::open(path, &SqliteConfig::default(), clock, false)?;
    // A moment that never comes: rows are counted only where no moment is set.
    conn.fresh_until(u64::MAX - 1);
    conn.run("BEGIN")?;
    let found = look(&mut conn);
    conn.run("ROLLBACK")?;
    Ok(found)
}

fn read<T>(path: &Path, look: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> StoreResult<T> {
    open_reading(path).and_then(|raw| look(&raw)).map_err(|error| of_engine(&error))
}

pub(crate) fn open_reading(path: &Path) -> rusqlite::Result<Connection> {
    let raw = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    raw.busy_timeout(BUSY)?;
    Ok(raw)
}

pub(crate) fn column_of(raw: &Connection, text: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = raw.prepare(text)?;
    statement.query_map([], |row| row.get(0))?.collect()
}
