//! One file with its two planes: what programs see, and what is on the disk.

use std::collections::BTreeSet;

use crate::rng::Rng;

/// What the kernel writes at once.
pub(super) const PAGE: usize = 4096;
/// What a disk writes whole.
const SECTOR: usize = 512;

/// What is left of one power cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Loss {
    /// Pages that were changed and not synced.
    pub unsynced: u64,
    /// Of these, pages that reached the disk all the same, whole or in part.
    pub survived: u64,
}

/// What happens at a cut to pages that were not synced: this many of a hundred reach the disk, some only in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Survival(pub u64);

#[derive(Default)]
pub(super) struct File {
    seen: Vec<u8>,
    kept: Vec<u8>,
    dirty: BTreeSet<usize>,
}

impl File {
    /// What programs see.
    pub(super) fn seen(&self) -> &[u8] {
        &self.seen
    }

    pub(super) fn write(&mut self, from: usize, bytes: &[u8]) {
        let to = from + bytes.len();
        if self.seen.len() < to {
            self.resize(to);
        }
        self.seen[from..to].copy_from_slice(bytes);
        self.dirty.extend(from / PAGE..to.div_ceil(PAGE));
    }

    /// What was changed counts as clean, and is not on the disk.
    pub(super) fn forget(&mut self) {
        self.dirty.clear();
    }

    pub(super) fn resize(&mut self, size: usize) {
        let from = self.seen.len().min(size);
        self.seen.resize(size, 0);
        self.dirty.retain(|page| page * PAGE < size);
        self.dirty.extend(from / PAGE..size.div_ceil(PAGE));
    }

    /// A sync.
    pub(super) fn keep_all(&mut self) {
        self.kept.resize(self.seen.len(), 0);
        for page in std::mem::take(&mut self.dirty) {
            let bytes = page * PAGE..((page + 1) * PAGE).min(self.seen.len());
            self.kept[bytes.clone()].copy_from_slice(&self.seen[bytes]);
        }
    }

    /// What was not synced goes, but for what happened to reach the disk.
    pub(super) fn lose(&mut self, survival: Survival, rng: &mut Rng, loss: &mut Loss) {
        for page in std::mem::take(&mut self.dirty) {
            loss.unsynced += 1;
            if rng.percent(survival.0) {
                loss.survived += 1;
                self.keep_some(page, rng);
            }
        }
        self.seen.clone_from(&self.kept);
    }

    /// The page, or in every fourth case only some of its sectors.
    fn keep_some(&mut self, page: usize, rng: &mut Rng) {
        let torn = rng.percent(25);
        let end = ((page + 1) * PAGE).min(self.seen.len());
        for from in (page * PAGE..end).step_by(SECTOR) {
            if torn && rng.percent(50) {
                continue;
            }
            let to = (from + SECTOR).min(end);
            if self.kept.len() < to {
                self.kept.resize(to, 0);
            }
            self.kept[from..to].copy_from_slice(&self.seen[from..to]);
        }
    }
}
