//! A store's rows by their keys, for `namespace move` and `import` (KER-3): out of a file that a server may be writing, and into a new
//! one that nobody uses yet.
//!
//! Out: each page is a read of its own, so that the WAL can start anew between two of them. In: chunk by chunk, in WAL mode; a kill
//! leaves whole chunks, and [`Arriving::settle`] makes all of it durable before anybody is told of it.

use std::path::Path;

use base::archive::{ENGINE_TABLES, RowSource, TableDigest, TableSummary, line_row};
use base::carry::{KeyRange, RowsIn, RowsOut, TableShape};
use base::{Cell, Heard, Migration, Row, StoreError, StoreResult};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql};

use crate::archive::{column_of, open_reading};
use crate::config::SqliteConfig;
use crate::conn::{Conn, cell};
use crate::core::{META, META_ROW};
use crate::errors::of_engine;
use crate::migrate;

/// A store that rows are read from; a server may be writing it.
pub struct Leaving(Connection);

impl Leaving {
    /// Opens the store for reading.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(path: &Path) -> StoreResult<Self> {
        open_reading(path).map(Self).map_err(|error| of_engine(&error))
    }

    /// Its listening time, as it was last saved.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn heard(&self) -> StoreResult<Heard> {
        self.0
            .query_row("SELECT heard FROM store_meta", [], |row| row.get(0))
            .map(Heard)
            .map_err(|error| of_engine(&error))
    }
}

impl RowsOut for Leaving {
    fn tables(&mut self) -> StoreResult<Vec<TableShape>> {
        shapes(&self.0).map_err(|error| of_engine(&error))
    }

    fn page(&mut self, table: &TableShape, range: &KeyRange, limit: usize) -> StoreResult<Vec<Row>> {
        page(&self.0, table, range, limit).map_err(|error| of_engine(&error))
    }
}

/// A store that is being made.
pub struct Arriving(Connection);

impl Arriving {
    /// Makes the store, or goes on with one that was begun; brings its tables to `plan`.
    ///
    /// # Errors
    /// It cannot be written, or its schema is another.
    pub fn open(path: &Path, plan: &[Migration], clock: std::sync::Arc<dyn base::Clock>) -> StoreResult<Self> {
        let now = clock.wall().0;
        let conn = Conn::open(path, &SqliteConfig::default(), clock, true)?;
        conn.run(META)?;
        conn.raw.execute(META_ROW, [now]).map_err(|error| of_engine(&error))?;
        migrate::migrate(&conn, plan)?;
        let raw = conn.into_raw();
        // In WAL mode this loses no order: whatever a power cut takes was the newest, and is carried again.
        let set = || {
            raw.pragma_update(None, "synchronous", "NORMAL")?;
            raw.pragma_update(None, "wal_autocheckpoint", 4_000)?;
            raw.pragma_update(None, "foreign_keys", false)
        };
        set().map_err(|error| of_engine(&error))?;
        Ok(Self(raw))
    }

    /// Takes all rows of a table from elsewhere, in one transaction, and compares them with what was promised.
    ///
    /// # Errors
    /// They are others, or cannot be written.
    pub fn take(&mut self, table: &TableSummary, rows: &dyn RowSource) -> StoreResult<()> {
        let wrong = |text: String| StoreError::Unavailable(format!("table {}: {text}", table.name));
        let failed = |error: rusqlite::Error| wrong(error.to_string());
        let tx = self.0.transaction().map_err(failed)?;
        tx.execute(&format!("DELETE FROM \"{}\"", table.name), []).map_err(failed)?;
        let mut digest = TableDigest::default();
        {
            let mut insert = tx.prepare(&insert_text(&table.name, &table.columns)).map_err(failed)?;
            for line in rows.lines(&table.name).map_err(|error| wrong(error.to_string()))? {
                let line = line.map_err(|error| wrong(error.to_string()))?;
                digest.add(&line);
                insert
                    .execute(rusqlite::params_from_iter(line_row(&line).map_err(wrong)?.0.iter().map(Bound)))
                    .map_err(failed)?;
            }
        }
        tx.commit().map_err(failed)?;
        let held = digest.summary(&table.name, table.columns.clone());
        if held == *table { Ok(()) } else { Err(wrong(format!("{} rows, not those that were promised", held.rows))) }
    }

    /// Its listening time goes on from here.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn set_heard(&mut self, heard: Heard) -> StoreResult<()> {
        self.0.execute("UPDATE store_meta SET heard = ?1", [heard.0]).map(drop).map_err(|error| of_engine(&error))
    }

    /// Makes everything durable in one file, and closes it. What refers to a missing row is told.
    ///
    /// # Errors
    /// It cannot be synced, or a row refers to a missing one.
    pub fn settle(self) -> StoreResult<()> {
        let orphans = column_of(&self.0, "PRAGMA foreign_key_check").map_err(|error| of_engine(&error))?;
        if let Some(table) = orphans.first() {
            return Err(StoreError::Unavailable(format!("table {table}: a row refers to a missing one")));
        }
        let busy: rusqlite::Result<i64> = self
            .0
            .pragma_update(None, "synchronous", "FULL")
            .and_then(|()| self.0.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)));
        match busy.map_err(|error| of_engine(&error))? {
            0 => Ok(()),
            _ => Err(StoreError::Unavailable("the WAL of the new store cannot be emptied".into())),
        }
    }
}

impl RowsOut for Arriving {
    fn tables(&mut self) -> StoreResult<Vec<TableShape>> {
        shapes(&self.0).map_err(|error| of_engine(&error))
    }

