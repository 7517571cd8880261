//! Files of backups and restored data: copied, digested and synced.
//!
//! The one place of the program that touches such files. It never opens a database that a server of this process may
//! have open: closing such a handle would drop SQLite's locks.
#![expect(clippy::disallowed_methods, reason = "backups are plain files, beside the server's own")]

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use base::archive::hex;
use sha2::{Digest, Sha256};

const CHUNK: usize = 256 * 1024;

/// Folders in `folder` whose name is `prefix` and the 15 digits of a stamp, sorted.
pub(crate) fn children(folder: &Path, prefix: &str) -> Result<Vec<PathBuf>> {
    let stamped = |name: &str| {
        name.strip_prefix(prefix).is_some_and(|stamp| stamp.len() == 15 && stamp.bytes().all(|c| c.is_ascii_digit()))
    };
    let mut found = entries(folder)?;
    found.retain(|path| path.file_name().is_some_and(|name| stamped(&name.to_string_lossy())) && path.is_dir());
    Ok(found)
}

/// What is in a folder, sorted; nothing if it is missing.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        read => read.with_context(|| format!("{} cannot be listed", folder.display()))?,
    };
    let mut found = read.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    found.sort();
    Ok(found)
}

/// All regular files below a folder, sorted.
pub(crate) fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![];
    for entry in entries(folder)? {
        let kind = fs::symlink_metadata(&entry)?.file_type();
        if kind.is_dir() {
            found.extend(files_below(&entry)?);
        } else if kind.is_file() {
            found.push(entry);
        }
    }
    Ok(found)
}

/// Removes a folder with all it holds; a missing one is no error.
pub(crate) fn remove_tree(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.with_context(|| format!("{} cannot be removed", folder.display())),
    }
}

/// Makes a folder and what is missing above it, synced.
pub(crate) fn make_folder(folder: &Path) -> Result<()> {
    host::make_root(folder).with_context(|| format!("{} cannot be made", folder.display()))
}

/// Renames, and syncs the folders of both names.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).with_context(|| format!("{} cannot be renamed to {}", from.display(), to.display()))?;
    sync_above(from)?;
    sync_above(to)
}

fn sync_above(path: &Path) -> Result<()> {
    let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    sync(above)
}

/// Makes a file or a folder's names durable.
pub(crate) fn sync(path: &Path) -> Result<()> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.with_context(|| format!("{} cannot be synced", path.display()))
}

/// Makes the names in a folder and in all below it durable.
pub(crate) fn sync_tree(folder: &Path) -> Result<()> {
    for entry in entries(folder)? {
        if fs::symlink_metadata(&entry)?.is_dir() {
            sync_tree(&entry)?;
        }
    }
    sync(folder)
}

/// Writes a new file, durably.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let work = || -> io::Result<()> {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    work().with_context(|| format!("{} cannot be written", path.display()))?;
    sync_above(path)
}

/// Writes a file that is there whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let making = path.with_extension("making");
    write(&making, bytes)?;
    rename(&making, path)
}

/// Removes a file; a missing one is no error.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.with_context(|| format!("{} cannot be removed", path.display())),
    }
}

/// Reads a text file.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}

/// Reads a small file.
pub(crate) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path)
}

/// The lines of a file.
pub(crate) fn lines(path: &Path) -> io::Result<impl Iterator<Item = io::Result<String>> + Send + use<>> {
    Ok(BufReader::with_capacity(CHUNK, File::open(path)?).lines())
}

/// Size and digest of a file.
pub(crate) fn digest(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    pass(&mut file, &mut io::sink())
}

/// Copies a file to a new one, synced; gives size and digest of what was read.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<(u64, String)> {
    let (mut source, mut target) = (File::open(from)?, File::create(to)?);
    let copied = pass(&mut source, &mut target)?;
    target.sync_all()?;
    Ok(copied)
}

/// A second name for a file, if the disk can.
pub(crate) fn link(from: &Path, to: &Path) -> bool {
    fs::hard_link(from, to).is_ok()
}

/// Size of a regular file.
pub(crate) fn size(path: &Path) -> Option<u64> {
    fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).map(|meta| meta.len())
}

/// When a file was written last, by the calendar of that time.
pub(crate) fn written_ms(path: &Path) -> Option<i64> {
    let written = fs::symlink_metadata(path).ok()?.modified().ok()?;
    let since = written.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

fn pass(source: &mut impl Read, target: &mut impl Write) -> io::Result<(u64, String)> {
    let (mut hash, mut bytes, mut chunk) = (Sha256::new(), 0, vec![0; CHUNK]);
    loop {
        let read = source.read(&mut chunk)?;
        if read == 0 {
            return Ok((bytes, hex(&hash.finalize())));
        }
        hash.update(&chunk[..read]);
        target.write_all(&chunk[..read])?;
        bytes += read as u64;
    }
}

/// A file of lines under way: digested as it is written.
pub(crate) struct LineFile {
    path: PathBuf,
    file: io::BufWriter<File>,
    hash: Sha256,
    bytes: u64,
}

impl LineFile {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = io::BufWriter::with_capacity(CHUNK, File::create(path)?);
        Ok(Self { path: path.to_owned(), file, hash: Sha256::new(), bytes: 0 })
    }

    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        for part in [line.as_bytes(), b"\n"] {
            self.hash.update(part);
            self.file.write_all(part)?;
            self.bytes += part.len() as u64;
        }
        Ok(())
    }

    /// Makes it durable; gives its path, size and digest.
    pub(crate) fn finish(self) -> io::Result<(PathBuf, u64, String)> {
        self.file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        Ok((self.path, self.bytes, hex(&self.hash.finalize())))
    }
}

/// Refuses a path that could lead elsewhere: manifests are read from disks that others may have written.
pub(crate) fn below(folder: &Path, relative: &str) -> Result<PathBuf> {
    ensure!(base::RelPath::new(relative).is_some(), "`{relative}` is not a path inside of a backup");
    Ok(folder.join(relative))
}
