//! Schema steps (KER-39): each in one transaction with its record, so that a repeat or a crash is harmless.

use std::collections::BTreeMap;

use base::{Dialect, Migration, StoreError, StoreResult};

use crate::conn::Conn;
use crate::errors::of_engine;

const TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_step (
    service TEXT NOT NULL, version INTEGER NOT NULL, digest INTEGER NOT NULL, PRIMARY KEY (service, version)) STRICT";

/// Brings the schema to `plan`, under SQLite's write lock. The commit count stays: it is the writer's alone.
pub(crate) fn migrate(conn: &Conn, plan: &[Migration]) -> StoreResult<()> {
    conn.run("BEGIN IMMEDIATE")?;
    let applied = apply(conn, plan);
    conn.run(if applied.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    applied
}

fn apply(conn: &Conn, plan: &[Migration]) -> StoreResult<()> {
    conn.run(TABLE)?;
    let applied = applied(conn)?;
    refuse_newer(plan, &applied)?;
    for step in plan {
        match applied.get(&(step.service.to_owned(), step.version)) {
            None => run(conn, step)?,
            Some(digest) if *digest == step.digest() => {}
            Some(_) => return Err(differs(step)),
        }
    }
    Ok(())
}

type Applied = BTreeMap<(String, u32), i64>;

fn applied(conn: &Conn) -> StoreResult<Applied> {
    let failed = |error: rusqlite::Error| of_engine(&error);
    let mut statement = conn.raw.prepare("SELECT service, version, digest FROM schema_step").map_err(failed)?;
    let rows = statement.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?))).map_err(failed)?;
    rows.collect::<Result<_, _>>().map_err(failed)
}

fn refuse_newer(plan: &[Migration], applied: &Applied) -> StoreResult<()> {
    for (service, version) in applied.keys() {
        let known = plan.iter().filter(|step| step.service == service).map(|step| step.version).max();
        if let Some(known) = known.filter(|known| known < version) {
            return Err(StoreError::Unavailable(format!(
                "the schema of {service} is at step {version}, newer than this program, which knows {known}: use a newer program"
            )));
        }
    }
    Ok(())
}

fn run(conn: &Conn, step: &Migration) -> StoreResult<()> {
    let raw = &conn.raw;
    let failed = |error: rusqlite::Error| match of_engine(&error) {
        full @ StoreError::Full(_) => full,
        _ => StoreError::Unavailable(format!("schema step {} {}: {error}", step.service, step.version)),
    };
    raw.execute_batch(&Dialect::Sqlite.render(step.text)).map_err(failed)?;
    let record = "INSERT INTO schema_step (service, version, digest) VALUES (?1, ?2, ?3)";
    raw.execute(record, (step.service, step.version, step.digest())).map_err(failed)?;
    Ok(())
}

fn differs(step: &Migration) -> StoreError {
    let (service, version) = (step.service, step.version);
    StoreError::Unavailable(format!("schema step {service} {version} differs from the one that was applied"))
}
