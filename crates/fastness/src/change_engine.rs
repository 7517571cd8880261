//! `fastness admin change-engine`: carries the administrators' namespace to the other engine, with the server stopped (KER-3). All other
//! namespaces are moved while it serves; this one has the rows that say where they are.
//!
//! Invariants: as long as `<data>/changing-engine.json` is there no server starts on this directory, because it might take the side that is
//! not whole, or the one that is left behind; every step can be repeated, so that the same command goes on with what was killed.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use base::carry::{Remembered, Walked};
use base::{Engine, Migration};
use kernel::Kernel;
use kernel::namespaces::transfers::{EngineWord, Event, Kind, Transfer, TransferState};
use kernel::namespaces::{CHANGE_ENGINE, ChangeEngine, HINDRANCES, word_of};
use serde::{Deserialize, Serialize};
use store_postgres::carry as postgres;

use crate::backup::disk;
use crate::carry::moving::Moving;
use crate::config::Config;
use crate::progress::Progress;
use crate::stores::Opener;
use crate::{admin, carry, restore, server, welcome};

const STATE: &str = "changing-engine.json";

/// A change under way, and which it is.
#[derive(Debug, Serialize, Deserialize)]
struct Change {
    id: String,
    to: EngineWord,
}

/// What was done.
#[derive(Debug)]
pub(crate) struct Changed {
    pub(crate) admin: String,
    pub(crate) engine: Engine,
    /// Rows that both sides held; not known when this was done before a kill.
    pub(crate) rows: Option<i64>,
    /// Where the old side is kept.
    pub(crate) aside: String,
}

/// A change that was not finished leaves two sides, one of which may not be whole.
pub(crate) fn refuse_unfinished(data: &Path) -> Result<()> {
    let Ok(text) = disk::read_text(&data.join(STATE)) else { return Ok(()) };
    let to = serde_json::from_str(&text).map_or("…", |change: Change| word_of(change.to.0));
    bail!("a change of the engine was not finished: run `fastness admin change-engine --to {to}` again")
}

/// Carries it to `to`.
pub(crate) fn run(config: &Config, services: &[web::Service], to: Engine, progress: &Progress) -> Result<Changed> {
    ensure!(config.data.dir.exists(), "there is no data directory {}", config.data.dir.display());
    let _lock = admin::lock(config, "")?;
    restore::refuse_unfinished(&config.data.dir)?;
    let sides = Sides::of(config, to)?;
    let change = sides.begin(services).context("nothing was changed")?;
    let transfer = sides.transfer(&change);
    let mut remembered = Remembered::default();
    let mut watch = |walked: &Walked| {
        progress.part(&format!("{}: {}", sides.admin, walked.table), walked.tables_done, walked.tables);
        true
    };
    let plan = plan(services);
    let mut work = |state| {
        let transfer = Transfer { state, ..transfer.clone() };
        let (opener, remembered, watch) = (&sides.there, &mut remembered, &mut watch);
        let worked = Moving { opener, plan: &plan, transfer: &transfer, from_url: None, remembered, watch }.work();
        carry::crash_point(state.word());
        worked
    };
    let mut rows = None;
    // What was left has its last name already: only the words about it may be missing.
    if sides.is_left_behind()? {
        if !sides.has(to)? {
            work(TransferState::Copying)?;
        }
        if let Event::Matched { rows: matched, .. } = work(TransferState::Closing)? {
            rows = Some(matched);
        }
    }
    sides.tell(services)?;
    work(TransferState::Switched)?;
    disk::remove(&config.data.dir.join(STATE))?;
    Ok(Changed { admin: sides.admin.clone(), engine: to, rows, aside: sides.aside(&change)? })
}

/// The schema of the whole program.
fn plan(services: &[web::Service]) -> Vec<Migration> {
    let all = kernel::OWN.into_iter().chain(server::definitions(services));
    all.flat_map(|service| service.migrations.iter().copied()).collect()
}

/// The administrators' namespace as it was, and as it is to be.
struct Sides {
    admin: String,
    data: PathBuf,
    from: Config,
    to: Config,
    /// Opens what is to be.
    there: Opener,
}

impl Sides {
    fn of(config: &Config, to: Engine) -> Result<Self> {
        let on = |engine| {
            let mut config = config.clone();
            config.store.engine = engine;
            config
        };
        let (from, to) = (on(other(to)), on(to));
        let there = opener(&to)?;
        Ok(Self { admin: config.namespaces.admin.clone(), data: config.data.dir.clone(), from, to, there })
    }

