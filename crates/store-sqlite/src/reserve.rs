//! The reserve (KER-31): a file of zeroes beside the database that is given up when the disk is full, so that work can
//! still be ended and room be freed. Making it again is the proof that there is room.
#![expect(clippy::disallowed_methods, reason = "an engine owns the files beside its database")]

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const CHUNK: usize = 64 * 1024;
/// Room beyond the reserve that proves that the disk is not full any more.
const MARGIN: u64 = 1 << 20;

/// Room kept on the disk.
pub(crate) struct Reserve {
    path: PathBuf,
    bytes: u64,
}

impl Reserve {
    pub(crate) fn beside(database: &Path, bytes: u64) -> Self {
        Self { path: database.with_extension("reserve"), bytes }
    }

    /// Makes the reserve if it is not whole already.
    pub(crate) fn make(&self) -> io::Result<()> {
        if self.bytes == 0 || fs::metadata(&self.path).is_ok_and(|meta| meta.len() == self.bytes) {
            return Ok(());
        }
        self.write().inspect_err(|_| self.give_up())
    }

    /// Gives the room back to the disk.
    pub(crate) fn give_up(&self) {
        if let Err(error) = fs::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = %self.path.display(), %error, "the reserve cannot be given up");
        }
    }

    /// Written longer than it stays: room for the reserve alone may be no more than what it gave up itself.
    fn write(&self) -> io::Result<()> {
        let mut file = File::create(&self.path)?;
        let mut left = self.bytes + self.bytes.min(MARGIN);
        while left > 0 {
            let length = usize::try_from(left).map_or(CHUNK, |left| left.min(CHUNK));
            file.write_all(&[0; CHUNK][..length])?;
            left -= length as u64;
        }
        file.set_len(self.bytes)?;
        file.sync_all()
    }
}
