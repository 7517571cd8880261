//! `fastness admin change-engine`: carries the administrators' namespace to the other engine, with the server stopped (KER-3). All other
//! namespaces are moved while it serves; this one has the rows that say where they are.
//!
//! Invariants: as long as `<data>/changing-engine.json` is there no server starts on this directory, because it might take the side that is
//! not whole, or the one that is left behind; every step can be repeated, so that the same command goes on with what was killed. Until that
//! file is gone nobody has served on the new side, and all of it can be taken back.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use base::carry::{Remembered, Walked};
use base::{Engine, Migration};
use host::DirLock;
use kernel::Kernel;
use kernel::namespaces::transfers::{EngineWord, Event, TransferState};
use kernel::namespaces::{CHANGE_ENGINE, ChangeEngine, HINDRANCES, word_of};
use serde::{Deserialize, Serialize};
use store_postgres::carry as postgres;

use crate::backup::disk;
use crate::carry::moving::{Moving, Route};
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
    /// The new side may have its name by now.
    #[serde(default)]
    closing: bool,
    /// It is being taken back: only that goes on.
    #[serde(default)]
    cancelled: bool,
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

/// What was taken back.
#[derive(Debug)]
pub(crate) struct TakenBack {
    pub(crate) admin: String,
    /// Where it stays.
    pub(crate) engine: Engine,
}

impl Change {
    /// The one that is under way on this directory.
    fn read(data: &Path) -> Result<Option<Self>> {
        let path = data.join(STATE);
        let Ok(text) = disk::read_text(&path) else { return Ok(None) };
        serde_json::from_str(&text).map(Some).with_context(|| format!("{} is damaged", path.display()))
    }

    fn write(&self, data: &Path) -> Result<()> {
        disk::write_whole(&data.join(STATE), serde_json::to_string(self)?.as_bytes())
    }

    /// The words of a person who must see it to its end.
    fn words(&self) -> String {
        let to = word_of(self.to.0);
        if self.cancelled {
            return "a change of the engine is being taken back: run `fastness admin change-engine --cancel` again"
                .to_owned();
        }
        format!(
            "a change of the engine was not finished: run `fastness admin change-engine --to {to}` again, or take it back with \
             `fastness admin change-engine --cancel`"
        )
    }
}

/// A change that was not finished leaves two sides, one of which may not be whole.
pub(crate) fn refuse_unfinished(data: &Path) -> Result<()> {
    Change::read(data)?.map_or(Ok(()), |change| bail!("{}", change.words()))
}

/// Carries it to `to`.
pub(crate) fn run(config: &Config, services: &[web::Service], to: Engine, progress: &Progress) -> Result<Changed> {
    let _lock = locked(config)?;
    let sides = Sides::of(config, to)?;
    let change = sides.begin(services).context("nothing was changed")?;
    let aside = sides.aside(&change)?;
    let mut steps = Steps::new(&sides, change, plan(services), progress);
    let rows = steps.carry()?;
    sides.tell(services)?;
    steps.work(TransferState::Switched)?;
    disk::remove(&sides.data.join(STATE))?;
    Ok(Changed { admin: sides.admin.clone(), engine: to, rows, aside })
}

/// Takes back what was begun. As long as its file is there nobody served on the new side, so that the old one is all there is.
pub(crate) fn cancel(config: &Config, progress: &Progress) -> Result<TakenBack> {
    let _lock = locked(config)?;
    let data = &config.data.dir;
    let change = Change::read(data)?.context("no change of the engine is under way: there is nothing to take back")?;
    let change = Change { cancelled: true, ..change };
    change.write(data)?;
    carry::crash_point("cancelling");
    let sides = Sides::of(config, change.to.0)?;
    Steps::new(&sides, change, vec![], progress).take_back()?;
    disk::remove(&data.join(STATE))?;
    Ok(TakenBack { admin: sides.admin, engine: sides.from.store.engine })
}

/// The directory, for nobody else.
fn locked(config: &Config) -> Result<DirLock> {
    ensure!(config.data.dir.exists(), "there is no data directory {}", config.data.dir.display());
    let lock = admin::lock(config, "")?;
    restore::refuse_unfinished(&config.data.dir)?;
    Ok(lock)
}

/// The work of a move, state by state.
struct Steps<'a> {
    sides: &'a Sides,
    change: Change,
    /// The schema that a new store is made with.
    plan: Vec<Migration>,
    remembered: Remembered,
    progress: &'a Progress,
}

impl<'a> Steps<'a> {
    fn new(sides: &'a Sides, change: Change, plan: Vec<Migration>, progress: &'a Progress) -> Self {
        Self { sides, change, plan, remembered: Remembered::default(), progress }
    }

    /// Copies, compares, and gives the new side its name. What was left has its last name already: only the words about it may be missing.
    fn carry(&mut self) -> Result<Option<i64>> {
        if !self.sides.is_left_behind()? {
            return Ok(None);
        }
        if !self.sides.has(self.sides.to.store.engine)? {
            self.work(TransferState::Copying)?;
        }
        self.change.closing = true;
        self.change.write(&self.sides.data)?;
        match self.work(TransferState::Closing)? {
            Event::Matched { rows, .. } => Ok(Some(rows)),
            _ => Ok(None),
        }
    }

    fn work(&mut self, state: TransferState) -> Result<Event> {
        let worked = self.moving(|moving| moving.work(state));
        carry::crash_point(state.word());
        worked
    }

    /// The old side first. A copy that may have its name must lose it, or a server could take it for the namespace; what was never whole may
    /// stay where it is out of reach.
    fn take_back(&mut self) -> Result<()> {
        self.moving(|moving| moving.return_old())?;
        let (sides, from) = (self.sides, self.sides.from.store.engine);
        ensure!(sides.has(from)?, "`{}` is not on {} any more: nothing was removed", sides.admin, word_of(from));
        carry::crash_point("returned");
        match self.moving(|moving| moving.discard()) {
            Err(error) if !self.change.closing => {
                tracing::warn!(error = format!("{error:#}"), "what was copied could not be removed; nothing uses it");
            }
            discarded => discarded?,
        }
        carry::crash_point("discarded");
        Ok(())
    }

    fn moving<T>(&mut self, then: impl FnOnce(&mut Moving<'_>) -> Result<T>) -> Result<T> {
        let Self { sides, change, plan, remembered, progress } = self;
        let mut watch = |walked: &Walked| {
            progress.part(&format!("{}: {}", sides.admin, walked.table), walked.tables_done, walked.tables);
            true
        };
        let to = sides.to.store.engine;
        let route = Route { name: &sides.admin, place: &sides.admin, id: &change.id, to, to_url: None };
        then(&mut Moving { opener: &sides.there, plan, route, from_url: None, remembered, watch: &mut watch })
    }
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
        let to = self.to.store.engine;
        if let Some(change) = Change::read(&self.data)? {
            ensure!(!change.cancelled, "{}", change.words());
            let word = word_of(change.to.0);
            ensure!(
                change.to.0 == to,
                "a change to {word} was not finished: run it again, with --to {word}, or take it back with --cancel"
            );
            return Ok(change);
        }
        self.check(services)?;
        let change = Change { id: carry::new_id(&self.there), to: EngineWord(to), closing: false, cancelled: false };
        change.write(&self.data)?;
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
            Engine::Sqlite => self.file().with_file_name(carry::moving::sqlite_aside(&mark)).display().to_string(),
            Engine::Postgres => {
                let place = carry::moving::aside_place(&self.admin, &mark);
                format!("the schema {}", self.there.postgres_at(&place, None)?.schema)
            }
        })
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
