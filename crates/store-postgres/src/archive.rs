//! A whole schema out of a store and into one: for backups and checks, on a connection of its own.
//!
//! Out: all tables in one serializable, read-only, deferrable transaction. It sees a state that some serial order of
//! the writers really had, and neither waits for them later nor makes them wait. Rows are fetched by a cursor, so that a
//! large table costs no memory.
//!
//! In: everything in one transaction, the schema itself included: killed half-way there is nothing, and it can be run
//! again. A comment on the schema says from what it was made, so that a repeat knows what is done already.

use std::io;
use std::pin::pin;
use std::sync::Arc;

use base::archive::{ENGINE_TABLES, RowSink, RowSource, SchemaStep, TableDigest, TableSummary, line_row, row_line};
use base::{Clock, Connection, Dialect, Entropy, Isolation, Migration, StoreError, StoreResult, Tx, Value};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error};

use crate::link::Address;
use crate::pipeline::Step;
use crate::session::{Mode, Session};
use crate::shared::Shared;
use crate::values::{self, Param};
use crate::{PostgresConfig, errors, migrate, threads};

/// Rows that are fetched at once.
const FETCH: usize = 1_000;
const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE";
/// Long work: the limits of operations are not for it.
const UNHURRIED: &str =
    "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET enable_seqscan = on";
/// In the order of their creation, so that a table comes after those it may refer to. The parts of a table are no tables of their own.
const TABLES: &str = "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY c.oid";
const STEPS: &str = "SELECT service, version, digest FROM schema_step ORDER BY service, version";
const COMMENT: &str = "SELECT obj_description(n.oid, 'pg_namespace') FROM pg_namespace n WHERE n.nspname = $1";
/// Schemas of ours: those that have a record of steps.
const SCHEMAS: &str = "SELECT n.nspname::text FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid \
    WHERE c.relname = 'schema_step' AND starts_with(n.nspname::text, $1) ORDER BY 1";
/// Anything at all in a schema.
const USED: &str = "SELECT n.nspname::text FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid \
    WHERE n.nspname = $1 LIMIT 1";
/// What is worth knowing about a server before it is trusted with data.
const ABOUT: &str = "SELECT current_setting('server_version'), current_setting('fsync'), \
    current_setting('full_page_writes'), current_setting('synchronous_commit'), \
    pg_is_in_recovery()::text, current_setting('max_connections'), \
    floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint::text";

/// What a server says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFacts {
    /// Its version as text.
    pub version: String,
    /// Whether it syncs at all.
    pub fsync: bool,
    /// Whether a torn page can be mended.
    pub full_page_writes: bool,
    /// `on`, `off`, `local`, `remote_apply` …; we raise `off` for ourselves.
    pub synchronous_commit: String,
    /// Whether it is a standby, which takes no writes.
    pub is_standby: bool,
    /// How many connections it takes.
    pub connections_max: usize,
    /// What its clock shows, in milliseconds.
    pub wall_ms: i64,
}

/// Asks a server about itself.
///
/// # Errors
/// It cannot be reached.
pub fn server_facts(config: &PostgresConfig) -> StoreResult<ServerFacts> {
    with_client(config, async |client| {
        let row = client.query_one(ABOUT, &[]).await.map_err(|error| said(&error))?;
        let text = |at: usize| row.try_get::<_, String>(at).map_err(|error| said(&error));
        Ok(ServerFacts {
            version: text(0)?,
            fsync: text(1)? == "on",
            full_page_writes: text(2)? == "on",
            synchronous_commit: text(3)?,
            is_standby: text(4)? == "true",
            connections_max: text(5)?.parse().unwrap_or(0),
            wall_ms: text(6)?.parse().unwrap_or(0),
        })
    })
}

/// The schemas of ours that begin with `prefix`. The configuration's own schema need not be there.
///
/// # Errors
/// The server cannot be reached.
pub fn schemas(config: &PostgresConfig, prefix: &str) -> StoreResult<Vec<String>> {
    with_client(config, async |client| {
        let rows = client.query(SCHEMAS, &[&prefix]).await.map_err(|error| said(&error))?;
        rows.iter().map(|row| row.try_get(0).map_err(|error| said(&error))).collect()
    })
}

/// Writes all rows of the schema to `sink`, and tells its tables and steps.
///
/// # Errors
/// The server or the sink failed.
pub fn export(config: &PostgresConfig, sink: &mut dyn RowSink) -> StoreResult<(Vec<TableSummary>, Vec<SchemaStep>)> {
    with_client(config, async |client| {
        client.batch_execute(SNAPSHOT).await.map_err(|error| said(&error))?;
        let exported = export_inside(client, &config.schema, sink).await;
        // Nothing was written: how it ends does not matter.
        let _ = client.batch_execute("ROLLBACK").await;
        exported
    })
}

