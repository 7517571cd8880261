//! Contents of files: each is another one, and known by its number.

use base::archive::hex;
use sha2::{Digest, Sha256};

use crate::rng::Rng;

/// Nothing, less than a page, and more than devices send in one piece (1 MiB), in turn.
const SIZES: [usize; 8] = [1_000, 0, 70_000, 1_300_000, 5_000, 300_000, 20_000, 2_600_000];

/// The content of this number.
pub(super) fn content(number: u64) -> Vec<u8> {
    let turn = usize::try_from(number).unwrap_or(0) % SIZES.len();
    let (mut rng, size) = (Rng::new(number), SIZES[turn]);
    let words = std::iter::repeat_with(|| rng.number().to_le_bytes()).flatten();
    words.take(size).collect()
}

/// SHA-256 as a text.
pub(super) fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_differ_and_come_again() {
        assert_eq!(content(3), content(3));
        assert_eq!([content(1).len(), content(3).len()], [0, 1_300_000]);
        assert_ne!(digest(&content(3)), digest(&content(11)));
    }
}
