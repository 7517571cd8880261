//! The last few keys of a sensor's signals: a repeat is known by them (SEN-3).

use serde::{Deserialize, Serialize};

/// So many are remembered.
const KEPT: usize = 8;

/// Keys, the oldest first. Of one size, because there may be a million sensors: nothing is allocated to look at them.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub struct Recent {
    /// Zero where there is none.
    keys: [u64; KEPT],
    many: u8,
}

impl Recent {
    /// All of them.
    #[must_use]
    pub fn keys(&self) -> &[u64] {
        &self.keys[..usize::from(self.many)]
    }

    /// Of these, the last few.
    #[must_use]
    pub fn of(keys: &[u64]) -> Self {
        let mut recent = Self::default();
        keys.iter().for_each(|key| recent.push(*key));
        recent
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.many == 0
    }

    /// Whether a key is remembered.
    #[must_use]
    pub fn has(&self, key: u64) -> bool {
        self.keys().contains(&key)
    }

    /// Remembers a key.
    pub fn push(&mut self, key: u64) {
        if self.has(key) {
            return;
        }
        if usize::from(self.many) == KEPT {
            self.keys.rotate_left(1);
        } else {
            self.many += 1;
        }
        self.keys[usize::from(self.many) - 1] = key;
    }

    /// Remembers all of another, which are newer.
    pub fn extend(&mut self, newer: &Self) {
        newer.keys().iter().for_each(|key| self.push(*key));
    }

    /// As it is stored.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.keys().iter().flat_map(|key| key.to_be_bytes()).collect()
    }

    /// From how it is stored.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let key = |chunk: &[u8]| chunk.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        bytes.chunks_exact(8).map(key).collect::<Vec<u64>>().into()
    }
}

impl From<Vec<u64>> for Recent {
    fn from(keys: Vec<u64>) -> Self {
        Self::of(&keys)
    }
}

impl From<Recent> for Vec<u64> {
    fn from(recent: Recent) -> Self {
        recent.keys().to_vec()
    }
}

impl std::fmt::Debug for Recent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.keys()).finish()
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
