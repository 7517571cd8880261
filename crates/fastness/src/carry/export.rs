//! A namespace becomes an archive, while it serves: its rows as they were at one moment, then the bytes that they refer to.
//!
//! On SQLite the pages are copied first, so that the reading transaction is short and the log does not grow; on PostgreSQL rows are read in
//! one transaction. Blobs come after the rows: they are named by their content, never change, and stay for a grace time after the
//! last row let go of them.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, ensure};
use base::archive::{RowSink, SchemaStep, TableSummary, line_row};
use base::archived::{ArchiveCounts, ArchiveHead, ArchiveWriter};
use base::{BlobName, Blobs, Cell, Engine, Heard, RelPath, Stamp};
use kernel::namespaces::{NamespaceRow, word_of};
use store_postgres::archive as postgres;
use store_sqlite::archive as sqlite;

use crate::backup::disk;
use crate::exchanging;
use crate::stores::Opener;

const FOLDER: &str = "exporting";
/// Larger files of messages are none of ours.
const FILE_MAX: u64 = 256 << 20;

/// Writes a namespace to `to`; blocks.
pub(crate) fn export(
    opener: &Opener,
    row: &NamespaceRow,
    blobs: &Arc<dyn Blobs>,
    id: &str,
    to: &mut (dyn Write + Send),
) -> Result<ArchiveCounts> {
    let scratch = Scratch::make(opener, id)?;
    let snapshot = Snapshot::take(opener, row, &scratch)?;
    let head = ArchiveHead {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        namespace: row.name.clone(),
        label: row.label.clone(),
        engine: word_of(row.engine).to_owned(),
        stamp: Stamp::from_wall(opener.clock().wall()).number(),
        heard: snapshot.heard.0,
        steps: snapshot.steps.clone(),
    };
    let mut sink = Sink::begin(ArchiveWriter::begin(to, head)?, &scratch)?;
    match &snapshot.rows {
        Rows::Sqlite(copy) => drop(sqlite::export(copy, &mut sink)?),
        Rows::Postgres(schema) => drop(postgres::export(schema, &mut sink)?),
    }
    let mut writer = sink.finish()?;
    write_blobs(&mut writer, blobs.as_ref(), &scratch)?;
    write_files(&mut writer, opener, row, &scratch)?;
    Ok(writer.end()?)
}

/// Removes what exports left that were cut off.
pub(crate) fn sweep(opener: &Opener) -> Result<()> {
    disk::remove_tree(&opener.config().data.dir.join(FOLDER))
}

/// A folder of this export's own, gone with it.
struct Scratch(PathBuf);

impl Scratch {
    fn make(opener: &Opener, id: &str) -> Result<Self> {
        let folder = opener.config().data.dir.join(FOLDER).join(id);
        disk::make_folder(&folder)?;
        Ok(Self(folder))
    }

    fn blobs(&self) -> PathBuf {
        self.0.join("blobs.txt")
    }

    fn files(&self) -> PathBuf {
        self.0.join("files.txt")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = disk::remove_tree(&self.0);
    }
}

/// The rows at one moment.
struct Snapshot {
    rows: Rows,
    steps: Vec<SchemaStep>,
    heard: Heard,
}

enum Rows {
    Sqlite(PathBuf),
    Postgres(store_postgres::PostgresConfig),
}

impl Snapshot {
    fn take(opener: &Opener, row: &NamespaceRow, scratch: &Scratch) -> Result<Self> {
        match row.engine {
            Engine::Sqlite => {
                let copy = scratch.0.join("store.db");
                sqlite::copy_store(&opener.folder(&row.place).join("store.db"), &copy)?;
                let heard = store_sqlite::carry::Leaving::open(&copy)?.heard()?;
                Ok(Self { steps: sqlite::schema_steps(&copy)?, rows: Rows::Sqlite(copy), heard })
            }
            Engine::Postgres => {
                let schema = opener.postgres_at(&row.place, row.url.as_ref())?;
                let heard = store_postgres::carry::heard_now(&schema)?;
                Ok(Self { steps: postgres::schema_steps(&schema)?, rows: Rows::Postgres(schema), heard })
            }
        }
    }
}

