//! Schema steps (KER-39): each in one transaction with its record, so that a repeat or a crash is harmless.
//!
//! Two processes at once are kept apart by a row lock, which every server that speaks PostgreSQL's language has; there
//! are no advisory locks and no LOCK TABLE. READ COMMITTED, so that who waited sees what the other did.

use std::time::Duration;

use base::{Dialect, Migration, StoreError, StoreResult};
use tokio_postgres::{Client, Error};

use crate::errors;

/// How long all steps may take, waiting for another process included.
pub(crate) const LIMIT: Duration = Duration::from_secs(3_600);
/// How often the making of a thing is tried that another process makes at the same moment.
const CREATIONS_MAX: u32 = 10;

pub(crate) const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS schema_lock (id BIGINT PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS schema_step (
        service TEXT COLLATE \"C\" NOT NULL, version BIGINT NOT NULL, digest BIGINT NOT NULL,
        applied_at BIGINT NOT NULL, PRIMARY KEY (service, version));
    INSERT INTO schema_lock (id) VALUES (1) ON CONFLICT DO NOTHING";
const LOCK: &str = "SELECT id FROM schema_lock WHERE id = 1 FOR UPDATE";
const NEWEST: &str = "SELECT MAX(version) FROM schema_step WHERE service = $1";
const ALL: &str = "SELECT service, version, digest FROM schema_step ORDER BY service, version";
const APPLIED: &str = "SELECT digest FROM schema_step WHERE service = $1 AND version = $2";
pub(crate) const RECORD: &str =
    "INSERT INTO schema_step (service, version, digest, applied_at) VALUES ($1, $2, $3, $4)";

/// Brings the schema to `plan`.
pub(crate) async fn run(client: &Client, plan: &[Migration], applied_at: i64) -> StoreResult<()> {
    // An index on a large table takes its time; so does waiting for another process that makes it.
    client.batch_execute("SET statement_timeout = 0").await.map_err(|error| failed("", &error))?;
    create(client, TABLES).await?;
    refuse_others(client, plan).await?;
    for step in plan {
        apply(client, step, newest(plan, step.service).unwrap_or(step.version), applied_at).await?;
    }
    Ok(())
}

/// The newest step of a service that a plan knows.
fn newest(plan: &[Migration], service: &str) -> Option<u32> {
    plan.iter().filter(|step| step.service == service).map(|step| step.version).max()
}

/// Refuses a schema that is newer than the plan or another, before a step of any service is applied: each is a transaction of its own.
async fn refuse_others(client: &Client, plan: &[Migration]) -> StoreResult<()> {
    let about = |error: Error| failed("", &error);
    for row in client.query(ALL, &[]).await.map_err(about)? {
        let service: String = row.try_get(0).map_err(about)?;
        let (version, digest): (i64, i64) = (row.try_get(1).map_err(about)?, row.try_get(2).map_err(about)?);
        let Some(known) = newest(plan, &service) else { continue };
        if version > i64::from(known) {
            return Err(newer(&service, version, known));
        }
        let same = |step: &&Migration| step.service == service && i64::from(step.version) == version;
        if let Some(step) = plan.iter().find(same).filter(|step| step.digest() != digest) {
            return Err(differs(step));
        }
    }
    Ok(())
}

/// Makes things that may be there already, or that another process is just making.
pub(crate) async fn create(client: &Client, text: &str) -> StoreResult<()> {
    let mut tries = 1;
    loop {
        match client.batch_execute(text).await {
            Ok(()) => return Ok(()),
            Err(error) if errors::is_creation_race(&error) && tries < CREATIONS_MAX => tries += 1,
            Err(error) => return Err(failed("", &error)),
        }
    }
}

async fn apply(client: &Client, step: &Migration, known: u32, applied_at: i64) -> StoreResult<()> {
    let about = |error: Error| failed(&format!("schema step {} {}: ", step.service, step.version), &error);
    client.batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED").await.map_err(about)?;
    let applied = apply_inside(client, step, known, applied_at).await;
    let end = if applied.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = client.batch_execute(end).await.map_err(about);
    applied.map_err(|refusal| match refusal {
        Refusal::Said(error) => about(error),
        Refusal::Newer(version) => newer(step.service, version, known),
        Refusal::Differs => differs(step),
    })?;
    ended
}

/// Why a step is not applied.
enum Refusal {
    Said(Error),
    Newer(i64),
    Differs,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Said(error)
    }
}

async fn apply_inside(client: &Client, step: &Migration, known: u32, applied_at: i64) -> Result<(), Refusal> {
    client.batch_execute(LOCK).await?;
    let newest: Option<i64> = client.query_one(NEWEST, &[&step.service]).await?.try_get(0)?;
    if let Some(version) = newest.filter(|version| *version > i64::from(known)) {
        return Err(Refusal::Newer(version));
    }
    let version = i64::from(step.version);
    if let Some(applied) = client.query_opt(APPLIED, &[&step.service, &version]).await? {
        let digest: i64 = applied.try_get(0)?;
        return if digest == step.digest() { Ok(()) } else { Err(Refusal::Differs) };
    }
    client.batch_execute(&Dialect::Postgres.render(step.text)).await?;
    client.execute(RECORD, &[&step.service, &version, &step.digest(), &applied_at]).await?;
    tracing::info!(service = step.service, version = step.version, "schema step applied");
    Ok(())
}

fn newer(service: &str, version: i64, known: u32) -> StoreError {
    StoreError::Unavailable(format!(
        "the schema of {service} is at step {version}, newer than this program, which knows {known}: use a newer program"
    ))
}

fn differs(step: &Migration) -> StoreError {
    let (service, version) = (step.service, step.version);
    StoreError::Unavailable(format!("schema step {service} {version} differs from the one that was applied"))
}

fn failed(about: &str, error: &Error) -> StoreError {
    let text = format!("{about}{}", errors::text(error));
    match errors::of_statement("migrate", error) {
        StoreError::Full(_) => StoreError::Full(text),
        _ => StoreError::Unavailable(text),
    }
}
