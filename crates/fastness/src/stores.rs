//! Opens the stores of namespaces, and sets aside those of removed ones.
//!
//! What is on the disk around each step: a namespace that is being created has nothing, an empty folder or schema, or a store
//! with some or all of its tables; opening it again goes on from any of these. A namespace in any other state has its store:
//! one that is missing (its disk is not mounted, or it is another node's) is never made anew.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use base::{Clock, Engine, Entropy, Files, Id, RelPath, Store, StoreError};
use kernel::namespaces::transfers::Transfer;
use kernel::namespaces::{NamespaceRow, SecretUrl, State};
use store_postgres::{PostgresConfig, PostgresStore};
use store_sqlite::{SqliteConfig, SqliteStore};

use crate::config::Config;
use crate::first;

/// How often a PostgreSQL server that does not answer yet is asked again at start.
const ASK_AGAIN: Duration = Duration::from_secs(1);
/// After so many times we give up, and the supervisor decides.
const ASK_MAX: u32 = 60;

/// PostgreSQL keeps so much of a name.
const SCHEMA_BYTES_MAX: usize = 63;

/// Opens stores with the configured engines.
#[derive(Clone)]
pub(crate) struct Opener {
    config: Arc<Config>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    node: String,
}

impl Opener {
    pub(crate) fn new(config: &Config, clock: &Arc<dyn Clock>, entropy: &Arc<dyn Entropy>) -> Result<Self> {
        let node = node_name(config, clock.as_ref(), entropy.as_ref()).context("no name for this node")?;
        Ok(Self { config: Arc::new(config.clone()), clock: clock.clone(), entropy: entropy.clone(), node })
    }

    /// The name of this node: that of its data directory.
    pub(crate) fn node(&self) -> &str {
        &self.node
    }

    /// The store of the administrators' namespace, without which nothing begins. Blocks until it is there.
    pub(crate) fn open_first(&self, name: &str) -> Result<Arc<dyn Store>> {
        let mut asked = 0;
        let opened = loop {
            asked += 1;
            match self.try_open_first(name) {
                Err(error) if asked < ASK_MAX && self.may_come(&error) => wait_for_postgres(name, &error),
                opened => break opened,
            }
        };
        opened.with_context(|| format!("cannot open the store of namespace `{name}`"))
    }

    fn try_open_first(&self, name: &str) -> Result<Arc<dyn Store>> {
        first::check(&self.config)?;
        let store = &self.config.store;
        match store.engine {
            Engine::Sqlite => self.make_sqlite(name, store.readers),
            Engine::Postgres => self.open_postgres(name, None, (store.workers, store.readers)),
        }
    }

    /// The store of a namespace as its row says; blocks, but waits for nothing that is away.
    pub(crate) fn open(&self, row: &NamespaceRow) -> Result<Arc<dyn Store>> {
        let (workers, readers) = self.connections(row);
        match row.engine {
            Engine::Postgres => {
                let settings = self.postgres(&row.place, own_url(row), (workers, readers))?;
                let creates_schema = row.state == State::Creating;
                self.connect(PostgresConfig { creates_schema, ..settings })
            }
            Engine::Sqlite if row.state == State::Creating => {
                self.check_home(row)?;
                self.make_sqlite(&row.place, readers)
            }
            Engine::Sqlite => self.open_sqlite(&row.place, readers),
        }
    }

    /// The store that an import has made, before anybody else opens it.
    pub(crate) fn open_arrived(&self, transfer: &Transfer) -> Result<Arc<dyn Store>> {
        match transfer.to {
            Engine::Sqlite => self.open_sqlite(&transfer.place, 1),
            Engine::Postgres => {
                let settings = self.postgres_at(&transfer.place, transfer.to_url.as_ref())?;
                self.connect(PostgresConfig { creates_schema: false, ..settings })
            }
        }
    }

    /// Renames the store of a removed namespace; a repeat is harmless. It must be closed.
    pub(crate) fn set_aside(&self, row: &NamespaceRow) -> Result<()> {
        let renamed = match row.engine {
            Engine::Sqlite => host::rename_root(&self.folder(&row.place), &self.folder(&row.aside()))?,
            Engine::Postgres => {
                let config = self.postgres(&row.place, own_url(row), (1, 1))?;
                PostgresStore::set_aside(config, &schema(&row.aside()), self.clock.clone(), self.entropy.clone())?
            }
        };
        tracing::info!(namespace = row.name, kept_as = row.aside(), renamed, "data of a removed namespace set aside");
        if row.temporary { self.destroy(row) } else { Ok(()) }
    }

