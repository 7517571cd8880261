//! The manifest: what a backup holds, written last.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use base::archive::{SchemaStep, TableSummary};
use base::{Engine, Stamp};
use serde::{Deserialize, Serialize};

use super::disk;

pub(super) const NAME: &str = "manifest.json";
/// The form of the folder; a newer one is refused.
pub(crate) const FORMAT: u32 = 1;

/// What a backup holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Form of the folder.
    pub(crate) format: u32,
    /// Version of the program that wrote it.
    pub(crate) program: String,
    /// When it was begun, `yyMMddHHmmssSSS` in UTC.
    pub(crate) stamp: i64,
    /// Its namespaces, each at a moment of its own.
    pub(crate) namespaces: Vec<NamespaceBackup>,
}

/// One namespace in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NamespaceBackup {
    /// Where its rows are, which is its name in backups: another one than its own where the name had an earlier life.
    pub(crate) name: String,
    /// Its own name, where that is another one. Backups of older programs do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) namespace: Option<String>,
    /// `sqlite`: `store.db`; `postgres`: `tables/NAME.ndjson`.
    pub(crate) engine: String,
    /// The schema it was at.
    pub(crate) steps: Vec<SchemaStep>,
    /// Its tables, in the order of their making.
    pub(crate) tables: Vec<TableSummary>,
    /// Its files but the blobs, which `blobs.txt` lists.
    pub(crate) files: Vec<FileEntry>,
    /// Number of its blobs.
    pub(crate) blobs: u64,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    /// Below the backup's folder.
    pub(crate) path: String,
    /// Size.
    pub(crate) bytes: u64,
    /// Digest, hexadecimal.
    pub(crate) sha256: String,
}

impl Manifest {
    pub(super) fn new(stamp: Stamp) -> Self {
        let program = env!("CARGO_PKG_VERSION").to_owned();
        Self { format: FORMAT, program, stamp: stamp.number(), namespaces: vec![] }
    }

    /// Writes it, durably.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        disk::write(&folder.join(NAME), text.as_bytes())
    }

    /// Reads it.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let text = disk::read_text(&path)
            .with_context(|| format!("{} is not a whole backup: its manifest cannot be read", folder.display()))?;
        Self::parse(&text).with_context(|| format!("{} is of no use", path.display()))
    }

    /// What the text of one says.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Form {
            format: u32,
        }
        let Form { format } = serde_json::from_str(text).context("it is damaged")?;
        ensure!(format == FORMAT, "the backup has form {format}, this program knows {FORMAT}: use a newer program");
        serde_json::from_str(text).context("it is damaged")
    }
}

impl NamespaceBackup {
    /// Its engine.
    pub(crate) fn engine(&self) -> Engine {
        if self.engine == "postgres" { Engine::Postgres } else { Engine::Sqlite }
    }

    /// What people call it.
    pub(crate) fn title(&self) -> &str {
        self.namespace.as_ref().unwrap_or(&self.name)
    }

    /// Where its files are, below the backup's folder.
    pub(crate) fn folder(name: &str) -> String {
        format!("namespaces/{name}")
    }
}
