//! Files of a restore: built beside, checked again while they are copied, put in place by a rename.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use base::archive::RowSource;

use super::{NAMESPACES, RESTORING, State};
use crate::backup::{Manifest, NamespaceBackup, blobs, disk};
use crate::progress::Progress;

/// In the folder of namespaces: it was put there by the restore of this id.
const MARK: &str = "restored-by-";

/// What is in the data directory beside the lock, ourselves, what was moved aside before and diagnoses.
pub(super) fn strangers(data: &Path) -> Result<Vec<PathBuf>> {
    let mut found = disk::entries(data)?;
    found.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name != "lock"
            && !name.starts_with(RESTORING)
            && !name.starts_with("before-")
            && !name.starts_with("diagnosis-")
    });
    Ok(found)
}

/// Copies everything that is files below `<data>/restoring/namespaces`, from the beginning.
pub(super) fn build(data: &Path, from: &Path, manifest: &Manifest, progress: &Progress) -> Result<()> {
    let stage = data.join(RESTORING).join(NAMESPACES);
    disk::remove_tree(&stage)?;
    disk::make_folder(&stage)?;
    for namespace in &manifest.namespaces {
        let place = from.join(NamespaceBackup::folder(&namespace.name));
        build_one((&place, from), &stage.join(&namespace.name), namespace, progress)
            .with_context(|| format!("namespace `{}`", namespace.name))?;
    }
    disk::sync_tree(&stage)
}

fn build_one((place, from): (&Path, &Path), to: &Path, namespace: &NamespaceBackup, progress: &Progress) -> Result<()> {
    progress.step(&format!("{}: rows", namespace.name));
    disk::make_folder(to)?;
    for file in namespace.files.iter().filter(|file| file.path.ends_with("/store.db")) {
        let source = disk::below(from, &file.path)?;
        let (_, sha256) = disk::copy(&source, &to.join("store.db"))?;
        ensure!(sha256 == file.sha256, "{} changed while it was copied", source.display());
    }
    let (listed, copying) = (blobs::listed(place)?, format!("{}: blobs", namespace.name));
    for (done, (name, _)) in listed.iter().enumerate() {
        progress.part(&copying, done, listed.len());
        let target = to.join(blobs::place(name));
        disk::make_folder(target.parent().unwrap_or(to))?;
        let (_, sha256) = disk::copy(&place.join(blobs::place(name)), &target)?;
        ensure!(sha256 == blobs::sha_of(name), "blob {name} changed while it was copied");
    }
    Ok(())
}

/// Moves what is there aside and the new folder in its place, unless that was done already. Tells where the old is.
pub(super) fn place(data: &Path, state: &State) -> Result<Option<String>> {
    let (target, mark) = (data.join(NAMESPACES), format!("{MARK}{}", state.id));
    if target.join(&mark).exists() {
        return Ok(None);
    }
    let stage = data.join(RESTORING).join(NAMESPACES);
    disk::write(&stage.join(&mark), b"")?;
    let aside = data.join(format!("before-{}", state.id));
    for old in strangers(data)? {
        ensure!(state.replace, "{} appeared while the backup was restored", old.display());
        disk::make_folder(&aside)?;
        disk::rename(&old, &aside.join(old.file_name().unwrap_or_default()))?;
    }
    disk::rename(&stage, &target)?;
    Ok(aside.exists().then(|| aside.display().to_string()))
}

/// Takes the marks of [`place`] away.
pub(super) fn unmark(data: &Path) -> Result<()> {
    let marked = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(MARK));
    disk::entries(&data.join(NAMESPACES))?.iter().filter(|path| marked(path)).try_for_each(|path| disk::remove(path))
}

/// The tables of one namespace in a backup.
pub(super) struct TableFiles(pub(super) PathBuf);

impl RowSource for TableFiles {
    fn lines(&self, table: &str) -> io::Result<Box<dyn Iterator<Item = io::Result<String>> + Send>> {
        Ok(Box::new(disk::lines(&self.0.join(format!("{table}.ndjson")))?))
    }
}