    /// What was set aside of a namespace to try things in, with its files; killed in the middle, it is begun again.
    fn destroy(&self, row: &NamespaceRow) -> Result<()> {
        if row.engine == Engine::Postgres {
            let aside = self.postgres(&row.aside(), own_url(row), (1, 1))?;
            PostgresStore::destroy(aside, self.clock.clone(), self.entropy.clone())?;
        }
        let messages = crate::exchanging::folder(&self.config).join(&row.place);
        for folder in [self.folder(&row.aside()), self.folder(&row.place), messages] {
            host::remove_root(&folder).with_context(|| format!("{} cannot be removed", folder.display()))?;
        }
        tracing::info!(namespace = row.name, "data of a temporary namespace destroyed");
        Ok(())
    }

    /// Connections that write and that read. Of namespaces created later there may be many, most of them idle.
    fn connections(&self, row: &NamespaceRow) -> (usize, usize) {
        let Config { store, namespaces, .. } = self.config.as_ref();
        let is_first = row.place == row.name;
        let (workers, readers) =
            if is_first { (store.workers, store.readers) } else { (namespaces.workers, namespaces.readers) };
        let own = row.limits.readers.and_then(|readers| usize::try_from(readers).ok());
        (workers, own.unwrap_or(readers))
    }

    pub(crate) fn folder(&self, place: &str) -> PathBuf {
        self.config.data.dir.join("namespaces").join(place)
    }

    /// Several nodes may share the rows of a store on PostgreSQL, but not the disk of one of them.
    fn check_home(&self, row: &NamespaceRow) -> Result<()> {
        if self.config.store.engine == Engine::Postgres && row.home != self.node {
            bail!("its file is being made by node {}, this is {}", row.home, self.node);
        }
        Ok(())
    }

    fn make_sqlite(&self, place: &str, readers: usize) -> Result<Arc<dyn Store>> {
        let folder = self.folder(place);
        // Synced from the root down: a power cut must not take a whole namespace with its folder.
        host::make_root(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        self.sqlite(place, readers)
    }

    fn open_sqlite(&self, place: &str, readers: usize) -> Result<Arc<dyn Store>> {
        let file = self.folder(place).join("store.db");
        if !file.is_file() {
            bail!("{} is missing: it is on another node's disk, or its disk is not mounted", file.display());
        }
        self.sqlite(place, readers)
    }

    fn sqlite(&self, place: &str, readers: usize) -> Result<Arc<dyn Store>> {
        let store = &self.config.store;
        let settings = SqliteConfig {
            cache_bytes: store.cache,
            wal_max_bytes: store.wal_max,
            queue_max: store.queue_max,
            readers,
            reserve_bytes: store.reserve,
            ..SqliteConfig::default()
        };
        Ok(Arc::new(SqliteStore::open(&self.folder(place).join("store.db"), settings, self.clock.clone())?))
    }

    /// How to reach a schema by the name of a place.
    pub(crate) fn postgres_at(&self, place: &str, url: Option<&SecretUrl>) -> Result<PostgresConfig> {
        self.postgres(place, url.map(|url| url.0.as_str()), (1, 1))
    }

    /// Time of this node.
    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// What an operator set.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    fn postgres(
        &self,
        place: &str,
        own_url: Option<&str>,
        (workers, readers): (usize, usize),
    ) -> Result<PostgresConfig> {
        let store = &self.config.store;
        let url = own_url.or(store.url.as_ref().map(|url| url.expose())).context("store.url is not set")?;
        let schema = fitted(format!("{}{}", store.schema_prefix, schema(place)));
        let queue_max = store.queue_max;
        Ok(PostgresConfig { workers, readers, queue_max, ..PostgresConfig::new(url, schema) })
    }

    fn open_postgres(&self, place: &str, own_url: Option<&str>, connections: (usize, usize)) -> Result<Arc<dyn Store>> {
        self.connect(self.postgres(place, own_url, connections)?)
    }

    fn connect(&self, settings: PostgresConfig) -> Result<Arc<dyn Store>> {
        Ok(Arc::new(PostgresStore::open(settings, self.clock.clone(), self.entropy.clone())?))
    }

    fn may_come(&self, error: &anyhow::Error) -> bool {
        let away = matches!(error.downcast_ref::<StoreError>(), Some(StoreError::Unavailable(_)));
        away && self.config.store.engine == Engine::Postgres
    }
}

