//! `fastness check` (KER-37): is everything as it must be? Offline, on a data directory whose server is stopped, or on a
//! backup.
//!
//! Looked at: the files themselves (pages, indices, blobs against their names), the schema's steps against those of this
//! program, and every invariant of every service. Nothing is changed: stores are opened for reading only.
//!
//! Deliberately not here: repairing. Every finding says what a person can do.

mod invariants;
mod stores;

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use host::{DirLock, DirLockError};
use serde::Serialize;

use crate::backup::{self, Elsewhere, Rows, Source, Why, disk};
use crate::config::{BlobPlace, Config};
use crate::progress::Progress;
use crate::{change_engine, restore};

/// What was found.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    /// What was looked at.
    pub(crate) checked: Vec<String>,
    /// What is wrong.
    pub(crate) findings: Vec<Finding>,
    /// What is not wrong but worth knowing.
    pub(crate) notes: Vec<String>,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// Where: a namespace or a file.
    pub(crate) place: String,
    /// What is wrong, in plain words.
    pub(crate) what: String,
    /// What to do.
    pub(crate) mend: String,
}

impl Report {
    fn find(&mut self, place: &str, what: impl Into<String>, mend: &str) {
        self.findings.push(Finding { place: place.to_owned(), what: what.into(), mend: mend.to_owned() });
    }
}

/// What to do about a damaged store.
const RESTORE: &str = "keep this data for later, restore the last good backup (fastness restore --replace)";

/// Checks the data of a stopped server. An error is wrong use: there is nothing to check, or a server is running.
pub(crate) fn data(config: &Config, services: &[web::Service], progress: &Progress) -> Result<Report> {
    let data = &config.data.dir;
    ensure!(data.is_dir(), "there is no data directory {}", data.display());
    let _lock = match DirLock::acquire(data) {
        Err(DirLockError::Held { .. }) => bail!(
            "a server is using {}: stop it first, or write a backup and check that (fastness check --backup DIR)",
            data.display()
        ),
        held => held?,
    };
    let mut report = Report::default();
    if let Err(error) = restore::refuse_unfinished(data) {
        report.find(&data.display().to_string(), error.to_string(), "run the same `fastness restore` again");
        return Ok(report);
    }
    if let Err(error) = change_engine::refuse_unfinished(data) {
        report.find(&data.display().to_string(), error.to_string(), "run that command again");
        return Ok(report);
    }
    let sources = backup::sources(config)?;
    ensure!(!sources.is_empty(), "there is no namespace in {}", data.display());
    for Source { name, rows, .. } in &sources {
        progress.step(&format!("{name}: store"));
        let held = match rows {
            Rows::Sqlite(path) => stores::sqlite(&mut report, name, path, services),
            Rows::Postgres(settings) => stores::postgres(&mut report, name, settings, services),
        };
        let folder = data.join("namespaces").join(name);
        blobs(&mut report, name, &folder, progress)?;
        if config.blobs.place == BlobPlace::Local {
            missing_blobs(&mut report, name, &folder, &held);
        }
    }
    missing_namespaces(&mut report, config, &sources);
    Ok(report)
}

/// Every namespace that is listed was looked at. Those with a PostgreSQL of their own, or on another node's disk, are not ours to check.
fn missing_namespaces(report: &mut Report, config: &Config, sources: &[Source]) {
    let missing = match backup::missing(config, sources) {
        Ok(missing) => missing,
        Err(error) => {
            let place = format!("namespace {}", config.namespaces.admin);
            return report.find(&place, format!("its list of namespaces cannot be read: {error:#}"), RESTORE);
        }
    };
    for Elsewhere { name, why, .. } in missing {
        let (place, (what, mend)) = (format!("namespace {name}"), why.words());
        match why {
            Why::OwnPostgres | Why::OtherNode => report.notes.push(format!("{place} {what}, and was not checked")),
            Why::NoUrl | Why::NoSchema | Why::NoFile => report.find(&place, format!("it {what}"), mend),
        }
    }
}

/// Checks a backup: everything reads back as it was written, and what it holds keeps every invariant.
pub(crate) fn backup(folder: &Path, services: &[web::Service], progress: &Progress) -> Result<Report> {
    let (manifest, wrong) = backup::verify(folder, progress)?;
    let mut report = Report::default();
    for what in wrong {
        report.find(&folder.display().to_string(), what, "use another backup; write a new one soon");
    }
    let is_good = report.findings.is_empty();
    for namespace in &manifest.namespaces {
        progress.step(&format!("{}: store", namespace.name));
        let place = folder.join(backup::NamespaceBackup::folder(&namespace.name));
        if namespace.engine == "sqlite" && is_good {
            stores::sqlite(&mut report, &namespace.name, &place.join("store.db"), services);
        } else {
            report.checked.push(format!("namespace {} ({}, as it was written)", namespace.name, namespace.engine));
        }
    }
    Ok(report)
}

/// Every blob that somebody refers to is there.
fn missing_blobs(report: &mut Report, name: &str, folder: &Path, held: &[String]) {
    for blob in held {
        let path = folder.join(backup::blobs::place_of_row(blob));
        if disk::size(&path).is_none() {
            let mend = "copy it from a backup, where it has the same name";
            report.find(&format!("namespace {name}"), format!("blob {} is missing", path.display()), mend);
        }
    }
}

/// Every blob is what its name says.
fn blobs(report: &mut Report, name: &str, folder: &Path, progress: &Progress) -> Result<()> {
    let (mut count, reading) = (0, format!("{name}: blobs"));
    let files = disk::files_below(&folder.join("blobs"))?;
    for (done, path) in files.iter().enumerate() {
        progress.part(&reading, done, files.len());
        let Some(blob) = backup::blobs::blob_name(path) else { continue };
        let (_, held) = disk::digest(path).with_context(|| format!("{} cannot be read", path.display()))?;
        count += 1;
        if held != backup::blobs::sha_of(&blob) {
            let mend = "copy it from a backup, where it has the same name";
            report.find(&format!("namespace {name}"), format!("blob {} is damaged", path.display()), mend);
        }
    }
    if count > 0 {
        report.checked.push(format!("namespace {name}: {count} blobs"));
    }
    Ok(())
}

/// For people.
pub(crate) fn text(report: &Report) -> String {
    let checked = report.checked.iter().map(|what| format!("checked  {what}\n"));
    let notes = report.notes.iter().map(|note| format!("note     {note}\n"));
    let findings = report
        .findings
        .iter()
        .map(|Finding { place, what, mend }| format!("WRONG    {place}: {what}\n         what to do: {mend}\n"));
    let sum = match report.findings.len() {
        0 => "nothing is wrong\n".to_owned(),
        count => format!("{count} findings\n"),
    };
    checked.chain(notes).chain(findings).chain([sum]).collect()
}