    /// Begins a change, or goes on with the same one.
    fn begin(&self, services: &[web::Service]) -> Result<Change> {
        let (path, to) = (self.data.join(STATE), self.to.store.engine);
        if let Ok(text) = disk::read_text(&path) {
            let change: Change =
                serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
            let word = word_of(change.to.0);
            ensure!(change.to.0 == to, "a change to {word} was not finished: run it again, with --to {word}");
            return Ok(change);
        }
        self.check(services)?;
        let change = Change { id: carry::new_id(&self.there), to: EngineWord(to) };
        disk::write_whole(&path, serde_json::to_string(&change)?.as_bytes())?;
        Ok(change)
    }

    fn check(&self, services: &[web::Service]) -> Result<()> {
        let (admin, [from, to]) = (&self.admin, [&self.from, &self.to].map(|config| config.store.engine));
        let [was, is] = [from, to].map(word_of);
        match (self.has(from)?, self.has(to)?) {
            (true, false) => {}
            (false, true) => bail!("`{admin}` is on {is} already: set store.engine to {is}, and start the server"),
            (false, false) => bail!("there is no `{admin}` in {}, nor on PostgreSQL", self.data.display()),
            (true, true) => bail!(
                "`{admin}` is on {was}, and there is one on {is}, too: rename {}, if it is of no use",
                self.name_of(to)?
            ),
        }
        let (kernel, _) = server::open(&self.from, services)?;
        let hindrances = welcome::read(&kernel, &HINDRANCES, kernel.task_config().node.clone());
        close(&kernel);
        let hindrances = hindrances?;
        ensure!(hindrances.is_empty(), "nothing was done: {}", hindrances.join("; "));
        Ok(())
    }

    fn has(&self, engine: Engine) -> Result<bool> {
        Ok(match engine {
            Engine::Sqlite => disk::size(&self.file()).is_some(),
            Engine::Postgres => postgres::exists(&self.there.postgres_at(&self.admin, None)?)?,
        })
    }

    /// Whether the old side is still to be carried. On PostgreSQL it has another name as soon as nobody may write it.
    fn is_left_behind(&self) -> Result<bool> {
        Ok(self.from.store.engine == Engine::Postgres || self.has(Engine::Sqlite)?)
    }

    fn file(&self) -> PathBuf {
        self.there.folder(&self.admin).join("store.db")
    }

    fn name_of(&self, engine: Engine) -> Result<String> {
        Ok(match engine {
            Engine::Sqlite => self.file().display().to_string(),
            Engine::Postgres => format!("the schema {}", self.there.postgres_at(&self.admin, None)?.schema),
        })
    }

    fn aside(&self, change: &Change) -> Result<String> {
        let mark = carry::short(&change.id);
        Ok(match self.from.store.engine {
            Engine::Sqlite => self.file().with_file_name(format!("moved-{mark}.db")).display().to_string(),
            Engine::Postgres => {
                let place = carry::moving::aside_place(&self.admin, &mark);
                format!("the schema {}", self.there.postgres_at(&place, None)?.schema)
            }
        })
    }

    fn transfer(&self, change: &Change) -> Transfer {
        Transfer {
            name: self.admin.clone(),
            id: change.id.clone(),
            kind: Kind::Move,
            state: TransferState::Copying,
            place: self.admin.clone(),
            from: Some(EngineWord(self.from.store.engine)),
            to: self.to.store.engine,
            to_url: None,
            node: self.there.node().to_owned(),
            resume: None,
            cancelled: false,
            attempts: 0,
            note: String::new(),
            archive: None,
            rows: None,
            digest: None,
            started_at: 0,
            ended_at: None,
            version: 0,
        }
    }

    /// The rows say where it is.
    fn tell(&self, services: &[web::Service]) -> Result<()> {
        let input = ChangeEngine {
            admin: self.admin.clone(),
            engine: self.to.store.engine,
            node_before: opener(&self.from)?.node().to_owned(),
            node: self.there.node().to_owned(),
        };
        let (kernel, _) = server::open(&self.to, services)?;
        let told = welcome::call(&kernel, &CHANGE_ENGINE, input);
        close(&kernel);
        told.map(drop)
    }
}

fn opener(config: &Config) -> Result<Opener> {
    let clock: std::sync::Arc<dyn base::Clock> = std::sync::Arc::new(host::RealClock::new());
    let entropy: std::sync::Arc<dyn base::Entropy> = std::sync::Arc::new(host::OsEntropy);
    Opener::new(config, &clock, &entropy)
}

fn close(kernel: &Kernel) {
    kernel.namespaces().iter().for_each(|ns| ns.store.close());
}

fn other(engine: Engine) -> Engine {
    match engine {
        Engine::Sqlite => Engine::Postgres,
        Engine::Postgres => Engine::Sqlite,
    }
}