async fn export_inside(
    client: &Client,
    schema: &str,
    sink: &mut dyn RowSink,
) -> StoreResult<(Vec<TableSummary>, Vec<SchemaStep>)> {
    let steps = steps(client).await.map_err(|error| said(&error))?;
    let mut summaries = vec![];
    for table in tables(client, schema).await.map_err(|error| said(&error))? {
        summaries.push(export_table(client, &table, sink).await?);
    }
    Ok((summaries, steps))
}

async fn export_table(client: &Client, table: &str, sink: &mut dyn RowSink) -> StoreResult<TableSummary> {
    let failed = |error: Error| StoreError::Unavailable(format!("table {table}: {}", errors::text(&error)));
    let unkept = |error: io::Error| StoreError::Unavailable(format!("table {table} cannot be kept: {error}"));
    client.batch_execute(&format!("DECLARE rows CURSOR FOR SELECT * FROM \"{table}\"")).await.map_err(failed)?;
    let fetch = client.prepare(&format!("FETCH {FETCH} FROM rows")).await.map_err(failed)?;
    let columns: Vec<String> = fetch.columns().iter().map(|column| column.name().to_owned()).collect();
    sink.table(table, &columns).map_err(unkept)?;
    let mut digest = TableDigest::default();
    loop {
        let rows = client.query(&fetch, &[]).await.map_err(failed)?;
        for row in &rows {
            let line = row_line(&values::row(row).map_err(failed)?);
            digest.add(&line);
            sink.row(&line).map_err(unkept)?;
        }
        if rows.len() < FETCH {
            break;
        }
    }
    client.batch_execute("CLOSE rows").await.map_err(failed)?;
    let summary = digest.summary(table, columns);
    sink.ended(&summary).map_err(unkept)?;
    Ok(summary)
}

pub(crate) async fn tables(client: &Client, schema: &str) -> Result<Vec<String>, Error> {
    let rows = client.query(TABLES, &[&schema]).await?;
    let names: Result<Vec<String>, Error> = rows.iter().map(|row| row.try_get(0)).collect();
    Ok(names?.into_iter().filter(|name| !ENGINE_TABLES.contains(&name.as_str())).collect())
}

pub(crate) async fn steps(client: &Client) -> Result<Vec<SchemaStep>, Error> {
    let step = |row: &tokio_postgres::Row| {
        let version: i64 = row.try_get(1)?;
        Ok(SchemaStep {
            service: row.try_get(0)?,
            version: u32::try_from(version).unwrap_or(u32::MAX),
            digest: row.try_get(2)?,
        })
    };
    client.query(STEPS, &[]).await?.iter().map(step).collect()
}

/// The schema steps that the store has recorded.
///
/// # Errors
/// The server cannot be reached or the schema is none of ours.
pub fn schema_steps(config: &PostgresConfig) -> StoreResult<Vec<SchemaStep>> {
    with_client(config, async |client| steps(client).await.map_err(|error| said(&error)))
}

/// What is to become a schema.
pub struct Import<'a> {
    /// The steps that made its tables, in the order in which they are to be applied.
    pub plan: &'a [Migration],
    /// Its tables, in the order in which they are to be filled.
    pub tables: &'a [TableSummary],
    /// Where the rows are.
    pub rows: &'a dyn RowSource,
    /// From what it is made; a repeat with the same mark finds it done.
    pub mark: &'a str,
    /// An existing schema is kept under this name, or is a reason to refuse.
    pub aside: Option<&'a str>,
    /// When, for the record of steps.
    pub at: i64,
}

/// Makes the schema anew from rows, in one transaction. `false` if it was made from this very mark already.
///
/// # Errors
/// The schema is there and may not be moved aside, the rows are not those that were promised, or the server failed.
pub fn import(config: &PostgresConfig, import: &Import<'_>) -> StoreResult<bool> {
    with_client(config, async |client| {
        let schema = &config.schema;
        let comment = client.query_opt(COMMENT, &[schema]).await.map_err(|error| said(&error))?;
        let comment: Option<String> = comment.and_then(|row| row.try_get(0).ok());
        if comment.as_deref() == Some(import.mark) {
            return Ok(false);
        }
        client.batch_execute("BEGIN").await.map_err(|error| said(&error))?;
        let imported = import_inside(client, schema, import).await;
        let end = if imported.is_ok() { "COMMIT" } else { "ROLLBACK" };
        let ended = client.batch_execute(end).await.map_err(|error| said(&error));
        imported.and(ended).map(|()| true)
    })
}

