//! Reading a backup back: every file's digest, every table's rows, every blob's name. Nothing is believed unread.

use std::path::Path;

use anyhow::{Context, Result};
use base::archive::{TableDigest, TableSummary};

use crate::progress::Progress;

use super::{FileEntry, Manifest, NamespaceBackup, blobs, disk};

/// Everything that is wrong with a backup, in plain words; nothing if it is good.
pub(crate) fn verify(folder: &Path, progress: &Progress) -> Result<(Manifest, Vec<String>)> {
    let manifest = Manifest::read(folder)?;
    let findings = contents(folder, &manifest, progress);
    Ok((manifest, findings))
}

pub(super) fn contents(folder: &Path, manifest: &Manifest, progress: &Progress) -> Vec<String> {
    manifest.namespaces.iter().flat_map(|namespace| of_namespace(folder, namespace, progress)).collect()
}

fn of_namespace(folder: &Path, namespace: &NamespaceBackup, progress: &Progress) -> Vec<String> {
    progress.step(&format!("{}: reading back", namespace.name));
    let mut findings: Vec<String> = namespace.files.iter().filter_map(|file| of_file(folder, file).err()).collect();
    // The rows of a damaged file are not worth reading.
    if findings.is_empty() {
        let place = folder.join(NamespaceBackup::folder(&namespace.name));
        findings.extend(of_rows(&place, namespace));
        findings.extend(of_blobs(&place, namespace, progress));
    }
    findings
}

fn of_file(folder: &Path, file: &FileEntry) -> Result<(), String> {
    let path = disk::below(folder, &file.path).map_err(|error| error.to_string())?;
    match disk::digest(&path) {
        Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
        Ok((bytes, _)) if bytes != file.bytes => {
            Err(format!("{} has {bytes} bytes, not {}", path.display(), file.bytes))
        }
        Ok((_, sha256)) if sha256 != file.sha256 => Err(format!("{} is damaged: its digest differs", path.display())),
        Ok(_) => Ok(()),
    }
}

/// Rows of PostgreSQL are counted and digested again. A SQLite file is, byte for byte, the one that was checked when it was
/// written: its digest says all.
fn of_rows(place: &Path, namespace: &NamespaceBackup) -> Vec<String> {
    if namespace.engine == "sqlite" {
        return vec![];
    }
    let wrong = |table: &TableSummary| match of_lines(place, table) {
        Ok(held) if held == *table => None,
        Ok(held) => Some(format!("table {}: {} rows, not the {} that were written", table.name, held.rows, table.rows)),
        Err(error) => Some(format!("table {}: {error:#}", table.name)),
    };
    namespace.tables.iter().filter_map(wrong).collect()
}

fn of_lines(place: &Path, table: &TableSummary) -> Result<TableSummary> {
    let path = disk::below(place, &format!("tables/{}.ndjson", table.name))?;
    let mut digest = TableDigest::default();
    for line in disk::lines(&path).with_context(|| format!("{} cannot be read", path.display()))? {
        digest.add(&line?);
    }
    Ok(digest.summary(&table.name, table.columns.clone()))
}

fn of_blobs(place: &Path, namespace: &NamespaceBackup, progress: &Progress) -> Vec<String> {
    let listed = match blobs::listed(place) {
        Ok(listed) => listed,
        Err(error) => return vec![format!("namespace {}: {error:#}", namespace.name)],
    };
    let reading = format!("{}: reading blobs back", namespace.name);
    let wrong = |(done, (name, _)): (usize, &(String, u64))| {
        progress.part(&reading, done, listed.len());
        match disk::digest(&place.join(blobs::place(name))) {
            Ok((_, sha256)) if sha256 == blobs::sha_of(name) => None,
            Ok(_) => Some(format!("blob {name} is damaged")),
            Err(error) => Some(format!("blob {name} cannot be read: {error}")),
        }
    };
    let count = (listed.len() as u64 != namespace.blobs)
        .then(|| format!("namespace {}: {} blobs, not {}", namespace.name, listed.len(), namespace.blobs));
    listed.iter().enumerate().filter_map(wrong).chain(count).collect()
}
