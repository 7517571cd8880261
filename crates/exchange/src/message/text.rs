//! The text of a message, as it came. It is opaque: answers are made by joining texts, without reading them again.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;

/// JSON that was checked when it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageText(String);

impl MessageText {
    /// Of a text that was checked.
    pub(crate) fn checked(text: String) -> Self {
        Self(text)
    }

    /// The text.
    #[must_use]
    pub fn get(&self) -> &str {
        &self.0
    }
}

/// Texts as a JSON array.
#[must_use]
pub(crate) fn array(texts: &[MessageText]) -> String {
    let bytes: usize = texts.iter().map(|text| text.0.len() + 1).sum();
    let mut joined = String::with_capacity(bytes + 2);
    joined.push('[');
    for (place, text) in texts.iter().enumerate() {
        joined.push_str(if place == 0 { "" } else { "," });
        joined.push_str(&text.0);
    }
    joined.push(']');
    joined
}

impl Serialize for MessageText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<&RawValue>(&self.0).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for MessageText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer).map_err(de::Error::custom)?;
        Ok(Self(Box::<str>::from(raw).into_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exc_4_texts_are_joined_as_they_are() {
        let text = |text: &str| MessageText::checked(text.to_owned());
        assert_eq!(array(&[]), "[]");
        assert_eq!(array(&[text(r#"{ "a" : 1.50}"#), text("{}")]), r#"[{ "a" : 1.50},{}]"#);
        let kept: MessageText = serde_json::from_str(r#"{ "a" : 1.50}"#).unwrap();
        assert_eq!(serde_json::to_string(&kept).unwrap(), r#"{ "a" : 1.50}"#, "not written anew");
    }
}
