//! The person's own machine, as far as commands need it: its clock, its files, waiting.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a command runs in its user's world, not in the simulator"
)]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use base::Wall;

/// Largest file that is sent from memory.
pub(crate) const FILE_MAX: u64 = 2 << 30;

/// The calendar.
pub(crate) fn now() -> Wall {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Wall(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// Lets time pass.
pub(crate) async fn pause(pause: Duration) {
    tokio::time::sleep(pause).await; // tidy: sleep — the pause between two looks of `--follow`
}

/// A file to read, of any size.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// All bytes of a file; `-` is the standard input.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path == Path::new("-") {
        return limited(io::stdin().lock());
    }
    limited(File::open(path)?)
}

fn limited(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    from.take(FILE_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_MAX {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("more than {FILE_MAX} bytes")));
    }
    Ok(bytes)
}

/// A file to write; beside its place until [`Draft::keep`], so that half of it is never taken for the whole.
pub(crate) struct Draft<'a> {
    file: File,
    path: &'a Path,
    beside: PathBuf,
    kept: bool,
}

impl<'a> Draft<'a> {
    /// Begins it.
    pub(crate) fn of(path: &'a Path) -> io::Result<Self> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let beside = path.with_file_name(name);
        Ok(Self { file: File::create(&beside)?, path, beside, kept: false })
    }

    /// What was written so far, to be read from its beginning.
    pub(crate) fn reopen(&self) -> io::Result<File> {
        self.file.sync_all()?;
        File::open(&self.beside)
    }

    /// Puts it into its place.
    pub(crate) fn keep(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.beside, self.path)?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.kept {
            // Half a file is of no use to anybody; if it stays, its name says what it is.
            let _ = fs::remove_file(&self.beside);
        }
    }
}

impl Write for Draft<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The text of a small file; `None` if there is none.
pub(crate) fn text(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a file that only its owner may read, whole or not at all.
pub(crate) fn write_secret(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension("new");
    let _ = fs::remove_file(&beside);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)
}

/// Names in a folder as far as they are text, in their order, and which of them are folders; nothing is followed.
pub(crate) fn entries(folder: &Path) -> io::Result<Vec<(String, bool)>> {
    let mut entries = vec![];
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        entries.extend(entry.file_name().into_string().ok().map(|name| (name, is_folder)));
    }
    entries.sort();
    Ok(entries)
}

/// Writes a file that others read, whole or not at all; folders that are missing are made.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut draft = Draft::of(path)?;
    draft.write_all(text.as_bytes())?;
    draft.keep()
}

/// Adds to the end of a file, which is made if it is not there.
pub(crate) fn append(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Removes a file; whether it was there.
pub(crate) fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
