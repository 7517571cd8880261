//! Opens the stores of the namespaces with the configured engine.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use base::{Clock, Engine, Entropy, Store, StoreError};
use store_postgres::{PostgresConfig, PostgresStore};
use store_sqlite::{SqliteConfig, SqliteStore};

use crate::config::Config;

/// How often a PostgreSQL server that does not answer yet is asked again at start.
const ASK_AGAIN: Duration = Duration::from_secs(1);
/// After so many times we give up, and the supervisor decides.
const ASK_MAX: u32 = 60;

/// The stores of the first namespaces: `main` and the administrators'.
pub(crate) fn open(
    config: &Config,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
) -> Result<Vec<(String, Arc<dyn Store>)>> {
    let mut names = vec!["main".to_owned(), config.namespaces.admin.clone()];
    names.dedup();
    names.into_iter().map(|name| Ok((name.clone(), open_one(config, &name, clock, entropy)?))).collect()
}

/// The store of one namespace.
pub(crate) fn open_one(
    config: &Config,
    name: &str,
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
) -> Result<Arc<dyn Store>> {
    let store = match config.store.engine {
        Engine::Sqlite => open_sqlite(config, name, clock.clone()),
        Engine::Postgres => open_postgres(config, name, clock.clone(), entropy.clone()),
    };
    store.with_context(|| format!("cannot open the store of namespace `{name}`"))
}

fn open_sqlite(config: &Config, name: &str, clock: Arc<dyn Clock>) -> Result<Arc<dyn Store>> {
    let folder = config.data.dir.join("namespaces").join(name);
    // Synced from the root down: a power cut must not take a whole namespace with its folder.
    host::make_root(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let settings = SqliteConfig {
        cache_bytes: config.store.cache,
        wal_max_bytes: config.store.wal_max,
        queue_max: config.store.queue_max,
        readers: config.store.readers,
        reserve_bytes: config.store.reserve,
        ..SqliteConfig::default()
    };
    Ok(Arc::new(SqliteStore::open(&folder.join("store.db"), settings, clock)?))
}

fn open_postgres(
    config: &Config,
    name: &str,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
) -> Result<Arc<dyn Store>> {
    let settings = postgres_config(config, name)?;
    let mut asked = 0;
    loop {
        asked += 1;
        match PostgresStore::open(settings.clone(), clock.clone(), entropy.clone()) {
            Ok(store) => return Ok(Arc::new(store)),
            Err(StoreError::Unavailable(reason)) if asked < ASK_MAX => wait_for_postgres(name, &reason),
            Err(error) => return Err(error.into()),
        }
    }
}

/// How to reach the schema of a namespace.
pub(crate) fn postgres_config(config: &Config, name: &str) -> Result<PostgresConfig> {
    let url = config.store.url.as_ref().context("store.url is not set")?;
    Ok(PostgresConfig {
        workers: config.store.workers,
        readers: config.store.readers,
        queue_max: config.store.queue_max,
        ..PostgresConfig::new(url.expose(), format!("{}{name}", config.store.schema_prefix))
    })
}

/// A database server may come up after us: that is not a reason to need a person.
#[expect(clippy::disallowed_methods, reason = "nothing runs yet that could be held up")]
fn wait_for_postgres(name: &str, reason: &str) {
    tracing::warn!(namespace = name, reason, "PostgreSQL is not available yet; asking again");
    std::thread::sleep(ASK_AGAIN); // tidy: sleep — nothing runs yet, and the server may be starting beside us
}
