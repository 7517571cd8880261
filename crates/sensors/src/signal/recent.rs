//! The last few keys of a sensor's signals: a repeat is known by them (SEN-3).

use serde::{Deserialize, Serialize};

/// So many are remembered.
const KEPT: usize = 8;

/// Keys, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Recent(Vec<u64>);

impl Recent {
    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a key is remembered.
    #[must_use]
    pub fn has(&self, key: u64) -> bool {
        self.0.contains(&key)
    }

    /// Remembers a key.
    pub fn push(&mut self, key: u64) {
        if !self.has(key) {
            if self.0.len() == KEPT {
                self.0.remove(0);
            }
            self.0.push(key);
        }
    }

    /// Remembers all of another, which are newer.
    pub fn extend(&mut self, newer: &Self) {
        newer.0.iter().for_each(|key| self.push(*key));
    }

    /// As it is stored.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|key| key.to_be_bytes()).collect()
    }

    /// From how it is stored.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let key = |chunk: &[u8]| chunk.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        Self(bytes.chunks_exact(8).map(key).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_3_the_last_eight_are_remembered() {
        let mut recent = Recent::default();
        (1..=9).for_each(|key| recent.push(key));
        recent.push(9);
        assert!(!recent.has(1) && (2..=9).all(|key| recent.has(key)));
        assert_eq!(Recent::from_bytes(&recent.bytes()), recent);
    }
}
