//! The bytes of one file, twice: as they are shown, and as they are on the plates.

use std::collections::BTreeSet;

use crate::rng::Rng;

/// What a disk writes whole, if it writes it.
pub(super) const SECTOR: usize = 512;

/// The content of a file. Only the end of a file can be written: nothing of ours overwrites in place.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    shown: Vec<u8>,
    durable: Vec<u8>,
    /// Sectors that the next sync will write. After a failed one they are forgotten, though they are not durable.
    dirty: BTreeSet<usize>,
}

impl Content {
    pub(super) fn settled(bytes: Vec<u8>) -> Self {
        Self { shown: bytes.clone(), durable: bytes, dirty: BTreeSet::new() }
    }

    pub(super) fn shown(&self) -> &[u8] {
        &self.shown
    }

    pub(super) fn append(&mut self, bytes: &[u8]) {
        let from = self.shown.len() / SECTOR;
        self.shown.extend_from_slice(bytes);
        self.dirty.extend(from..self.shown.len().div_ceil(SECTOR));
    }

    /// What is dirty becomes durable.
    pub(super) fn sync(&mut self) {
        self.durable.resize(self.shown.len(), 0);
        for sector in std::mem::take(&mut self.dirty) {
            let end = self.shown.len().min((sector + 1) * SECTOR);
            let bytes = sector * SECTOR..end;
            self.durable[bytes.clone()].copy_from_slice(&self.shown[bytes]);
        }
    }

    /// The sync failed: as on ext4 the pages are taken for clean from now on, so no later sync writes them.
    pub(super) fn fail_sync(&mut self) {
        self.dirty.clear();
    }

    /// What is there after the power came back: what was durable, some part of what was written since, or a mix.
    pub(super) fn after_cut(&self, rng: &mut Rng) -> Vec<u8> {
        if self.shown == self.durable {
            return self.durable.clone();
        }
        match rng.below(3) {
            0 => self.durable.clone(),
            1 => self.prefix(rng),
            _ => self.mix(rng),
        }
    }

    /// Written up to somewhere; not less than what was synced whole.
    fn prefix(&self, rng: &mut Rng) -> Vec<u8> {
        let synced = if self.shown.starts_with(&self.durable) { self.durable.len() } else { 0 };
        let end = rng.within(synced as u64, self.shown.len() as u64);
        self.shown[..usize::try_from(end).unwrap_or(synced)].to_vec()
    }

    /// Each sector was written or not; one that never was reads as zeros.
    fn mix(&self, rng: &mut Rng) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        bytes.resize(self.shown.len(), 0);
        for (sector, written) in self.shown.chunks(SECTOR).enumerate() {
            if rng.once_in(2) {
                bytes[sector * SECTOR..][..written.len()].copy_from_slice(written);
            }
        }
        bytes
    }
}
