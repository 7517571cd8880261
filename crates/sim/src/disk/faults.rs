//! What can go wrong with a disk, and how often.

use std::collections::BTreeMap;
use std::io;

use crate::rng::Rng;

/// What went wrong at an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DiskFault {
    /// The process ended at an operation.
    Died,
    /// A write found the disk full, after a part of it.
    Full,
    /// A write failed, after a part of it.
    WriteFailed,
    /// Something could not be read.
    ReadFailed,
    /// A sync of a file failed; what it should have written never becomes durable.
    SyncFailed,
    /// A sync of a directory failed; a later one may succeed.
    DirectorySyncFailed,
    /// A sync of a directory failed and the file system is read-only until the power is cut.
    Aborted,
    /// A name could not be changed, and was not.
    NameFailed,
    /// A name was changed, but the answer was an error.
    NameFailedLate,
}

impl DiskFault {
    /// Every fault.
    #[cfg(test)]
    pub const ALL: [Self; 9] = [
        Self::Died,
        Self::Full,
        Self::WriteFailed,
        Self::ReadFailed,
        Self::SyncFailed,
        Self::DirectorySyncFailed,
        Self::Aborted,
        Self::NameFailed,
        Self::NameFailedLate,
    ];

    /// What the caller sees of it.
    pub(super) fn error(self) -> io::Error {
        let kind = match self {
            Self::Full => io::ErrorKind::StorageFull,
            Self::Aborted => io::ErrorKind::ReadOnlyFilesystem,
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, format!("simulated: {self:?}"))
    }
}

/// Chances: each happens once in so many operations of its kind; not at all where nothing is said.
#[derive(Debug, Clone, Default)]
pub struct DiskFaults(BTreeMap<DiskFault, u64>);

impl DiskFaults {
    /// One fault alone.
    #[cfg(test)]
    pub fn only(fault: DiskFault, once_in: u64) -> Self {
        Self(BTreeMap::from([(fault, once_in)]))
    }

    /// The faults of a run: some kinds and not others; `failing` is whether the disk fails at all, or only the process.
    pub fn draw(rng: &mut Rng, failing: bool) -> Self {
        let mut chances = BTreeMap::new();
        let mut some = |fault, often, rare| {
            let (on, chance) = (rng.once_in(2), rng.within(often, rare));
            if on && (failing || fault == DiskFault::Died) {
                chances.insert(fault, chance);
            }
        };
        some(DiskFault::Died, 20, 1_000);
        some(DiskFault::Full, 5, 100);
        some(DiskFault::WriteFailed, 5, 100);
        some(DiskFault::ReadFailed, 20, 1_000);
        some(DiskFault::SyncFailed, 5, 100);
        some(DiskFault::DirectorySyncFailed, 5, 100);
        some(DiskFault::Aborted, 50, 500);
        some(DiskFault::NameFailed, 10, 200);
        some(DiskFault::NameFailedLate, 10, 200);
        Self(chances)
    }

    /// The first of these faults that happens now.
    pub(super) fn strike(&self, rng: &mut Rng, of: &[DiskFault]) -> Option<DiskFault> {
        of.iter().copied().find(|fault| rng.once_in(self.0.get(fault).copied().unwrap_or(0)))
    }
}