    fn page(&mut self, table: &TableShape, range: &KeyRange, limit: usize) -> StoreResult<Vec<Row>> {
        page(&self.0, table, range, limit).map_err(|error| of_engine(&error))
    }
}

impl RowsIn for Arriving {
    fn replace(&mut self, table: &TableShape, range: &KeyRange, rows: &[Row]) -> StoreResult<bool> {
        let replaced = replace(&mut self.0, table, range, rows);
        match replaced {
            Ok(()) => Ok(true),
            Err(error)
                if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation) && !rows.is_empty() =>
            {
                replace(&mut self.0, table, range, &[]).map(|()| false).map_err(|error| of_engine(&error))
            }
            Err(error) => Err(of_engine(&error)),
        }
    }
}

fn replace(raw: &mut Connection, table: &TableShape, range: &KeyRange, rows: &[Row]) -> rusqlite::Result<()> {
    let tx = raw.transaction()?;
    {
        let mut delete = tx.prepare_cached(&format!("DELETE FROM \"{}\"{}", table.name, condition(table, range)))?;
        delete.execute(rusqlite::params_from_iter(ends(range).map(Bound)))?;
        let mut insert = tx.prepare_cached(&insert_text(&table.name, &table.columns))?;
        for row in rows {
            insert.execute(rusqlite::params_from_iter(row.0.iter().map(Bound)))?;
        }
    }
    tx.commit()
}

/// All tables but the engine's own, as the schema has them.
fn shapes(raw: &Connection) -> rusqlite::Result<Vec<TableShape>> {
    let names = column_of(raw, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")?;
    let ours = |name: &String| !name.starts_with("sqlite_") && !ENGINE_TABLES.contains(&name.as_str());
    names.into_iter().filter(ours).map(|name| shape(raw, name)).collect()
}

fn shape(raw: &Connection, name: String) -> rusqlite::Result<TableShape> {
    let mut statement = raw.prepare(&format!("PRAGMA table_info(\"{name}\")"))?;
    let columns: Vec<(String, u32)> =
        statement.query_map([], |row| Ok((row.get(1)?, row.get(5)?)))?.collect::<rusqlite::Result<_>>()?;
    let mut key: Vec<(u32, usize)> =
        columns.iter().enumerate().filter(|(_, (_, place))| *place > 0).map(|(at, (_, place))| (*place, at)).collect();
    key.sort_unstable();
    Ok(TableShape {
        name,
        key: key.into_iter().map(|(_, at)| at).collect(),
        columns: columns.into_iter().map(|(column, _)| column).collect(),
    })
}

fn page(raw: &Connection, table: &TableShape, range: &KeyRange, limit: usize) -> rusqlite::Result<Vec<Row>> {
    let columns = quoted(table.columns.iter());
    let text = format!(
        "SELECT {columns} FROM \"{}\"{} ORDER BY {} LIMIT {}",
        table.name,
        condition(table, range),
        keys(table),
        i64::try_from(limit).unwrap_or(i64::MAX)
    );
    let mut statement = raw.prepare_cached(&text)?;
    let mut rows = statement.query(rusqlite::params_from_iter(ends(range).map(Bound)))?;
    let mut found = vec![];
    while let Some(row) = rows.next()? {
        let cells = (0..table.columns.len()).map(|at| row.get_ref(at).map(cell));
        found.push(Row(cells.collect::<rusqlite::Result<_>>()?));
    }
    Ok(found)
}

fn condition(table: &TableShape, range: &KeyRange) -> String {
    let (keys, count) = (keys(table), table.key.len());
    let marks = |from: usize| (from..from + count).map(|at| format!("?{at}")).collect::<Vec<_>>().join(", ");
    match (&range.after, &range.upto) {
        (None, None) => String::new(),
        (Some(_), None) => format!(" WHERE ({keys}) > ({})", marks(1)),
        (None, Some(_)) => format!(" WHERE ({keys}) <= ({})", marks(1)),
        (Some(_), Some(_)) => format!(" WHERE ({keys}) > ({}) AND ({keys}) <= ({})", marks(1), marks(1 + count)),
    }
}

fn ends(range: &KeyRange) -> impl Iterator<Item = &Cell> {
    range.after.iter().chain(&range.upto).flatten()
}

fn keys(table: &TableShape) -> String {
    quoted(table.key.iter().map(|at| &table.columns[*at]))
}

fn quoted<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

fn insert_text(table: &str, columns: &[String]) -> String {
    let marks = vec!["?"; columns.len()].join(", ");
    format!("INSERT INTO \"{table}\" ({}) VALUES ({marks})", quoted(columns.iter()))
}

struct Bound<'a>(&'a Cell);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Cell::Null => ValueRef::Null,
            Cell::Int(value) => ValueRef::Integer(*value),
            Cell::Real(value) => ValueRef::Real(*value),
            Cell::Text(text) => ValueRef::Text(text.as_bytes()),
            Cell::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// Puts everything of a store that nobody has open into its one file, so that it can be renamed.
///
/// # Errors
/// Somebody has it open, or it cannot be written.
pub fn seal(path: &Path) -> StoreResult<()> {
    let raw = Connection::open_with_flags(path, rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE)
        .map_err(|error| of_engine(&error))?;
    let mode: rusqlite::Result<String> = raw.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get(0));
    match mode.map_err(|error| of_engine(&error))?.as_str() {
        "delete" => Ok(()),
        _ => Err(StoreError::Unavailable("somebody still has the store open".into())),
    }
}
