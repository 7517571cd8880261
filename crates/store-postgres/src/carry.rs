//! A schema's rows by their keys, for `namespace move` (KER-3): out of one that servers may be writing, and into a new one that nobody
//! uses yet.
//!
//! A schema on its way in has another name until it is whole. Its foreign keys are taken away at first and kept as rows, because rows
//! come chunk by chunk; they come back, and are checked, in the commit that gives the schema its name ([`Arriving::settle`]).
//!
//! A schema on its way out is fenced by a name of its own, too ([`fence`]): in one transaction that waits for every writer and keeps
//! new ones out. A node that sleeps and wakes up later finds nothing under the name that it knows, and is refused.

use std::collections::HashMap;
use std::pin::pin;

use base::carry::{KeyRange, RowsIn, RowsOut, TableShape};
use base::{Cell, Dialect, Heard, Migration, Row, StoreError, StoreResult, Value};
use tokio::runtime::Runtime;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Statement};

use crate::archive::{said, tables as table_names, with_client};
use crate::link::{Address, Link};
use crate::values::{self, Param};
use crate::{PostgresConfig, heard, migrate, threads};

/// Pages are read by the primary key, also of a table of which nothing is known yet. What is carried is made durable at the end.
const SETTINGS: &str = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; \
    SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off; SET synchronous_commit = off";
const COLUMNS: &str = "SELECT a.attname::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid \
    JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";
const KEY: &str = "SELECT a.attname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid \
    JOIN pg_namespace n ON n.oid = c.relnamespace \
    CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, place) \
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum \
    WHERE n.nspname = $1 AND c.relname = $2 AND i.indisprimary ORDER BY k.place";
const REFERENCES: &str = "SELECT c.relname::text, r.conname::text, pg_get_constraintdef(r.oid) FROM pg_constraint r \
    JOIN pg_class c ON c.oid = r.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE n.nspname = $1 AND r.contype = 'f' AND r.conparentid = 0 ORDER BY 1, 2";
/// What is to come back before the schema gets its name. As long as it is there, the schema is not whole.
const PENDING: &str = "CREATE TABLE store_arriving (relation TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL)";
const KNOWN: &str = "SELECT nspname::text FROM pg_catalog.pg_namespace WHERE nspname = $1";

/// A schema that rows are read from; servers may be writing it.
pub struct Leaving(Desk);

/// A schema that is being made.
pub struct Arriving(Desk);

/// A connection with the statements that were prepared on it.
struct Desk {
    runtime: Runtime,
    link: Option<Link>,
    schema: String,
    pages: HashMap<String, Statement>,
}

impl Leaving {
    /// Opens the schema for reading.
    ///
    /// # Errors
    /// The server cannot be reached.
    pub fn open(config: &PostgresConfig) -> StoreResult<Self> {
        Desk::open(config).map(Self)
    }

    /// Its listening time now.
    ///
    /// # Errors
    /// The server cannot be reached.
    pub fn heard(&mut self) -> StoreResult<Heard> {
        self.0.run(async |client, schema| heard::now(client, schema).await)
    }
}

impl Arriving {
    /// Makes the schema, in one transaction, or goes on with one that was begun.
    ///
    /// # Errors
    /// The server cannot be reached.
    pub fn open(config: &PostgresConfig, plan: &[Migration], at: i64) -> StoreResult<Self> {
        let mut desk = Desk::open(config)?;
        if !desk.run(async |client, schema| Ok(client.query_opt(KNOWN, &[&schema]).await?.is_some()))? {
            desk.run(async |client, schema| in_one(client, make(client, schema, plan, at)).await)?;
        }
        Ok(Self(desk))
    }

    /// Ends it: foreign keys come back, its listening time goes on from `heard`, and it gets the name `to`; in one transaction.
    ///
    /// # Errors
    /// A row refers to a missing one, the name is taken, or the server cannot be reached.
    pub fn settle(mut self, to: &str, heard: Heard) -> StoreResult<()> {
        let to = to.to_owned();
        self.0.run(async |client, schema| in_one(client, settle(client, schema, &to, heard)).await)?;
        // Plans of a table that was never looked at are bad ones.
        self.0.run(async |client, _| {
            for table in table_names(client, &to).await? {
                client.batch_execute(&format!("ANALYZE \"{to}\".\"{table}\"")).await?;
            }
            Ok(())
        })
    }
}

