//! `bench tasks` (KER-14 to KER-23): from enqueue to done, on both engines and against other people's queues.
//!
//! Every side does the same: jobs are made durable by concurrent enqueuers while workers run them, and each job writes one row.
//! Ours commits that row and the task's end at once; each peer's own file under `peers/` says what it promises.

mod backlog;
mod ours;
mod peers;
mod side;
mod watched;

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use host::{OsEntropy, RealClock};
use store_postgres::{PostgresConfig, PostgresStore};
use store_sqlite::{SqliteConfig, SqliteStore};
use tokio::runtime::Runtime;
use tokio_postgres::NoTls;

use crate::contest::Effort;
use crate::disk::print_sync_time;
use ours::Ours;
pub use peers::postgres_env;
use side::{Queue, contest};

/// Workers of every side: our default, and what a peer is often given.
const WORKERS: [usize; 2] = [4, 32];

/// Runs everything that can run here.
pub fn run(effort: &Effort) -> Result<()> {
    let folder = tempfile::tempdir_in(".")?;
    let postgres = std::env::var("FASTNESS_TEST_POSTGRES").ok();
    if postgres.is_none() {
        println!("PostgreSQL: not run, FASTNESS_TEST_POSTGRES is not set (cargo xtask services run -- …)");
    }
    print_sync_time(folder.path())?;
    let schemas = Schemas::new(postgres.as_deref());
    let result = all(effort, folder.path(), &schemas);
    schemas.drop_all()?;
    result?;
    print_sync_time(folder.path())
}

fn all(effort: &Effort, folder: &Path, schemas: &Schemas<'_>) -> Result<()> {
    if WORKERS.iter().any(|workers| side::is_wanted(effort, *workers)) {
        against_peers(effort, folder, schemas)?;
    }
    backlog::run(effort, "sqlite", || sqlite(folder))?;
    if schemas.url.is_some() {
        backlog::run(effort, "postgres", || schemas.store())?;
    }
    Ok(())
}

fn against_peers(effort: &Effort, folder: &Path, schemas: &Schemas<'_>) -> Result<()> {
    let mut peers = peers::start(folder, schemas.url)?;
    for workers in WORKERS {
        let mut queues: Vec<Box<dyn Queue + '_>> =
            vec![Box::new(Ours::open("ours on SQLite", sqlite(folder)?, workers)?)];
        if schemas.url.is_some() {
            queues.push(Box::new(Ours::open("ours on PostgreSQL", schemas.store()?, workers)?));
        }
        queues.extend(peers.iter_mut().map(|peer| Box::new(peer) as Box<dyn Queue>));
        contest(effort, workers, &mut queues)?;
    }
    Ok(())
}

/// A new store in a file of its own.
fn sqlite(folder: &Path) -> Result<Arc<dyn base::Store>> {
    let file = tempfile::Builder::new().suffix(".db").tempfile_in(folder)?.into_temp_path().to_path_buf();
    Ok(Arc::new(SqliteStore::open(&file, SqliteConfig::default(), Arc::new(RealClock::new()))?))
}

/// The PostgreSQL schemas of this run.
struct Schemas<'a> {
    url: Option<&'a str>,
    count: std::cell::Cell<usize>,
}

impl<'a> Schemas<'a> {
    fn new(url: Option<&'a str>) -> Self {
        Self { url, count: 0.into() }
    }

    fn name(at: usize) -> String {
        format!("bench_tasks_{}_{at}", std::process::id())
    }

    /// A new store in a schema of its own.
    fn store(&self) -> Result<Arc<dyn base::Store>> {
        self.count.set(self.count.get() + 1);
        let config = PostgresConfig::new(self.url.unwrap_or_default(), Self::name(self.count.get()));
        Ok(Arc::new(PostgresStore::open(config, Arc::new(RealClock::new()), Arc::new(OsEntropy))?))
    }

    fn drop_all(&self) -> Result<()> {
        let Some(url) = self.url else { return Ok(()) };
        let own = (1..=self.count.get()).map(Self::name);
        let all: Vec<String> = own.chain(peers::SCHEMAS.map(str::to_owned)).collect();
        Runtime::new()?.block_on(async {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            tokio::spawn(connection);
            for schema in all {
                client.batch_execute(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE")).await?;
            }
            Ok(())
        })
    }
}
