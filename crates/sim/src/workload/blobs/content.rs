//! Few contents, so that uploads of the same bytes meet.

use base::Sha;
use sha2::{Digest, Sha256};

use crate::rng::Rng;

/// How many there are.
const CONTENTS: u64 = 4;

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Content(u64);

impl Content {
    /// Any of them.
    pub fn draw(rng: &mut Rng) -> Self {
        Self(rng.below(CONTENTS))
    }

    /// Within a sector, over several, none.
    pub(super) fn bytes(self) -> Vec<u8> {
        let length = [5, 600, 3_000, 0][usize::try_from(self.0).unwrap_or(0)];
        vec![u8::try_from(self.0).unwrap_or(0) + 1; length]
    }

    /// Its hash.
    pub fn sha(self) -> Sha {
        sha(&self.bytes())
    }
}

/// The hash of some bytes.
pub(super) fn sha(bytes: &[u8]) -> Sha {
    Sha(Sha256::digest(bytes).into())
}