fn own_url(row: &NamespaceRow) -> Option<&str> {
    row.url.as_ref().map(|url| url.0.as_str())
}

/// A place as PostgreSQL names it.
fn schema(place: &str) -> String {
    place.replace('-', "_")
}

/// A schema's name of at most as many bytes as PostgreSQL keeps. Of a longer one it would keep the beginning, which many have in common; what
/// tells names apart is at their end. The place of a namespace always fits behind the longest prefix: only what is kept aside is cut.
pub(crate) fn fitted(name: String) -> String {
    let from = name.len().saturating_sub(SCHEMA_BYTES_MAX);
    name.get(from..).map_or_else(|| name.clone(), str::to_owned)
}

/// A name that stays with the data directory. Where all rows are in the data directory too, there is only one node.
fn node_name(config: &Config, clock: &dyn Clock, entropy: &dyn Entropy) -> Result<String> {
    if config.store.engine == Engine::Sqlite {
        return Ok("node".into());
    }
    let files = host::DiskFiles::open(&config.data.dir.join("node"))?;
    let path = RelPath::new("name").context("a path")?;
    if let Ok(name) = files.get(&path, 64) {
        return Ok(String::from_utf8(name)?);
    }
    let mut chance = [0; 10];
    entropy.fill(&mut chance);
    let name = Id::new(clock.wall(), chance).to_string();
    files.put(&path, name.as_bytes())?;
    Ok(name)
}

/// A database server may come up after us: that is not a reason to need a person.
#[expect(clippy::disallowed_methods, reason = "nothing runs yet that could be held up")]
fn wait_for_postgres(name: &str, reason: &anyhow::Error) {
    tracing::warn!(namespace = name, %reason, "PostgreSQL is not available yet; asking again");
    std::thread::sleep(ASK_AGAIN); // tidy: sleep — nothing runs yet, and the server may be starting beside us
}

/// The store of a namespace by its place; blocks.
pub(crate) fn open_one(
    config: &Config,
    (place, engine): (&str, Engine),
    clock: &Arc<dyn Clock>,
    entropy: &Arc<dyn Entropy>,
) -> Result<Arc<dyn Store>> {
    let opener = Opener::new(config, clock, entropy)?;
    let store = match engine {
        Engine::Sqlite => opener.open_sqlite(place, config.store.readers),
        Engine::Postgres => opener.open_postgres(place, None, (config.store.workers, config.store.readers)),
    };
    store.with_context(|| format!("cannot open the store `{place}`"))
}

/// How to reach the schema of a namespace by its place.
pub(crate) fn postgres_config(config: &Config, place: &str) -> Result<PostgresConfig> {
    let url = config.store.url.as_ref().context("store.url is not set")?;
    let schema = fitted(format!("{}{}", config.store.schema_prefix, schema(place)));
    let (workers, readers, queue_max) = (config.store.workers, config.store.readers, config.store.queue_max);
    Ok(PostgresConfig { workers, readers, queue_max, ..PostgresConfig::new(url.expose(), schema) })
}

/// Whether a folder is the place of a namespace: its name, and for one created later what tells its lives apart. What was
/// removed or moved aside is none.
pub(crate) fn is_place(text: &str) -> bool {
    let (name, life) = text.split_once('-').unwrap_or((text, ""));
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    (1..=16).contains(&name.len())
        && plain(name)
        && plain(life)
        && (life.is_empty() || life.len() == 13)
        && !text.ends_with('-')
}

/// The place of a schema, without its prefix.
pub(crate) fn place_of_schema(schema: &str) -> String {
    schema.replacen('_', "-", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_3_ker_37_every_schema_of_the_longest_names_fits_and_what_tells_it_apart_is_kept() {
        let prefix = "p".repeat(32);
        let (place, mark) = (format!("{}-{}", "n".repeat(16), "0".repeat(13)), "1".repeat(13));
        let whole = format!("{prefix}{}", schema(&place));
        assert_eq!(fitted(whole.clone()), whole, "the place of a namespace is never cut");
        for end in [format!("moved--{}-{mark}", "n".repeat(16)), format!("arriving--{mark}"), format!("left--{mark}")] {
            let name = fitted(format!("{prefix}{}", schema(&end)));
            assert!(name.len() <= SCHEMA_BYTES_MAX && name.ends_with(&schema(&end)), "{name}");
        }
        let aside = fitted(format!("{whole}_before_261118094240123"));
        assert!(aside.len() == SCHEMA_BYTES_MAX && aside.contains(&schema(&place)), "{aside}");
    }
}