async fn in_one<T>(client: &Client, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    client.batch_execute("BEGIN; SET LOCAL synchronous_commit = on").await?;
    let done = work.await;
    client.batch_execute(if done.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
    done
}

async fn make(client: &Client, schema: &str, plan: &[Migration], at: i64) -> Result<(), Error> {
    client.batch_execute(&format!("CREATE SCHEMA \"{schema}\"")).await?;
    client.batch_execute(migrate::TABLES).await?;
    for step in plan {
        client.batch_execute(&Dialect::Postgres.render(step.text)).await?;
        let (version, digest) = (i64::from(step.version), step.digest());
        let record: [&(dyn ToSql + Sync); 4] = [&step.service, &version, &digest, &at];
        client.execute(migrate::RECORD, &record).await?;
    }
    client.batch_execute(PENDING).await?;
    for row in client.query(REFERENCES, &[&schema]).await? {
        let (table, name, text): (String, String, String) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        client.execute("INSERT INTO store_arriving VALUES ($1, $2, $3)", &[&table, &name, &text]).await?;
        client.batch_execute(&format!("ALTER TABLE \"{table}\" DROP CONSTRAINT \"{name}\"")).await?;
    }
    Ok(())
}

async fn settle(client: &Client, schema: &str, to: &str, heard: Heard) -> Result<(), Error> {
    for row in client.query("SELECT relation, name, text FROM store_arriving", &[]).await? {
        let (table, name, text): (String, String, String) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        client.batch_execute(&format!("ALTER TABLE \"{table}\" ADD CONSTRAINT \"{name}\" {text}")).await?;
    }
    client.batch_execute("DROP TABLE store_arriving").await?;
    heard::set(client, heard).await?;
    client.batch_execute(&format!("ALTER SCHEMA \"{schema}\" RENAME TO \"{to}\"")).await
}

/// Gives a schema another name, in a transaction that waits for everybody who writes it and keeps all others out. `false` if there is
/// none of that name.
///
/// # Errors
/// The new name is taken, or the server cannot be reached.
pub fn fence(config: &PostgresConfig, to: &str) -> StoreResult<bool> {
    with_client(config, async |client| {
        let schema = &config.schema;
        let is_there = client.query_opt(KNOWN, &[schema]).await.map_err(|error| said(&error))?.is_some();
        if is_there {
            in_one(client, lock_and_rename(client, schema, to)).await.map_err(|error| said(&error))?;
        }
        Ok(is_there)
    })
}

async fn lock_and_rename(client: &Client, schema: &str, to: &str) -> Result<(), Error> {
    for table in table_names(client, schema).await? {
        client.batch_execute(&format!("LOCK TABLE \"{schema}\".\"{table}\" IN ACCESS EXCLUSIVE MODE")).await?;
    }
    client.batch_execute(&format!("ALTER SCHEMA \"{schema}\" RENAME TO \"{to}\"")).await
}

/// Whether there is a schema of the configuration's name.
///
/// # Errors
/// The server cannot be reached.
pub fn exists(config: &PostgresConfig) -> StoreResult<bool> {
    with_client(config, async |client| {
        Ok(client.query_opt(KNOWN, &[&config.schema]).await.map_err(|error| said(&error))?.is_some())
    })
}

/// Removes a schema on its way in, with all that it holds; a missing one is no error.
///
/// # Errors
/// It is whole, or the server cannot be reached.
pub fn discard(config: &PostgresConfig) -> StoreResult<()> {
    with_client(config, async |client| {
        let schema = &config.schema;
        if client.query_opt(KNOWN, &[schema]).await.map_err(|error| said(&error))?.is_none() {
            return Ok(());
        }
        // Only what is not whole has this table.
        let drop = async {
            client.batch_execute(&format!("SELECT 1 FROM \"{schema}\".store_arriving LIMIT 1")).await?;
            client.batch_execute(&format!("DROP SCHEMA \"{schema}\" CASCADE")).await
        };
        in_one(client, drop).await.map_err(|error| said(&error))
    })
}

/// Notes from which time on a schema that was imported listens.
///
/// # Errors
/// The server cannot be reached.
pub fn set_heard(config: &PostgresConfig, at: Heard) -> StoreResult<()> {
    with_client(config, async |client| heard::set(client, at).await.map_err(|error| said(&error)))
}

/// The listening time of a schema now.
///
/// # Errors
/// The server cannot be reached.
pub fn heard_now(config: &PostgresConfig) -> StoreResult<Heard> {
    with_client(config, async |client| heard::now(client, &config.schema).await.map_err(|error| said(&error)))
}

impl Desk {
    fn open(config: &PostgresConfig) -> StoreResult<Self> {
        let runtime = threads::runtime()?;
        let link = Address::new(config)?.connect(&runtime)?;
        runtime.block_on(link.client().batch_execute(SETTINGS)).map_err(|error| said(&error))?;
        Ok(Self { runtime, link: Some(link), schema: config.schema.clone(), pages: HashMap::new() })
    }

    fn run<T>(&mut self, work: impl AsyncFnOnce(&Client, &str) -> Result<T, Error>) -> StoreResult<T> {
        let Self { runtime, link, schema, .. } = self;
        let Some(link) = link.as_ref() else { return Err(StoreError::Unavailable("it is closed".into())) };
        runtime.block_on(work(link.client(), schema)).map_err(|error| said(&error))
    }

    fn shapes(&mut self) -> StoreResult<Vec<TableShape>> {
        let mut shapes = self.run(async |client, schema| {
            let mut shapes = vec![];
            for name in table_names(client, schema).await? {
                shapes.push(shape(client, schema, name).await?);
            }
            Ok(shapes)
        })?;
        shapes.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(shapes)
    }

    fn page(&mut self, table: &TableShape, range: &KeyRange, limit: usize) -> StoreResult<Vec<Row>> {
        let text = format!(
            "SELECT {} FROM \"{}\"{} ORDER BY {} LIMIT {limit}",
            quoted(table.columns.iter()),
            table.name,
            condition(table, range),
            keys(table)
        );
        let Self { runtime, link, pages, .. } = self;
        let Some(link) = link.as_ref() else { return Err(StoreError::Unavailable("it is closed".into())) };
        let read = async {
            let statement = prepared(link.client(), pages, text).await?;
            let ends: Vec<Value<'_>> = ends(range).cloned().map(Value::from).collect();
            let ends = values::params(&ends, statement.params()).map_err(StoreError::Unavailable)?;
            let ends: Vec<&(dyn ToSql + Sync)> = ends.iter().map(|end| end as &(dyn ToSql + Sync)).collect();
            let rows = link.client().query(&statement, &ends).await.map_err(|error| said(&error))?;
            rows.iter().map(|row| values::row(row).map_err(|error| said(&error))).collect()
        };
        runtime.block_on(read)
    }

    fn replace(&mut self, table: &TableShape, range: &KeyRange, rows: &[Row]) -> StoreResult<bool> {
        let Some(link) = self.link.as_ref() else { return Err(StoreError::Unavailable("it is closed".into())) };
        let client = link.client();
        match self.runtime.block_on(in_one_unsynced(client, replace(client, table, range, rows))) {
            Ok(()) => Ok(true),
            Err(error) if is_broken_rule(&error) && !rows.is_empty() => self.replace(table, range, &[]).map(|_| false),
            Err(error) => Err(said(&error)),
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        if let Some(link) = self.link.take() {
            link.leave(&self.runtime);
        }
    }
}

async fn prepared(
    client: &Client,
    pages: &mut HashMap<String, Statement>,
    text: String,
) -> Result<Statement, StoreError> {
    if let Some(statement) = pages.get(&text) {
        return Ok(statement.clone());
    }
    // Limits differ from page to page: what is not asked for again is not kept.
    if pages.len() > 200 {
        pages.clear();
    }
    let statement = client.prepare(&text).await.map_err(|error| said(&error))?;
    pages.insert(text, statement.clone());
    Ok(statement)
}

async fn shape(client: &Client, schema: &str, name: String) -> Result<TableShape, Error> {
    let words = |rows: Vec<tokio_postgres::Row>| -> Result<Vec<String>, Error> {
        rows.iter().map(|row| row.try_get(0)).collect()
    };
    let columns = words(client.query(COLUMNS, &[&schema, &name]).await?)?;
    let key = words(client.query(KEY, &[&schema, &name]).await?)?;
    let key = key.iter().filter_map(|column| columns.iter().position(|known| known == column)).collect();
    Ok(TableShape { name, columns, key })
}

fn is_broken_rule(error: &Error) -> bool {
    error.code().is_some_and(|code| code.code().starts_with("23"))
}

async fn in_one_unsynced<T>(client: &Client, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    client.batch_execute("BEGIN").await?;
    let done = work.await;
    client.batch_execute(if done.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
    done
}

async fn replace(client: &Client, table: &TableShape, range: &KeyRange, rows: &[Row]) -> Result<(), Error> {
    let name = &table.name;
    let delete = client.prepare(&format!("DELETE FROM \"{name}\"{}", condition(table, range))).await?;
    let ends: Vec<Value<'_>> = ends(range).cloned().map(Value::from).collect();
    client.execute_raw(&delete, fitting(&ends, delete.params())).await?;
    if rows.is_empty() {
        return Ok(());
    }
    let columns = quoted(table.columns.iter());
    let shape = client.prepare(&format!("SELECT {columns} FROM \"{name}\"")).await?;
    let kinds: Vec<Type> = shape.columns().iter().map(|column| column.type_().clone()).collect();
    let copy = client.copy_in(&format!("COPY \"{name}\" ({columns}) FROM STDIN BINARY")).await?;
    let mut writer = pin!(BinaryCopyInWriter::new(copy, &kinds));
    for row in rows {
        let values: Vec<Value<'_>> = row.0.iter().cloned().map(Value::from).collect();
        let params = fitting(&values, &kinds);
        let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|param| param as &(dyn ToSql + Sync)).collect();
        writer.as_mut().write(&params).await?;
    }
    writer.finish().await.map(drop)
}

/// Values in the server's types. One that does not fit cannot be: both sides have the same columns. Null in its place is refused by
/// the column, or found when the chunk is read back.
fn fitting<'a>(values: &[Value<'a>], kinds: &[Type]) -> Vec<Param<'a>> {
    values::params(values, kinds).unwrap_or_else(|_| kinds.iter().map(|_| Param::Null).collect())
}

fn condition(table: &TableShape, range: &KeyRange) -> String {
    let (keys, count) = (keys(table), table.key.len());
    let marks = |from: usize| (from..from + count).map(|at| format!("${at}")).collect::<Vec<_>>().join(", ");
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

impl RowsOut for Leaving {
    fn tables(&mut self) -> StoreResult<Vec<TableShape>> {
        self.0.shapes()
    }

    fn page(&mut self, table: &TableShape, range: &KeyRange, limit: usize) -> StoreResult<Vec<Row>> {
        self.0.page(table, range, limit)
    }
}

impl RowsOut for Arriving {
    fn tables(&mut self) -> StoreResult<Vec<TableShape>> {
        self.0.shapes()
    }

    fn page(&mut self, table: &TableShape, range: &KeyRange, limit: usize) -> StoreResult<Vec<Row>> {
        self.0.page(table, range, limit)
    }
}

impl RowsIn for Arriving {
    fn replace(&mut self, table: &TableShape, range: &KeyRange, rows: &[Row]) -> StoreResult<bool> {
        self.0.replace(table, range, rows)
    }
}
