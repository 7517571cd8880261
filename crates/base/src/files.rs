//! Durable files below one root: message files, blobs.
//!
//! Every change is whole and durable when the call returns: written to a temporary name, synced, renamed, and the
//! directory synced. The simulator's implementation forgets what was not synced.

use std::fmt;
use std::io;

/// A relative path that cannot leave its root: names separated by `/`, none of them empty, `.`, `..` or with NUL or `\`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(String);

impl RelPath {
    /// Checks a path.
    #[must_use]
    pub fn new(path: &str) -> Option<Self> {
        let good = |name: &str| {
            !matches!(name, "" | "." | "..") && name.len() <= 255 && !name.contains(['\0', '\\', '\n', '\r'])
        };
        path.split('/').all(good).then(|| Self(path.to_owned()))
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A change of a file. Each may be made again after a crash: the second time it finds its work done, which is no error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// Writes a whole file; its directory is made if it is missing.
    Put(RelPath, Vec<u8>),
    /// Moves a file; one that lies at its target, and not at its source, was moved before. What lies at the target is replaced.
    Move(RelPath, RelPath),
    /// Removes a file; one that is missing was removed before.
    Remove(RelPath),
}

impl FileChange {
    /// Makes this change alone.
    ///
    /// # Errors
    /// A move finds its file neither at its source nor at its target, or the disk refused.
    pub fn apply_to<F: Files + ?Sized>(&self, files: &F) -> io::Result<()> {
        match self {
            Self::Put(path, bytes) => files.put(path, bytes),
            Self::Remove(path) => files.remove(path),
            Self::Move(from, to) => match files.rename(from, to) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => files.size(to).map(drop),
                renamed => renamed,
            },
        }
    }

    /// The paths that it touches.
    pub fn paths(&self) -> impl Iterator<Item = &RelPath> {
        let (one, other) = match self {
            Self::Put(path, _) | Self::Remove(path) => (path, None),
            Self::Move(from, to) => (from, Some(to)),
        };
        std::iter::once(one).chain(other)
    }
}

/// Files that survive a power cut once the call has returned.
pub trait Files: Send + Sync {
    /// Makes all these changes. One that fails keeps none of the others from being made. Whoever can makes them durable together.
    fn apply(&self, changes: &[FileChange]) -> Vec<io::Result<()>> {
        changes.iter().map(|change| change.apply_to(self)).collect()
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// The file is missing or the disk refused.
    fn size(&self, path: &RelPath) -> io::Result<u64>;

    /// Writes a whole file; readers see the old content or the new one, never a mix.
    ///
    /// # Errors
    /// The disk refused; after a failed sync the old content may or may not have been replaced.
    fn put(&self, path: &RelPath, bytes: &[u8]) -> io::Result<()>;

    /// Reads a whole file of at most `bytes_max` bytes.
    ///
    /// # Errors
    /// The file is missing, too large or cannot be read.
    fn get(&self, path: &RelPath, bytes_max: u64) -> io::Result<Vec<u8>>;

    /// Renames durably; an existing target is replaced.
    ///
    /// # Errors
    /// The source is missing or the disk refused.
    fn rename(&self, from: &RelPath, to: &RelPath) -> io::Result<()>;

    /// Removes a file durably; a missing one is no error, so that a repeated removal is harmless.
    ///
    /// # Errors
    /// The disk refused.
    fn remove(&self, path: &RelPath) -> io::Result<()>;

    /// Names of the files in a directory, sorted; temporary ones are not shown, a missing directory is empty.
    ///
    /// # Errors
    /// The disk refused.
    fn list(&self, directory: &RelPath) -> io::Result<Vec<String>>;

    /// The same with their sizes, and with what else lies there.
    ///
    /// # Errors
    /// The disk refused.
    fn list_sized(&self, directory: &RelPath) -> io::Result<Listed>;

    /// Names of the directories directly below the root, sorted.
    ///
    /// # Errors
    /// The disk refused.
    fn directories(&self) -> io::Result<Vec<String>>;

    /// Makes a directory and all above it, durably; one that is there is no error.
    ///
    /// # Errors
    /// Something else of that name is there, or the disk refused.
    fn make(&self, directory: &RelPath) -> io::Result<()>;
}

/// What lies in a directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listed {
    /// Names and sizes of the files, sorted; temporary ones are not shown.
    pub files: Vec<(String, u64)>,
    /// What is no file, or has a name that no path of ours can have: for people to read, sorted.
    pub others: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_their_root() {
        for bad in ["", "/etc", "a/../b", "..", "a//b", "a/", ".", "a\\b", "a\0b", "a\nb"] {
            assert_eq!(RelPath::new(bad), None, "{bad:?}");
        }
        assert_eq!(RelPath::new("in/2026/x.json").unwrap().as_str(), "in/2026/x.json");
        assert!(RelPath::new("...").is_some() && RelPath::new(&"x".repeat(256)).is_none());
    }
}
