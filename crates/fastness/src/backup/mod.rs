//! Backups (KER-37): every namespace as it was at one moment, while the server runs and takes writes, or is stopped.
//!
//! A backup is a folder `backup-<stamp>`: `manifest.json`, and for each namespace its store (SQLite: the copied file
//! itself; PostgreSQL: a file of portable lines per table, see `base::archive`) and its blobs. It is made under the name
//! `unfinished-<stamp>`, read back and compared, given its manifest, and only then renamed: what is named `backup-…` is
//! whole. Older ones go only after that, not if anything was found damaged, never the last one that has a namespace, and none
//! that cannot be read.
//!
//! The store is opened by a connection of its own, so that the same code serves the command line beside a running server
//! and the scheduled task inside of it; no server, route or password is needed to get at one's own data.
//!
//! Blobs are copied after the rows. They are named by their content, never change, and stay for a grace time after the
//! last row let go of them; so whatever the copied rows refer to is still there.

pub(crate) mod blobs;
pub(crate) mod disk;
mod elsewhere;
mod keep;
mod manifest;
mod source;
pub(crate) mod task;
#[cfg(test)]
mod tests;
mod verify;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use base::{Clock, Stamp};
use host::{DirLock, DirLockError, RealClock};

use crate::config::Config;
use crate::progress::Progress;
pub(crate) use elsewhere::{Elsewhere, Why, missing};
use keep::Beyond;
pub(crate) use manifest::{FileEntry, Manifest, NamespaceBackup};
pub(crate) use source::{Rows, Source, sources};
pub(crate) use verify::verify;

const FINISHED: &str = "backup-";
const UNFINISHED: &str = "unfinished-";

/// What to back up and where to.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    /// The folder that holds backups.
    pub(crate) to: PathBuf,
    /// Only this namespace.
    pub(crate) namespace: Option<String>,
    /// So many are kept, this one included; all without.
    pub(crate) keep: Option<usize>,
}

/// A backup that was written and read back.
#[derive(Debug)]
pub(crate) struct Written {
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// What it holds.
    pub(crate) manifest: Manifest,
    /// Size of that.
    pub(crate) bytes: u64,
    /// Blobs whose content is not what their name says, or that are missing; their bytes are not in the backup.
    pub(crate) damaged: Vec<String>,
    /// Namespaces that exist and are not in it.
    pub(crate) elsewhere: Vec<Elsewhere>,
    /// Older ones that were removed.
    pub(crate) removed: Vec<PathBuf>,
    /// Older ones that stay because nobody can tell what is in them.
    pub(crate) unreadable: Vec<String>,
}

/// Writes a backup and verifies it.
pub(crate) fn write(config: &Config, wish: &Wish, progress: &Progress) -> Result<Written> {
    let _lock = lock(&wish.to)?;
    disk::children(&wish.to, UNFINISHED)?.iter().try_for_each(|left| disk::remove_tree(left))?;
    let stamp = Stamp::from_wall(RealClock::new().wall());
    let making = wish.to.join(format!("{UNFINISHED}{stamp}"));
    let folder = wish.to.join(format!("{FINISHED}{stamp}"));
    let made = make(config, wish, (stamp, &making), progress);
    if made.is_err() {
        // Its room may be what everybody else needs now.
        let _ = disk::remove_tree(&making);
    }
    let Made { manifest, bytes, damaged, elsewhere, exists } = made?;
    disk::rename(&making, &folder)?;
    let Beyond { gone: removed, unreadable } = match wish.keep {
        Some(keep) if damaged.is_empty() => prune(&wish.to, keep, &exists)?,
        Some(_) | None => Beyond::default(),
    };
    Ok(Written { folder, manifest, bytes, damaged, elsewhere, removed, unreadable })
}

