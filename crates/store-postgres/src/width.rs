//! How many jobs of different keys share a transaction: many while nobody disturbs, few where others come between.
//!
//! A wide transaction saves commits and breaks easily, and two wide ones of two processes may lock the same rows in
//! different orders, which the server notices only after a second. So each such meeting halves the width, and each
//! undisturbed commit widens it by one.

use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) struct Width {
    now: AtomicUsize,
    max: usize,
}

impl Width {
    pub(crate) fn new(max: usize) -> Self {
        Self { now: AtomicUsize::new(max), max }
    }

    pub(crate) fn get(&self) -> usize {
        self.now.load(Ordering::Relaxed)
    }

    /// Learns from a transaction of several jobs. Two workers may learn at once; the one that is lost does not matter.
    pub(crate) fn learn(&self, met_another: bool) {
        let now = self.get();
        let next = if met_another { (now / 2).max(1) } else { (now + 1).min(self.max) };
        self.now.store(next, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_narrows_quickly_and_widens_slowly_within_its_bounds() {
        let width = Width::new(16);
        let after = |met: &[bool]| {
            met.iter().for_each(|met_another| width.learn(*met_another));
            width.get()
        };
        assert_eq!(after(&[false]), 16);
        assert_eq!(after(&[true]), 8);
        assert_eq!(after(&[true; 10]), 1);
        assert_eq!(after(&[false, false]), 3);
        assert_eq!(after(&[false; 100]), 16);
    }
}
