//! Where sessions keep bytes: the real place of blobs on a disk that does not fail. Its own faults are the matter of another world.

use base::{Blobs, Heard, Id, OpResult, Sha, Wall};
use host::DiskBlobs;
use kernel::blobs::{Stored, Upload};
use sha2::{Digest, Sha256};

use crate::disk::{DiskFaults, SimDisk, SimFolder};
use crate::rng::Rng;

const SIZE_MAX: u64 = 1 << 21;

/// The place, which outlives every process.
pub(crate) struct Depot {
    blobs: DiskBlobs<SimFolder>,
    uploads: u64,
}

impl Depot {
    /// An empty one.
    ///
    /// # Panics
    /// A disk without faults fails.
    pub(crate) fn new() -> Self {
        let disk = SimDisk::new(Rng::new(0), DiskFaults::default());
        Self { blobs: DiskBlobs::below(disk.root()).expect("a place on an empty disk"), uploads: 0 }
    }

    pub(crate) fn blobs(&self) -> &dyn Blobs {
        &self.blobs
    }

    /// Puts bytes down; their row is still to be written.
    pub(crate) fn keep(&mut self, bytes: &[u8], now: Heard) -> OpResult<Stored> {
        self.uploads += 1;
        let mut name = [0; 10];
        name[2..].copy_from_slice(&self.uploads.to_be_bytes());
        let sha = Sha(Sha256::digest(bytes).into());
        let mut upload = Upload::begin(&self.blobs, Id::new(Wall(0), name), Some(sha), None, SIZE_MAX)?;
        upload.write(bytes)?;
        upload.finish(now)
    }
}