/// One backup at a time in one folder.
fn lock(to: &Path) -> Result<DirLock> {
    match DirLock::acquire(to) {
        Err(DirLockError::Held { holder, .. }) => {
            let pid = holder.map_or_else(|| "not known".to_owned(), |pid| pid.to_string());
            bail!("another backup is being written to {} (pid {pid})", to.display())
        }
        held => Ok(held?),
    }
}

/// What was made.
struct Made {
    manifest: Manifest,
    bytes: u64,
    /// Blobs.
    damaged: Vec<String>,
    /// Namespaces that are not in it.
    elsewhere: Vec<Elsewhere>,
    /// Where namespaces lie that exist and are ours to back up, in it or not.
    exists: BTreeSet<String>,
}

fn make(config: &Config, wish: &Wish, (stamp, making): (Stamp, &Path), progress: &Progress) -> Result<Made> {
    let older = finished(&wish.to)?.pop();
    let mut manifest = Manifest::new(stamp);
    let (mut bytes, mut damaged) = (0, vec![]);
    let Wanted { found, elsewhere, exists } = wanted(config, wish)?;
    for source in found {
        let title = source.title.clone();
        let made = source.write(config, making, older.as_deref(), progress);
        let made = made.with_context(|| format!("namespace `{title}` was not backed up"))?;
        manifest.namespaces.push(made.namespace);
        damaged.extend(made.damaged);
        bytes += made.bytes;
    }
    let findings = verify::contents(making, &manifest, progress);
    anyhow::ensure!(findings.is_empty(), "the backup does not read back as it was written: {}", findings.join("; "));
    manifest.write(making)?;
    Ok(Made { manifest, bytes, damaged, elsewhere, exists })
}

/// What is backed up, which namespaces cannot be, and what exists.
struct Wanted {
    found: Vec<Source>,
    elsewhere: Vec<Elsewhere>,
    exists: BTreeSet<String>,
}

fn wanted(config: &Config, wish: &Wish) -> Result<Wanted> {
    let (mut found, listed, mut elsewhere) = elsewhere::surveyed(config)?;
    let ours = listed.iter().filter(|row| !row.has_url).map(|row| &row.place);
    let exists = found.iter().map(|source| &source.name).chain(ours).cloned().collect();
    for source in &mut found {
        if let Some(row) = listed.iter().find(|row| row.place == source.name) {
            source.title.clone_from(&row.name);
        }
    }
    if let Some(name) = &wish.namespace {
        if let Some(Elsewhere { why, .. }) = elsewhere.iter().find(|it| it.name == *name) {
            let (what, mend) = why.words();
            bail!("namespace `{name}` {what}: {mend}");
        }
        elsewhere.clear();
        let place = listed.iter().find(|row| row.name == *name).map_or(name, |row| &row.place);
        found.retain(|source| source.name == *place);
        anyhow::ensure!(!found.is_empty(), "no namespace `{name}` in {}", config.data.dir.display());
    }
    anyhow::ensure!(!found.is_empty(), "there is nothing to back up in {}", config.data.dir.display());
    for it in elsewhere.iter_mut().filter(|it| it.why != Why::OwnPostgres) {
        it.last = keep::last_of(&wish.to, &it.place)?;
    }
    Ok(Wanted { found, elsewhere, exists })
}

/// Whole backups, the oldest first.
pub(crate) fn finished(to: &Path) -> Result<Vec<PathBuf>> {
    let mut found = disk::children(to, FINISHED)?;
    found.retain(|folder| folder.join(manifest::NAME).is_file());
    Ok(found)
}

/// Removes the oldest beyond `keep`. A name that is changed first cannot be taken for a whole backup any more.
fn prune(to: &Path, keep: usize, exists: &BTreeSet<String>) -> Result<Beyond> {
    let beyond = keep::beyond(to, keep, exists)?;
    for old in &beyond.gone {
        let name = old.file_name().unwrap_or_default().to_string_lossy().replace(FINISHED, UNFINISHED);
        let leaving = to.join(name);
        disk::rename(old, &leaving)?;
        disk::remove_tree(&leaving)?;
    }
    Ok(beyond)
}