/// Rows on their way; what they refer to is noted beside.
struct Sink<W: Write> {
    writer: ArchiveWriter<W>,
    table: String,
    columns: Vec<String>,
    blobs: disk::LineFile,
    files: disk::LineFile,
}

impl<W: Write> Sink<W> {
    fn begin(writer: ArchiveWriter<W>, scratch: &Scratch) -> Result<Self> {
        let (blobs, files) = (disk::LineFile::create(&scratch.blobs())?, disk::LineFile::create(&scratch.files())?);
        Ok(Self { writer, table: String::new(), columns: vec![], blobs, files })
    }

    fn finish(self) -> io::Result<ArchiveWriter<W>> {
        self.blobs.finish()?;
        self.files.finish()?;
        Ok(self.writer)
    }

    /// A line per blob: its name, its size, and whether it is known to be damaged.
    fn note_blob(&mut self, line: &str) -> io::Result<()> {
        let row = line_row(line).map_err(io::Error::other)?;
        let at = |name: &str| self.columns.iter().position(|column| column == name).unwrap_or_default();
        let is_damaged = row.0[at("damaged_at")] != Cell::Null;
        self.blobs.line(&format!("{} {} {is_damaged}", row.text(at("name")), row.int(at("size"))))
    }

    /// A line per message that has a file: where it may lie.
    fn note_file(&mut self, line: &str) -> io::Result<()> {
        let paths = exchange::folders::paths_of(&self.columns, &line_row(line).map_err(io::Error::other)?);
        if paths.is_empty() {
            return Ok(());
        }
        let paths: Vec<&str> = paths.iter().map(RelPath::as_str).collect();
        self.files.line(&serde_json::to_string(&paths)?)
    }
}

impl<W: Write + Send> RowSink for Sink<W> {
    fn table(&mut self, name: &str, columns: &[String]) -> io::Result<()> {
        name.clone_into(&mut self.table);
        self.columns = columns.to_vec();
        self.writer.table(name, columns)
    }

    fn row(&mut self, line: &str) -> io::Result<()> {
        match self.table.as_str() {
            "blob" => self.note_blob(line)?,
            "exc_message" => self.note_file(line)?,
            _ => {}
        }
        self.writer.row(line)
    }

    fn ended(&mut self, summary: &TableSummary) -> io::Result<()> {
        self.writer.rows(summary.clone())
    }
}

fn write_blobs<W: Write>(writer: &mut ArchiveWriter<W>, blobs: &dyn Blobs, scratch: &Scratch) -> Result<()> {
    for line in disk::lines(&scratch.blobs())? {
        let line = line?;
        let mut words = line.split(' ');
        let mut word = || words.next().ok_or_else(|| anyhow!("`{line}` names no blob"));
        let (name, size, is_damaged): (BlobName, u64, bool) = (word()?.parse()?, word()?.parse()?, word()?.parse()?);
        if is_damaged {
            writer.missing();
            continue;
        }
        let there = blobs.size(&name).with_context(|| format!("blob {name}"))?;
        ensure!(there == Some(size), "blob {name} is missing: `fastness check` tells more");
        writer
            .blob(&name, size, &mut BlobBytes { blobs, name: &name, at: 0 })
            .with_context(|| format!("blob {name}"))?;
    }
    Ok(())
}

struct BlobBytes<'a> {
    blobs: &'a dyn Blobs,
    name: &'a BlobName,
    at: u64,
}

impl Read for BlobBytes<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.blobs.read(self.name, self.at, bytes)?;
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }
}

fn write_files<W: Write>(
    writer: &mut ArchiveWriter<W>,
    opener: &Opener,
    row: &NamespaceRow,
    scratch: &Scratch,
) -> Result<()> {
    let root = exchanging::folder(opener.config()).join(&row.place);
    for line in disk::lines(&scratch.files())? {
        let paths: Vec<String> = serde_json::from_str(&line?)?;
        let found = paths.iter().find(|path| disk::size(&root.join(path)).is_some_and(|size| size <= FILE_MAX));
        match found.and_then(|path| RelPath::new(path).zip(disk::read_bytes(&root.join(path)).ok())) {
            Some((path, bytes)) => writer.file(&path, &bytes)?,
            // Its text may still be a row; if it is not, the row says so after the next comparison.
            None => writer.missing(),
        }
    }
    Ok(())
}
