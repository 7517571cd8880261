//! What the protocol of [`super::DiskFiles`] needs of a disk: directories by their handles, and the names in them.
//!
//! This is the line between what is simulated and what is not: the real one is [`super::Directory`], the simulator brings
//! a disk that forgets what was not synced. Everything about order and durability lies above it.

use std::fmt;
use std::io::{self, Read, Write};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A link, a FIFO, a device: never touched.
    Other,
}

/// An open directory. Names have no `/` in them and are not `.` or `..`; links are never followed.
pub trait Folder: fmt::Debug + Send + Sync + Sized + 'static {
    /// A file of such a directory, opened.
    type File: OpenFile;

    /// The same directory by a handle of its own: a duplicate would share the memory of failed syncs.
    ///
    /// # Errors
    /// The disk refused.
    fn reopen(&self) -> io::Result<Self>;

    /// The directory `name` in this one.
    ///
    /// # Errors
    /// It is missing or no directory, or the disk refused.
    fn enter(&self, name: &str) -> io::Result<Self>;

    /// Makes the directory `name`; `false` if something of that name is there.
    ///
    /// # Errors
    /// The disk refused.
    fn make(&self, name: &str) -> io::Result<bool>;

    /// A new file of that name, to write.
    ///
    /// # Errors
    /// The name is taken ([`io::ErrorKind::AlreadyExists`]), or the disk refused.
    fn create(&self, name: &str) -> io::Result<Self::File>;

    /// An existing regular file, to read.
    ///
    /// # Errors
    /// It is missing or not regular ([`io::ErrorKind::InvalidInput`]), or the disk refused.
    fn open_regular(&self, name: &str) -> io::Result<Self::File>;

    /// What the name stands for.
    ///
    /// # Errors
    /// Nothing of that name is there, or the disk refused.
    fn kind(&self, name: &str) -> io::Result<EntryKind>;

    /// Refuses what is not a regular file.
    ///
    /// # Errors
    /// As [`Folder::open_regular`].
    fn must_be_regular(&self, name: &str) -> io::Result<()> {
        if self.kind(name)? == EntryKind::Regular { Ok(()) } else { Err(not_regular()) }
    }

    /// Whether two names are two entries that stand for one file, as a power cut in a rename may leave them. `false` if
    /// one of them is missing, and if both are one entry on a disk that does not tell upper from lower case.
    ///
    /// # Errors
    /// The disk refused.
    fn are_twins(&self, name: &str, target: &Self, other: &str) -> io::Result<bool>;

    /// Renames; an existing file of the new name is replaced. Of twins both stay, as POSIX has it.
    ///
    /// # Errors
    /// The source is missing, or the disk refused; it may have been done all the same.
    fn rename(&self, old: &str, target: &Self, new: &str) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// It is missing or a directory, or the disk refused; it may have been done all the same.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Makes the names in this directory durable.
    ///
    /// # Errors
    /// The disk failed; which of them are durable is unknown.
    fn sync(&self) -> io::Result<()>;

    /// Makes the contents of these files durable, each by its own handle, and tells of each. Whoever can does it side by side: a
    /// journal then commits for many at once.
    fn sync_files(files: &[Self::File]) -> Vec<io::Result<()>> {
        files.iter().map(OpenFile::sync).collect()
    }

    /// Makes all durable that was written to this disk, whoever wrote it. A handle that was opened before the writing tells of every
    /// failure since.
    ///
    /// # Errors
    /// The disk failed: nobody knows what is durable.
    fn sync_disk(&self) -> io::Result<()>;

    /// Bytes that may still be written to the disk.
    ///
    /// # Errors
    /// The disk refused.
    fn room(&self) -> io::Result<u64> {
        Ok(u64::MAX)
    }

    /// All names in UTF-8 with their kinds, in no order. Others cannot be ours.
    ///
    /// # Errors
    /// The disk refused.
    fn entries(&self) -> io::Result<Vec<(String, EntryKind)>>;

    /// All that lies here, in no order, with the sizes of regular files. Names that are not UTF-8 are shown as well as can be, and
    /// told as [`EntryKind::Other`], because nobody can name them.
    ///
    /// # Errors
    /// The disk refused.
    fn sized_entries(&self) -> io::Result<Vec<(String, EntryKind, u64)>>;
}

/// An open file.
pub trait OpenFile: Read + Write + Send + Sync + 'static {
    /// Its size in bytes.
    ///
    /// # Errors
    /// The disk refused.
    fn size(&self) -> io::Result<u64>;

    /// Goes on reading from this byte on.
    ///
    /// # Errors
    /// The disk refused.
    fn go_to(&mut self, offset: u64) -> io::Result<()>;

    /// Makes its content durable.
    ///
    /// # Errors
    /// The disk failed: nobody knows what is durable, and another sync that succeeds does not tell either.
    fn sync(&self) -> io::Result<()>;
}

/// The refusal of what is not a regular file.
pub(super) fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}
