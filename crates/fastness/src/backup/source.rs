//! What there is to back up: the namespaces of this configuration, found by what is there, and each into its folder.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use base::Engine;
use base::archive::RowSink;
use store_postgres::PostgresConfig;
use store_postgres::archive as postgres;
use store_sqlite::archive as sqlite;

use super::disk::LineFile;
use super::{FileEntry, NamespaceBackup, blobs, disk};
use crate::config::{BlobPlace, Config};
use crate::progress::Progress;
use crate::stores;

/// The name of a SQLite store in its namespace's folder, here and there.
pub(crate) const STORE: &str = "store.db";

/// A namespace and where its rows are.
pub(crate) struct Source {
    /// Its place, which is its name in backups.
    pub(crate) name: String,
    /// What people call it.
    pub(crate) title: String,
    pub(crate) rows: Rows,
}

/// Where rows are.
pub(crate) enum Rows {
    Sqlite(PathBuf),
    Postgres(PostgresConfig),
}

/// What was made of one.
pub(super) struct Copied {
    pub(super) namespace: NamespaceBackup,
    /// Blobs whose bytes are not in it.
    pub(super) damaged: Vec<String>,
    /// Size of all that is in it.
    pub(super) bytes: u64,
}

/// All namespaces that exist: folders with a store, and schemas with our record of steps.
pub(crate) fn sources(config: &Config) -> Result<Vec<Source>> {
    let mut found = vec![];
    for folder in disk::entries(&config.data.dir.join("namespaces"))? {
        let (name, store) = (folder.file_name().unwrap_or_default().to_string_lossy().into_owned(), folder.join(STORE));
        if stores::is_place(&name) && disk::size(&store).is_some() {
            found.push(Source { title: name.clone(), name, rows: Rows::Sqlite(store) });
        }
    }
    // Wherever `z` is: a namespace may have been moved there.
    if config.store.url.is_some() {
        let prefix = &config.store.schema_prefix;
        for schema in postgres::schemas(&stores::postgres_config(config, "")?, prefix)? {
            let name = stores::place_of_schema(&schema[prefix.len()..]);
            // What a restore moved aside begins alike.
            if stores::is_place(&name) {
                let rows = Rows::Postgres(stores::postgres_config(config, &name)?);
                found.push(Source { title: name.clone(), name, rows });
            }
        }
    }
    Ok(found)
}

impl Source {
    /// The engine that its rows are on.
    pub(super) fn engine(&self) -> Engine {
        match self.rows {
            Rows::Sqlite(_) => Engine::Sqlite,
            Rows::Postgres(_) => Engine::Postgres,
        }
    }

    /// Writes rows and blobs below `making`.
    pub(super) fn write(
        self,
        config: &Config,
        making: &Path,
        older: Option<&Path>,
        progress: &Progress,
    ) -> Result<Copied> {
        let place = NamespaceBackup::folder(&self.name);
        let folder = making.join(&place);
        disk::make_folder(&folder)?;
        progress.step(&format!("{}: rows", self.title));
        let mut namespace = match &self.rows {
            Rows::Sqlite(store) => write_sqlite(&self.name, store, &folder)?,
            Rows::Postgres(settings) => write_postgres(&self.name, settings, &folder)?,
        };
        let older = older.map(|older| older.join(&place));
        let data = config.data.dir.join("namespaces").join(&self.name);
        let copied = blobs::copy(&data, &folder, older.as_deref(), &mut |done, of| {
            progress.part(&format!("{}: blobs", self.title), done, of);
        })?;
        let (bytes, sha256) = copied.list;
        namespace.files.push(FileEntry { path: format!("{place}/{}", blobs::LIST), bytes, sha256 });
        namespace.blobs = copied.count;
        namespace.namespace = (self.title != self.name).then_some(self.title);
        let bytes = namespace.files.iter().map(|file| file.bytes).sum::<u64>() + copied.bytes;
        disk::sync_tree(&folder)?;
        let mut damaged = copied.damaged;
        if config.blobs.place == BlobPlace::Local {
            let missing = blobs::missing(&folder, &namespace)?.into_iter();
            // What is damaged is named already.
            let missing = missing.map(|place| data.join(place).display().to_string());
            damaged.extend(missing.filter(|path| !damaged.contains(path)).collect::<Vec<_>>());
        }
        Ok(Copied { namespace, damaged, bytes })
    }
}

fn write_sqlite(name: &str, store: &Path, folder: &Path) -> Result<NamespaceBackup> {
    let copy = folder.join(STORE);
    sqlite::copy_store(store, &copy)?;
    disk::sync(&copy)?;
    let damage = sqlite::find_damage(&copy)?;
    ensure!(damage.is_empty(), "the store is damaged: {}", damage.join("; "));
    let (bytes, sha256) = disk::digest(&copy)?;
    let path = format!("{}/{STORE}", NamespaceBackup::folder(name));
    Ok(NamespaceBackup {
        name: name.to_owned(),
        namespace: None,
        engine: "sqlite".to_owned(),
        steps: sqlite::schema_steps(&copy)?,
        tables: sqlite::summarise(&copy)?,
        files: vec![FileEntry { path, bytes, sha256 }],
        blobs: 0,
    })
}

fn write_postgres(name: &str, settings: &PostgresConfig, folder: &Path) -> Result<NamespaceBackup> {
    let tables = folder.join("tables");
    disk::make_folder(&tables)?;
    let mut sink = Files { folder: tables, open: None, done: vec![] };
    let (tables, steps) = postgres::export(settings, &mut sink)?;
    sink.close().context("a table was not kept")?;
    let place = NamespaceBackup::folder(name);
    let entry = |(path, bytes, sha256): (PathBuf, u64, String)| {
        let path = format!("{place}/tables/{}", path.file_name().unwrap_or_default().to_string_lossy());
        FileEntry { path, bytes, sha256 }
    };
    let files = sink.done.into_iter().map(entry).collect();
    let (name, engine) = (name.to_owned(), "postgres".to_owned());
    Ok(NamespaceBackup { name, namespace: None, engine, steps, tables, files, blobs: 0 })
}

/// A file of lines per table.
struct Files {
    folder: PathBuf,
    open: Option<LineFile>,
    done: Vec<(PathBuf, u64, String)>,
}

impl Files {
    fn close(&mut self) -> io::Result<()> {
        if let Some(file) = self.open.take() {
            self.done.push(file.finish()?);
        }
        Ok(())
    }
}

impl RowSink for Files {
    fn table(&mut self, name: &str, _: &[String]) -> io::Result<()> {
        self.close()?;
        self.open = Some(LineFile::create(&self.folder.join(format!("{name}.ndjson")))?);
        Ok(())
    }

    fn row(&mut self, line: &str) -> io::Result<()> {
        self.open.as_mut().ok_or_else(|| io::Error::other("a row of no table"))?.line(line)
    }
}
