//! Results that are not JSON: bytes with a media type (DOC-8). Behind JSON, where operations are called by name, they are base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A result of bytes: a picture, a page, a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Media {
    /// Media type.
    pub mime: String,
    /// The bytes.
    #[serde(serialize_with = "encoded", deserialize_with = "decoded")]
    pub bytes: Vec<u8>,
}

fn encoded<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&STANDARD.encode(bytes))
}

fn decoded<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    STANDARD.decode(String::deserialize(from)?).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doc_8_bytes_come_through_json_as_they_are() {
        let media = Media { mime: "image/png".into(), bytes: (0..=255).collect() };
        let json = serde_json::to_value(&media).unwrap();
        assert_eq!(serde_json::from_value::<Media>(json).unwrap(), media);
    }
}
