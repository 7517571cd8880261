//! One connection and the part of a transaction that is running on it: statements, budget, first error.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::limits::{OP_ROWS_MAX, OP_STEPS_MAX};
use base::mutants::{self, Mutant};
use base::{Cell, Clock, Engine, Heard, Row, Sql, StoreError, StoreResult, Tx, Value};
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, OpenFlags, ToSql};

use crate::config::SqliteConfig;
use crate::errors::{of_engine, of_statement};

/// The progress handler is asked every so many steps of SQLite's machine.
const STEPS_PER_LOOK: u64 = 1_000;
/// How long a connection waits for a lock that another program (a backup) may hold.
const BUSY_MS: u64 = 5_000;

/// A connection with the state of the running part.
pub(crate) struct Conn {
    pub(crate) raw: Connection,
    pub(crate) heard: Heard,
    error: Option<StoreError>,
    /// Whether the running part may have changed something.
    wrote: bool,
    rows: usize,
    meter: Arc<Meter>,
}

/// How far a statement may go: steps for operations (the same on every machine), a moment for reads.
#[derive(Default)]
struct Meter {
    steps_left: AtomicU64,
    until_us: AtomicU64,
}

impl Meter {
    fn is_over(&self, clock: &dyn Clock) -> bool {
        let left = self.steps_left.load(Ordering::Relaxed);
        self.steps_left.store(left.saturating_sub(STEPS_PER_LOOK), Ordering::Relaxed);
        left == 0 || clock.monotonic_us() > self.until_us.load(Ordering::Relaxed)
    }
}

impl Conn {
    /// Opens the writing connection, or a reading one.
    pub(crate) fn open(path: &Path, config: &SqliteConfig, clock: Arc<dyn Clock>, write: bool) -> StoreResult<Self> {
        let mode = if write {
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE
        } else {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        };
        let raw = Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX);
        let mut raw = raw.map_err(|error| of_engine(&error))?;
        settings(&raw, config, write).map_err(|error| of_engine(&error))?;
        let meter = Arc::new(Meter::default());
        let watch = meter.clone();
        #[expect(clippy::cast_possible_truncation, reason = "a small constant")]
        let every = STEPS_PER_LOOK as i32;
        raw.progress_handler(every, Some(move || watch.is_over(clock.as_ref()))).map_err(|error| of_engine(&error))?;
        let mut conn = Self { raw, heard: Heard(0), error: None, wrote: false, rows: 0, meter };
        conn.unmetered();
        Ok(conn)
    }

    /// Begins a part: no error yet, a full budget.
    pub(crate) fn fresh(&mut self) {
        self.error = None;
        self.wrote = false;
        self.rows = 0;
        self.meter.steps_left.store(OP_STEPS_MAX, Ordering::Relaxed);
    }

    /// Begins a read that ends at a moment and not after a number of steps.
    pub(crate) fn fresh_until(&mut self, until_us: u64) {
        self.fresh();
        self.unmetered();
        self.meter.until_us.store(until_us, Ordering::Relaxed);
    }

    /// The connection alone, for work that is no operation's.
    pub(crate) fn into_raw(self) -> Connection {
        self.raw
    }

    /// No budget, for the engine's own work.
    pub(crate) fn unmetered(&mut self) {
        self.meter.steps_left.store(u64::MAX, Ordering::Relaxed);
        self.meter.until_us.store(u64::MAX, Ordering::Relaxed);
    }

    /// The first error of the running part.
    pub(crate) fn first_error(&self) -> Option<&StoreError> {
        self.error.as_ref()
    }

    /// Whether the running part may have changed something.
    pub(crate) fn wrote(&self) -> bool {
        self.wrote
    }

    /// A statement of the engine itself.
    pub(crate) fn run(&self, text: &str) -> StoreResult<()> {
        let mut statement = self.raw.prepare_cached(text).map_err(|error| of_engine(&error))?;
        let mut rows = statement.raw_query();
        while rows.next().map_err(|error| of_engine(&error))?.is_some() {}
        Ok(())
    }

    fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> StoreResult<T>) -> StoreResult<T> {
        if self.error.is_some() {
            return Err(StoreError::Poisoned);
        }
        let result = work(self);
        if let Err(error) = &result {
            self.error = Some(error.clone());
        }
        result
    }

    fn spend(&mut self, rows: usize) -> StoreResult<()> {
        self.rows += rows;
        if self.rows > OP_ROWS_MAX && self.meter.until_us.load(Ordering::Relaxed) == u64::MAX {
            return Err(StoreError::Budget(format!("more than {OP_ROWS_MAX} rows in one operation")));
        }
        Ok(())
    }
}

