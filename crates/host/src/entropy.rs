//! Chance from the operating system.
//!
//! Deliberately not here: a generator of our own. The kernel's is fast enough, and it is right after a fork or a restored
//! machine image, where one of ours would repeat itself.

use base::Entropy;

/// The operating system's generator.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsEntropy;

impl Entropy for OsEntropy {
    /// # Panics
    /// If the operating system has no chance to give: keys made without would be guessable.
    fn fill(&self, bytes: &mut [u8]) {
        if let Err(error) = getrandom::fill(bytes) {
            panic!("the operating system gives no entropy: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_draws_differ_and_fill_everything() {
        let mut draws = [[0u8; 32]; 2];
        draws.iter_mut().for_each(|draw| OsEntropy.fill(draw));
        assert_ne!(draws[0], draws[1]);
        let mut large = vec![0u8; 100_000];
        OsEntropy.fill(&mut large);
        assert!(large.chunks(1_000).all(|chunk| chunk.iter().any(|byte| *byte != 0)));
    }

    #[test]
    fn numbers_stay_below_their_bound() {
        assert!((0..1_000).all(|_| OsEntropy.below(7) < 7));
        assert_eq!(OsEntropy.below(0), 0);
    }
}
