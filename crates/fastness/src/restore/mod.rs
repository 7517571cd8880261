//! Restoring a backup (KER-37, KER-46): everything is verified first, nothing is overwritten, and a new epoch tells
//! every client that this store may know less than they do.
//!
//! SQLite namespaces are built below `<data>/restoring` and come into place by one rename; PostgreSQL namespaces are made
//! in one transaction each. As long as `<data>/restoring` is there the server refuses to start on this directory: it
//! would take a half restored one for an empty one. A restore that was killed is run again with the same command; what is
//! in place already is recognised by the restore's own id and left alone.

mod epoch;
pub(crate) mod plan;
mod stage;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use base::{Clock, Engine, Stamp};
use host::{DirLock, RealClock};
use serde::{Deserialize, Serialize};
use store_postgres::archive as postgres;

use crate::backup::{Manifest, NamespaceBackup, disk, verify};
use crate::config::Config;
use crate::progress::Progress;
use crate::stores;

const RESTORING: &str = "restoring";
const STATE: &str = "restore.json";
const NAMESPACES: &str = "namespaces";

/// What to restore and how.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    /// A folder `backup-…`.
    pub(crate) from: PathBuf,
    /// What is there is moved aside.
    pub(crate) replace: bool,
}

/// What was restored.
#[derive(Debug)]
pub(crate) struct Restored {
    pub(crate) manifest: Manifest,
    /// Where the old data is now, and the old schemas' new names.
    pub(crate) aside: Vec<String>,
}

/// A restore under way; kept in `<data>/restoring` until it is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// Tells this restore from all others.
    id: i64,
    /// Stamp of the backup.
    backup: i64,
    replace: bool,
}

/// A restore that was not finished leaves nothing that a server could use.
pub(crate) fn refuse_unfinished(data: &Path) -> Result<()> {
    if data.join(RESTORING).exists() {
        bail!("a restore to {} was not finished: run the same `restore` again", data.display());
    }
    Ok(())
}

/// Restores a backup.
pub(crate) fn run(config: &Config, services: &[web::Service], wish: &Wish, progress: &Progress) -> Result<Restored> {
    let (manifest, findings) = verify(&wish.from, progress)?;
    ensure!(findings.is_empty(), "the backup is not good, nothing was touched: {}", findings.join("; "));
    check_names(config, &manifest)?;
    let plans = plan::of_all(services, &manifest)?;
    let data = &config.data.dir;
    let _lock = DirLock::acquire(data)?;
    let state = begin(data, &manifest, wish)?;
    let mut aside = vec![];
    stage::build(data, &wish.from, &manifest, progress)?;
    aside.extend(stage::place(data, &state)?);
    let both = manifest.namespaces.iter().zip(&plans);
    for (namespace, plan) in both.filter(|(namespace, _)| namespace.engine() == Engine::Postgres) {
        progress.step(&format!("{}: rows", namespace.name));
        let import = Import { config, from: &wish.from, state: &state, namespace, plan };
        aside.extend(import.run().with_context(|| format!("namespace `{}`", namespace.name))?);
    }
    progress.step("opening it once");
    epoch::renew(config, services, &manifest)?;
    finish(config, &manifest, data)?;
    Ok(Restored { manifest, aside })
}

/// Each comes back to its engine: another one's rows are carried by `namespace move`, not by a restore. Which engine the first namespaces
/// are on is told by the configuration, unless they were moved: `z` never is.
fn check_names(config: &Config, manifest: &Manifest) -> Result<()> {
    let engine = match config.store.engine {
        Engine::Sqlite => "sqlite",
        Engine::Postgres => "postgres",
    };
    for NamespaceBackup { name, engine: held, .. } in &manifest.namespaces {
        ensure!(stores::is_place(name), "`{name}` is not the place of a namespace");
        let is_bound = *name == config.namespaces.admin;
        ensure!(held == engine || !is_bound, "namespace `{name}` is a backup of {held}, but store.engine is {engine}");
        let is_reached = held != "postgres" || config.store.url.is_some();
        ensure!(is_reached, "namespace `{name}` is a backup of {held}, but store.url is not set");
    }
    Ok(())
}

/// Begins a restore, or goes on with the same one.
fn begin(data: &Path, manifest: &Manifest, wish: &Wish) -> Result<State> {
    let folder = data.join(RESTORING);
    let path = folder.join(STATE);
    if let Ok(text) = disk::read_text(&path) {
        let state: State = serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
        ensure!(
            state.backup == manifest.stamp,
            "a restore of backup {} was not finished: run that again, or remove {}",
            state.backup,
            folder.display()
        );
        return Ok(state);
    }
    // Without its state nothing was begun.
    disk::remove_tree(&folder)?;
    let held = stage::strangers(data)?;
    ensure!(
        held.is_empty() || wish.replace,
        "{} is not empty ({} is there): choose another directory, or --replace, which moves the old data aside",
        data.display(),
        held[0].file_name().unwrap_or_default().to_string_lossy()
    );
    let id = Stamp::from_wall(RealClock::new().wall()).number();
    let state = State { id, backup: manifest.stamp, replace: wish.replace };
    disk::make_folder(&folder)?;
    disk::write_whole(&path, serde_json::to_string(&state)?.as_bytes())?;
    Ok(state)
}

/// The marks go last: until then a repeat finds what is done.
fn finish(config: &Config, manifest: &Manifest, data: &Path) -> Result<()> {
    let away = data.join(format!("{RESTORING}-done"));
    disk::remove_tree(&away)?;
    disk::rename(&data.join(RESTORING), &away)?;
    disk::remove_tree(&away)?;
    stage::unmark(data)?;
    for namespace in manifest.namespaces.iter().filter(|namespace| namespace.engine() == Engine::Postgres) {
        postgres::unmark(&stores::postgres_config(config, &namespace.name)?)?;
    }
    Ok(())
}

/// One PostgreSQL namespace on its way in.
struct Import<'a> {
    config: &'a Config,
    from: &'a Path,
    state: &'a State,
    namespace: &'a NamespaceBackup,
    plan: &'a [base::Migration],
}

impl Import<'_> {
    /// Tells under which name the old schema is kept, if there was one.
    fn run(&self) -> Result<Option<String>> {
        let settings = stores::postgres_config(self.config, &self.namespace.name)?;
        let aside = stores::fitted(format!("{}_before_{}", settings.schema, self.state.id));
        let existed = postgres::schemas(&settings, &settings.schema)?.contains(&settings.schema);
        let rows = stage::TableFiles(self.from.join(NamespaceBackup::folder(&self.namespace.name)).join("tables"));
        let made = postgres::import(
            &settings,
            &postgres::Import {
                plan: self.plan,
                tables: &self.namespace.tables,
                rows: &rows,
                mark: &format!("fastness restore {}", self.state.id),
                aside: self.state.replace.then_some(&aside),
                at: RealClock::new().wall().0,
            },
        )?;
        Ok((made && existed).then(|| format!("schema {aside}")))
    }
}
