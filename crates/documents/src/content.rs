//! What an item holds, as it is stored: JSON in one canonical text, or an opaque text (DOC-2, DOC-3).

use base::{OpError, OpResult, codes};
use replica::Content;
use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

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
    pub fn json(value: &Value) -> OpResult<Self> {
        let text = match value {
            Value::Null => return Err(OpError::new(AITEM, "null is no content: delete the item")),
            Value::Object(map) if map.values().any(Value::is_null) => without_nulls(map).to_string(),
            other => other.to_string(),
        };
        Self { raw: false, text }.checked()
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

fn without_nulls(map: &Map<String, Value>) -> Value {
    map.iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The value of a stored JSON text.
pub(crate) fn parse(text: &str) -> OpResult<Value> {
    serde_json::from_str(text).map_err(|error| OpError::new(codes::BDETECTED, format!("an item's content: {error}")))
}

/// Those properties of a stored JSON text that are wanted; the others are read over. Empty if it is no object.
pub(crate) fn properties(text: &str, wanted: impl Fn(&str) -> bool) -> OpResult<Value> {
    let broken = |error| OpError::new(codes::BDETECTED, format!("an item's content: {error}"));
    if !text.starts_with('{') {
        return Ok(Value::Null);
    }
    let mut source = serde_json::Deserializer::from_str(text);
    source.deserialize_map(Wanted(wanted)).map(Value::Object).map_err(broken)
}

struct Wanted<F>(F);

impl<'de, F: Fn(&str) -> bool> Visitor<'de> for Wanted<F> {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if (self.0)(&name) {
                found.insert(name, map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(json: &str) -> String {
        Stored::json(&serde_json::from_str(json).unwrap()).unwrap().text
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
    fn doc_13_only_wanted_properties_are_built() {
        let text = r#"{"a":{"x":[1,{"y":2}]},"b\"":"c","d":[1,2]}"#;
        assert_eq!(properties(text, |name| name == "d").unwrap().to_string(), r#"{"d":[1,2]}"#);
        assert_eq!(properties(text, |_| true).unwrap(), parse(text).unwrap());
        assert_eq!(properties("[1]", |_| true).unwrap(), Value::Null);
        assert_eq!(properties(r#"{"a":"#, |_| false).unwrap_err().code, codes::BDETECTED);
    }

    #[test]
    fn doc_2_what_cannot_be_a_content_is_refused() {
        assert_eq!(Stored::json(&Value::Null).unwrap_err().code, AITEM);
        assert_eq!(Stored::raw("a\0b".into()).unwrap_err().code, AITEM);
        assert_eq!(Stored::raw("x".repeat(CONTENT_MAX + 1)).unwrap_err().code, codes::ALIMIT);
    }
}
