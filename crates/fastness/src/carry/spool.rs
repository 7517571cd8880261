//! Archives on their way in lie in `<data>/arriving` until they are stores: `upload-…` while they come, `<namespace>-<sha256>.archive` when
//! they are whole.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use base::archive::RowSource;

use crate::backup::disk;

const FOLDER: &str = "arriving";

/// Where an archive lies that is being imported.
pub(crate) fn path(data: &Path, name: &str, digest: &str) -> PathBuf {
    data.join(FOLDER).join(format!("{name}-{digest}.archive"))
}

/// An archive that is being received. Dropped, it leaves nothing.
pub(crate) struct Upload {
    path: PathBuf,
    file: Option<io::BufWriter<File>>,
}

impl Upload {
    #[expect(clippy::disallowed_methods, reason = "archives are plain files, beside the server's own")]
    pub(crate) fn begin(data: &Path, id: &str) -> Result<Self> {
        let folder = data.join(FOLDER);
        disk::make_folder(&folder)?;
        let path = folder.join(format!("upload-{id}"));
        let file = File::create(&path).with_context(|| format!("{} cannot be made", path.display()))?;
        Ok(Self { path, file: Some(io::BufWriter::new(file)) })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.as_mut().ok_or_else(|| io::Error::other("it is closed"))?.write_all(bytes)
    }

    /// Makes it durable; gives where it lies until it is kept.
    pub(crate) fn close(&mut self) -> Result<&Path> {
        if let Some(file) = self.file.take() {
            file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        }
        Ok(&self.path)
    }

    /// Gives it the name under which it is imported.
    pub(crate) fn keep(self, data: &Path, name: &str, digest: &str) -> Result<()> {
        disk::rename(&self.path, &path(data, name, digest))
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        // Renamed, or of no use to anybody.
        let _ = disk::remove(&self.path);
    }
}

/// Removes archives of which nobody knows any more.
pub(crate) fn sweep(data: &Path, known: &[PathBuf]) -> Result<()> {
    let wanted = |path: &PathBuf| known.contains(path);
    disk::entries(&data.join(FOLDER))?.iter().filter(|path| !wanted(path)).try_for_each(|path| disk::remove(path))
}

/// Opens an archive.
#[expect(clippy::disallowed_methods, reason = "archives are plain files, beside the server's own")]
pub(crate) fn open(path: &Path) -> io::Result<BufReader<File>> {
    Ok(BufReader::with_capacity(256 << 10, File::open(path)?))
}

/// The rows of an archive by their tables.
pub(crate) struct ArchivedRows {
    pub(crate) path: PathBuf,
    /// Where each table begins.
    pub(crate) tables: Vec<(String, u64)>,
}

impl RowSource for ArchivedRows {
    fn lines(&self, table: &str) -> io::Result<Box<dyn Iterator<Item = io::Result<String>> + Send>> {
        let at = self.tables.iter().find(|(name, _)| name == table).map(|(_, at)| *at);
        let mut file = open(&self.path)?;
        file.seek(SeekFrom::Start(at.ok_or_else(|| io::Error::other("no such table"))?))?;
        let is_row = |line: &io::Result<String>| line.as_ref().map_or(true, |line| line.starts_with('['));
        Ok(Box::new(file.lines().take_while(is_row)))
    }
}
