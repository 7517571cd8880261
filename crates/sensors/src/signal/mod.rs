//! What a sensor says: 0 open, 1 closed, with its own time and id if it has any (SEN-2).

mod given;
mod recent;
mod rule;

pub use given::{Given, Read, parse};
pub use recent::Recent;
pub use rule::{State, Verdict, judge};

use base::Wall;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::id::SensorId;

/// A signal that is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    /// Whose.
    pub sensor: SensorId,
    /// Whether the door is closed.
    pub closed: bool,
    /// When, as the sensor says.
    pub at: Option<Wall>,
    /// Tells it from the sensor's other signals: a hash of the id that came with it.
    pub key: Option<u64>,
}

/// The hash of a signal's id.
#[must_use]
pub fn key_of(id: &str) -> u64 {
    let digest: [u8; 32] = Sha256::digest(id.as_bytes()).into();
    digest[..8].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// What tells a signal that has no id from others: its time together with its data, because two of one moment may differ.
pub(crate) fn key_of_time(at: Wall, closed: bool) -> u64 {
    key_of(&format!("at {} {}", at.0, rule::bit(closed)))
}
