//! What an item holds, as it is stored: JSON in one canonical text, or an opaque text (DOC-2, DOC-3).

use base::{OpError, OpResult, codes};
use replica::Content;
use serde_json::Value;

use crate::codes::AITEM;
use crate::limits::CONTENT_MAX;

/// A content as its row holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Whether it is an opaque text.
    pub raw: bool,
    /// The text.
    pub text: String,
}

impl Stored {
    /// JSON: properties that are null are dropped; inside maps and lists they stay.
    ///
    /// # Errors
    /// `ALIMIT` or `AITEM`.
    pub fn json(value: Value) -> OpResult<Self> {
        let value = match value {
            Value::Null => return Err(OpError::new(AITEM, "null is no content: delete the item")),
            Value::Object(mut map) => {
                map.retain(|_, value| !value.is_null());
                Value::Object(map)
            }
            other => other,
        };
        Self { raw: false, text: value.to_string() }.checked()
    }

    /// An opaque text.
    ///
    /// # Errors
    /// `ALIMIT` or `AITEM`.
    pub fn raw(text: String) -> OpResult<Self> {
        Self { raw: true, text }.checked()
    }

    fn checked(self) -> OpResult<Self> {
        let length = self.text.len();
        if length > CONTENT_MAX {
            return Err(OpError::new(codes::ALIMIT, format!("an item has {length} bytes, at most {CONTENT_MAX}")));
        }
        if self.text.contains('\0') {
            return Err(OpError::new(AITEM, "a raw text has a NUL in it"));
        }
        Ok(self)
    }

    /// As callers see it.
    ///
    /// # Errors
    /// `BDETECTED`: the row is not what we wrote.
    pub fn content(self) -> OpResult<Content> {
        if self.raw {
            return Ok(Content::Raw(self.text));
        }
        Ok(Content::Json(parse(&self.text)?))
    }
}

/// The value of a stored JSON text.
pub(crate) fn parse(text: &str) -> OpResult<Value> {
    serde_json::from_str(text).map_err(|error| OpError::new(codes::BDETECTED, format!("an item's content: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(json: &str) -> String {
        Stored::json(serde_json::from_str(json).unwrap()).unwrap().text
    }

    #[test]
    fn doc_3_null_properties_are_dropped_and_nulls_inside_stay() {
        assert_eq!(stored(r#"{"b":null,"a":{"x":null},"c":[null,1]}"#), r#"{"a":{"x":null},"c":[null,1]}"#);
    }

    #[test]
    fn doc_3_numbers_keep_their_64_bits() {
        assert_eq!(
            stored(r#"{"a":9223372036854775807,"b":-9223372036854775808}"#),
            r#"{"a":9223372036854775807,"b":-9223372036854775808}"#
        );
        assert_eq!(stored("18446744073709551615"), "18446744073709551615");
    }

    #[test]
    fn doc_2_what_cannot_be_a_content_is_refused() {
        assert_eq!(Stored::json(Value::Null).unwrap_err().code, AITEM);
        assert_eq!(Stored::raw("a\0b".into()).unwrap_err().code, AITEM);
        assert_eq!(Stored::raw("x".repeat(CONTENT_MAX + 1)).unwrap_err().code, codes::ALIMIT);
    }
}
