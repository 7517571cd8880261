//! The id of a sensor: 1 to 16 letters and digits, case-sensitive (SEN-1). Kept as bytes, so that a million of them in memory are small.

use std::fmt;
use std::str::FromStr;

use base::{OpError, OpResult};
use serde::{Deserialize, Serialize};

use crate::codes::ASENSOR;

/// Longest id.
pub const LENGTH_MAX: usize = 16;
/// Words that are addresses of other things below `/sensors/`.
const RESERVED: [&str; 3] = ["addresses", "import", "unknown"];

/// Which sensor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct SensorId([u8; LENGTH_MAX]);

/// A text that is no id of a sensor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("sensor id {0:?} is not 1 to 16 letters and digits")]
pub struct InvalidSensorId(String);

impl SensorId {
    /// The id as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let length = self.0.iter().position(|byte| *byte == 0).unwrap_or(LENGTH_MAX);
        std::str::from_utf8(&self.0[..length]).unwrap_or_default()
    }

    /// The id of a text that somebody gave.
    ///
    /// # Errors
    /// `ASENSOR`: it is none.
    pub fn given(text: &str) -> OpResult<Self> {
        text.parse().map_err(|error: InvalidSensorId| OpError::new(ASENSOR, error.to_string()))
    }

    /// The id of a text under which a sensor is registered: some words are not to be had.
    ///
    /// # Errors
    /// `ASENSOR`: it is none.
    pub fn to_register(text: &str) -> OpResult<Self> {
        if RESERVED.contains(&text) {
            return Err(OpError::new(
                ASENSOR,
                format!("sensor id {text:?} is a word of the addresses below /sensors/"),
            ));
        }
        Self::given(text)
    }
}

impl FromStr for SensorId {
    type Err = InvalidSensorId;

    fn from_str(text: &str) -> Result<Self, InvalidSensorId> {
        let fits = (1..=LENGTH_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !fits {
            return Err(InvalidSensorId(text.chars().take(40).collect()));
        }
        let mut bytes = [0; LENGTH_MAX];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for SensorId {
    type Error = InvalidSensorId;

    fn try_from(text: String) -> Result<Self, InvalidSensorId> {
        text.parse()
    }
}

impl From<SensorId> for String {
    fn from(id: SensorId) -> Self {
        id.as_str().to_owned()
    }
}

impl fmt::Display for SensorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for SensorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sen_1_ids_are_1_to_16_letters_and_digits() {
        for good in ["xa7v9Dfadr7H", "0xA", "TestSensor", "0123456789aBcDeF", "a"] {
            assert_eq!(good.parse::<SensorId>().unwrap().as_str(), good);
        }
        for bad in ["", "0123456789aBcDeF0", "a-b", "a b", "ä", "a\0", "a/b", "<b>"] {
            assert!(bad.parse::<SensorId>().is_err(), "{bad:?}");
        }
        assert_ne!("a".parse::<SensorId>(), "A".parse::<SensorId>(), "case-sensitive");
        assert!(SensorId::to_register("import").is_err() && SensorId::given("import").is_ok());
    }
}
