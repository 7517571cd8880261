//! Time-ordered ids: 48 bits of milliseconds, 80 bits of chance, written as 26 characters that sort like the number.
//!
//! Time order matters: random keys in an indexed column cost two to four times as much per insert.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::mutants::{self, Mutant};
use crate::time::Wall;

/// Crockford's alphabet: no I, L, O, U, so that nobody misreads an id on the phone.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 26;

/// A time-ordered identifier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Id(u128);

/// A text that is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an id (26 characters 0-9, A-Z without I, L, O, U)")]
pub struct InvalidId(String);

impl Id {
    /// An id of the moment `wall` with 80 bits of chance.
    #[must_use]
    pub fn new(wall: Wall, chance: [u8; 10]) -> Self {
        let ms = u128::from(wall.0.unsigned_abs() & 0xFFFF_FFFF_FFFF);
        let low = chance.iter().fold(0u128, |sum, byte| sum << 8 | u128::from(*byte));
        Self(ms << 80 | low)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0u8; LENGTH];
        for (place, slot) in text.iter_mut().rev().enumerate() {
            *slot = ALPHABET[(self.0 >> (5 * place)) as usize & 31];
        }
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Id {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let invalid = || InvalidId(text.chars().take(40).collect());
        if text.len() != LENGTH || text.as_bytes()[0] > b'7' {
            return Err(invalid());
        }
        let digit = |c: u8| ALPHABET.iter().position(|a| *a == c);
        let fold = |sum: u128, c: u8| digit(c).map(|d| sum << 5 | d as u128);
        text.bytes().try_fold(0, fold).map(Id).ok_or_else(invalid)
    }
}

impl From<Id> for String {
    fn from(id: Id) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for Id {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<Self, InvalidId> {
        text.parse()
    }
}

/// The ids of one request. Every attempt starts again from the first, so a repeated operation makes the same ids.
#[derive(Debug, Clone)]
pub struct IdSource {
    first: Id,
    taken: u128,
}

impl IdSource {
    /// Ids that follow `first`, `first` itself being the request's own.
    #[must_use]
    pub fn after(first: Id) -> Self {
        Self { first, taken: if mutants::on(Mutant::IdsPerAttempt) { per_attempt() } else { 0 } }
    }

    /// The next id of this request.
    pub fn take(&mut self) -> Id {
        self.taken += 1;
        Id(self.first.0.wrapping_add(self.taken))
    }
}

/// What the mutant adds: a number that is another one each time.
fn per_attempt() -> u128 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static ATTEMPTS: AtomicU64 = AtomicU64::new(0);
    u128::from(ATTEMPTS.fetch_add(1, Ordering::Relaxed)) << 40
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_number_agree_and_sort_alike() {
        let early = Id::new(Wall(1_000), [255; 10]);
        let late = Id::new(Wall(1_001), [0; 10]);
        assert!(early < late && early.to_string() < late.to_string());
        assert_eq!(early.to_string().parse(), Ok(early));
        assert_eq!(Id::new(Wall(0), [0; 10]).to_string(), "0".repeat(26));
    }

    #[test]
    fn bad_texts_are_refused() {
        for bad in ["", "0", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "0000000000000000000000000I", "é0000000000000000000000000"]
        {
            assert!(bad.parse::<Id>().is_err(), "{bad}");
        }
    }

    #[test]
    fn ids_of_a_request_are_the_same_over_attempts() {
        let first = Id::new(Wall(5), [7; 10]);
        let (mut one, mut two) = (IdSource::after(first), IdSource::after(first));
        let made: Vec<Id> = (0..3).map(|_| one.take()).collect();
        assert_eq!(made, (0..3).map(|_| two.take()).collect::<Vec<_>>());
        assert!(first < made[0] && made[0] < made[1]);
    }
}
