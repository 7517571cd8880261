//! Chance from a seed: the one source of every choice in a run.

use std::sync::{Arc, Mutex, PoisonError};

use base::Entropy;

/// A small generator (SplitMix64); good enough to choose by, the same everywhere.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// A number from `low` to `high`, both included.
    pub fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// True once in `n` times; never if `n` is 0.
    pub fn once_in(&mut self, n: u64) -> bool {
        n > 0 && self.below(n) == 0
    }

    /// One of some.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let at = usize::try_from(self.below(of.len() as u64)).unwrap_or(0);
        &of[at]
    }

    /// A generator of its own, so that its use does not shift the choices of others.
    pub fn fork(&mut self) -> Self {
        Self::new(self.next())
    }
}

/// The generator as the kernel's chance.
#[derive(Clone)]
pub struct SimEntropy(Arc<Mutex<Rng>>);

impl SimEntropy {
    /// Chance from a generator of its own.
    pub fn new(rng: Rng) -> Self {
        Self(Arc::new(Mutex::new(rng)))
    }
}

impl Entropy for SimEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        let mut rng = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.iter_mut().for_each(|byte| *byte = rng.next().to_le_bytes()[0]);
    }
}
