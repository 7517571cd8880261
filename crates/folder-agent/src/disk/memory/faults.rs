//! What goes wrong on a disk in memory, when a test wants it to.

use std::collections::BTreeMap;
use std::io;

use super::MemoryDisk;

/// What the disk says when it refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// No space is left (ENOSPC).
    NoSpace,
    /// The device failed (EIO).
    Device,
}

impl Fault {
    pub(super) fn error(self) -> io::Error {
        match self {
            Self::NoSpace => io::Error::from_raw_os_error(28),
            Self::Device => io::Error::from_raw_os_error(5),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Faults {
    calls: u64,
    at: BTreeMap<u64, Fault>,
    bytes_max: Option<u64>,
    no_backups: bool,
    /// Files that are written while they are set aside.
    written_meanwhile: BTreeMap<String, Vec<u8>>,
}

impl MemoryDisk {
    /// How many calls of [`crate::disk::Disk`] there were.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.faults.calls
    }

    /// The call after so many more fails.
    pub fn fail_after(&mut self, calls: u64, fault: Fault) {
        self.faults.at.insert(self.faults.calls + calls + 1, fault);
    }

    /// The size of the disk in bytes; `None`: without end.
    pub fn set_size(&mut self, bytes_max: Option<u64>) {
        self.faults.bytes_max = bytes_max;
    }

    /// No backup can be made from now on, or can again.
    pub fn refuse_backups(&mut self, refuse: bool) {
        self.faults.no_backups = refuse;
    }

    /// The next time this file is set aside, it is written in the middle of it.
    pub fn write_while_set_aside(&mut self, path: &str, bytes: &[u8]) {
        self.faults.written_meanwhile.insert(path.to_owned(), bytes.to_vec());
    }

    pub(super) fn size(&self) -> Option<u64> {
        self.faults.bytes_max
    }

    pub(super) fn take_written_meanwhile(&mut self, path: &str) -> Option<Vec<u8>> {
        self.faults.written_meanwhile.remove(path)
    }

    /// Every call begins with this.
    pub(super) fn call(&mut self) -> io::Result<()> {
        self.faults.calls += 1;
        self.faults.at.remove(&self.faults.calls).map_or(Ok(()), |fault| Err(fault.error()))
    }

    /// How many of so many more bytes fit.
    pub(super) fn fitting(&self, bytes: u64) -> u64 {
        let free = self.faults.bytes_max.map(|max| max.saturating_sub(self.world.bytes_used()));
        free.map_or(bytes, |free| free.min(bytes))
    }

    pub(super) fn may_back_up(&self) -> io::Result<()> {
        if self.faults.no_backups {
            return Err(Fault::NoSpace.error());
        }
        Ok(())
    }
}