fn settings(raw: &Connection, config: &SqliteConfig, write: bool) -> rusqlite::Result<()> {
    raw.set_prepared_statement_cache_capacity(4_096);
    // Plans do not depend on what is bound: else each binding of a column that a partial index speaks of prepares anew.
    raw.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    raw.busy_timeout(std::time::Duration::from_millis(BUSY_MS))?;
    if write {
        raw.pragma_update(None, "journal_mode", "WAL")?;
        let sync = config.sync && !mutants::on(Mutant::SynchronousOff);
        raw.pragma_update(None, "synchronous", if sync { "FULL" } else { "OFF" })?;
        raw.pragma_update(None, "wal_autocheckpoint", 0)?;
        raw.pragma_update(None, "journal_size_limit", i64::try_from(config.wal_max_bytes).unwrap_or(i64::MAX))?;
    }
    let cache_kib = i64::try_from(config.cache_bytes / 1024).unwrap_or(i64::MAX);
    raw.pragma_update(None, "cache_size", -if write { cache_kib } else { cache_kib / 4 })?;
    raw.pragma_update(None, "temp_store", "MEMORY")
}

fn bind(statement: &mut CachedStatement<'_>, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<()> {
    let wanted = statement.parameter_count();
    let mistake = |message: String| StoreError::Statement { statement: sql.name, message };
    if wanted != args.len() {
        return Err(mistake(format!("{} parameters given, {wanted} wanted", args.len())));
    }
    for (at, value) in args.iter().enumerate() {
        if matches!(value, Value::Text(text) if text.as_bytes().contains(&0)) {
            return Err(mistake(format!("parameter {} has a NUL, which PostgreSQL cannot hold", at + 1)));
        }
        statement.raw_bind_parameter(at + 1, Bound(value)).map_err(|error| of_statement(sql, &error))?;
    }
    Ok(())
}

struct Bound<'a>(&'a Value<'a>);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Int(value) => ValueRef::Integer(*value),
            Value::Real(value) => ValueRef::Real(*value),
            Value::Text(Cow::Borrowed(text)) => ValueRef::Text(text.as_bytes()),
            Value::Text(Cow::Owned(text)) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

pub(crate) fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(value) => Cell::Int(value),
        ValueRef::Real(value) => Cell::Real(value),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Cell::Blob(bytes.to_vec()),
    }
}

fn collect(conn: &mut Conn, sql: &'static Sql, args: &[Value<'_>], rows_max: usize) -> StoreResult<Vec<Row>> {
    let failed = |error: rusqlite::Error| of_statement(sql, &error);
    let mut statement = conn.raw.prepare_cached(sql.text).map_err(failed)?;
    conn.wrote |= !statement.readonly();
    bind(&mut statement, sql, args)?;
    let columns = statement.column_count();
    let mut rows = statement.raw_query();
    let mut out = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        if out.len() == rows_max {
            let message = format!("gives more than the {rows_max} rows it may");
            return Err(StoreError::Statement { statement: sql.name, message });
        }
        let cells = (0..columns).map(|at| row.get_ref(at).map(cell)).collect::<Result<_, _>>();
        out.push(Row(cells.map_err(failed)?));
    }
    Ok(out)
}

fn change(raw: &Connection, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<u64> {
    let failed = |error: rusqlite::Error| of_statement(sql, &error);
    let mut statement = raw.prepare_cached(sql.text).map_err(failed)?;
    bind(&mut statement, sql, args)?;
    let changed = statement.raw_execute().map_err(failed)?;
    Ok(changed as u64)
}

impl Tx for Conn {
    fn query(&mut self, sql: &'static Sql, args: &[Value<'_>], rows_max: usize) -> StoreResult<Vec<Row>> {
        self.guarded(|conn| {
            let rows = collect(conn, sql, args, rows_max)?;
            conn.spend(rows.len())?;
            Ok(rows)
        })
    }

    fn execute(&mut self, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<u64> {
        self.guarded(|conn| {
            conn.wrote = true;
            let changed = change(&conn.raw, sql, args)?;
            conn.spend(usize::try_from(changed).unwrap_or(usize::MAX))?;
            Ok(changed)
        })
    }

    fn write(&mut self, sql: &'static Sql, args: &[Value<'_>]) -> StoreResult<()> {
        self.execute(sql, args).map(drop)
    }

    fn heard(&self) -> Heard {
        self.heard
    }

    fn engine(&self) -> Engine {
        Engine::Sqlite
    }
}