async fn import_inside(client: &Client, schema: &str, import: &Import<'_>) -> StoreResult<()> {
    let run = async |text: String| client.batch_execute(&text).await.map_err(|error| said(&error));
    let is_used = client.query_opt(USED, &[&schema]).await.map_err(|error| said(&error))?.is_some();
    match import.aside {
        _ if !is_used => run(format!("DROP SCHEMA IF EXISTS \"{schema}\"")).await?,
        Some(aside) => run(format!("ALTER SCHEMA \"{schema}\" RENAME TO \"{aside}\"")).await?,
        None => return Err(StoreError::Unavailable(format!("the schema {schema} holds a store already"))),
    }
    run(format!("CREATE SCHEMA \"{schema}\"")).await?;
    run(format!("SET LOCAL search_path TO \"{schema}\"")).await?;
    run(migrate::TABLES.to_owned()).await?;
    for step in import.plan {
        run(Dialect::Postgres.render(step.text)).await?;
        let (version, digest) = (i64::from(step.version), step.digest());
        let record: [&(dyn ToSql + Sync); 4] = [&step.service, &version, &digest, &import.at];
        client.execute(migrate::RECORD, &record).await.map_err(|error| said(&error))?;
    }
    for table in import.tables {
        import_table(client, table, import.rows).await?;
    }
    run(format!("COMMENT ON SCHEMA \"{schema}\" IS '{}'", import.mark.replace('\'', "''"))).await
}

async fn import_table(client: &Client, table: &TableSummary, rows: &dyn RowSource) -> StoreResult<()> {
    let name = &table.name;
    let wrong = |text: String| StoreError::Unavailable(format!("table {name}: {text}"));
    let failed = |error: Error| wrong(errors::text(&error));
    // A schema step may have put rows there; they are in the backup as well.
    client.batch_execute(&format!("DELETE FROM \"{name}\"")).await.map_err(failed)?;
    let columns = table.columns.iter().map(|column| format!("\"{column}\"")).collect::<Vec<_>>().join(", ");
    let shape = client.prepare(&format!("SELECT {columns} FROM \"{name}\"")).await.map_err(failed)?;
    let kinds: Vec<Type> = shape.columns().iter().map(|column| column.type_().clone()).collect();
    let copy = client.copy_in(&format!("COPY \"{name}\" ({columns}) FROM STDIN BINARY")).await.map_err(failed)?;
    let mut writer = pin!(BinaryCopyInWriter::new(copy, &kinds));
    let mut digest = TableDigest::default();
    for line in rows.lines(name).map_err(|error| wrong(error.to_string()))? {
        let line = line.map_err(|error| wrong(error.to_string()))?;
        digest.add(&line);
        let row = line_row(&line).map_err(wrong)?;
        let values: Vec<Value<'_>> = row.0.into_iter().map(Value::from).collect();
        let params: Vec<Param<'_>> = values::params(&values, &kinds).map_err(wrong)?;
        let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|param| param as &(dyn ToSql + Sync)).collect();
        writer.as_mut().write(&params).await.map_err(failed)?;
    }
    writer.as_mut().finish().await.map_err(failed)?;
    let held = digest.summary(name, table.columns.clone());
    if held == *table { Ok(()) } else { Err(wrong(format!("{} rows, not those that were promised", held.rows))) }
}

/// Takes the marks of [`import`] away: from now on these schemas are in use.
///
/// # Errors
/// The server failed.
pub fn unmark(config: &PostgresConfig) -> StoreResult<()> {
    let text = format!("COMMENT ON SCHEMA \"{}\" IS NULL", config.schema);
    with_client(config, async |client| client.batch_execute(&text).await.map_err(|error| said(&error)))
}

/// Lets `look` read the store in one snapshot, with the time that it needs.
///
/// # Errors
/// The server failed.
pub fn inspect<T: Send>(
    config: &PostgresConfig,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    look: impl FnOnce(&mut dyn Tx) -> T + Send,
) -> StoreResult<T> {
    let config = PostgresConfig { answer_ms: 3_600_000, ..config.clone() };
    let shared = Shared::new(config, clock, entropy)?;
    threads::apart(|| {
        let mut session = Session::new(shared, Mode::Read)?;
        session.begin(Isolation::Serial)?;
        session.send(Step::Text("SET LOCAL statement_timeout = 0"))?;
        let found = look(session.tx());
        session.rollback();
        session.leave();
        Ok(found)
    })
}

/// Runs long work on a connection of its own.
pub(crate) fn with_client<T: Send>(
    config: &PostgresConfig,
    work: impl AsyncFnOnce(&Client) -> StoreResult<T> + Send,
) -> StoreResult<T> {
    let address = Address::new(config)?;
    threads::apart(|| {
        let runtime = threads::runtime()?;
        let link = address.connect(&runtime)?;
        let done = runtime.block_on(async {
            link.client().batch_execute(UNHURRIED).await.map_err(|error| said(&error))?;
            work(link.client()).await
        });
        link.leave(&runtime);
        done
    })
}

pub(crate) fn said(error: &Error) -> StoreError {
    match errors::of_statement("archive", error) {
        StoreError::Full(reason) => StoreError::Full(reason),
        _ => StoreError::Unavailable(errors::text(error)),
    }
}
