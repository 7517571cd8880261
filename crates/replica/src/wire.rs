//! What goes over the wire: short names, because there are many of them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a copy says that it holds of a document; version 0 if nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// Class of the document.
    pub c: String,
    /// Its id.
    pub id: String,
    /// Version held; 0 for nothing.
    #[serde(default)]
    pub v: i64,
    /// Creation stamp of the life that is held.
    #[serde(default)]
    pub ct: i64,
    /// Tombstones newer than this are held.
    #[serde(default)]
    pub dt: i64,
    /// Argument to the class's filter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<Value>,
}

impl Held {
    /// Nothing of a document yet.
    #[must_use]
    pub fn nothing(class: &str, id: &str) -> Self {
        Self { c: class.to_owned(), id: id.to_owned(), v: 0, ct: 0, dt: 0, filter: None }
    }
}

/// What identifies an item within its document: its class, and its key unless it is a singleton (then empty).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemKey {
    /// Class of the item.
    pub c: String,
    /// Key; empty for a singleton.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub k: String,
}

impl ItemKey {
    /// The item of a class and key; an empty key for a singleton.
    #[must_use]
    pub fn new(class: &str, key: &str) -> Self {
        Self { c: class.to_owned(), k: key.to_owned() }
    }
}

/// An item that exists, on the wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Which item.
    #[serde(flatten)]
    pub key: ItemKey,
    /// Version: the operation that updated the document with it.
    pub v: i64,
    /// The operation that updated the item: earlier than `v` in a deferred copy.
    pub vop: i64,
    /// Content that is JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub j: Option<Value>,
    /// Content that is an opaque text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub s: Option<String>,
}

/// An item that was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gone {
    /// Which item.
    #[serde(flatten)]
    pub key: ItemKey,
    /// Version of its deletion.
    pub v: i64,
}

/// What brings a copy up to its source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Upgrade {
    /// Class of the document.
    pub c: String,
    /// Its id.
    pub id: String,
    /// Version of the source; 0 if the document is no more.
    pub v: i64,
    /// Creation stamp.
    #[serde(default)]
    pub ct: i64,
    /// The source holds all tombstones newer than this.
    #[serde(default)]
    pub dt: i64,
    /// Whether this replaces all that is held.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub full: bool,
    /// Items to put or overwrite.
    #[serde(default)]
    pub items: Vec<Item>,
    /// Tombstones.
    #[serde(default)]
    pub dels: Vec<Gone>,
    /// If given: items that exist unchanged. Whatever is held and is neither here nor above was deleted long ago.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<ItemKey>>,
}

impl Upgrade {
    /// The document is no more.
    #[must_use]
    pub fn deleted(class: &str, id: &str) -> Self {
        let (c, id) = (class.to_owned(), id.to_owned());
        Self { c, id, v: 0, ct: 0, dt: 0, full: false, items: vec![], dels: vec![], keys: None }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    #[test]
    fn doc_9_the_words_on_the_wire() {
        let (key, singleton) = (ItemKey::new("I", "k"), ItemKey::new("S", ""));
        let items = vec![
            Item { key: key.clone(), v: 7, vop: 6, j: Some(json!({"a": 1})), s: None },
            Item { key: singleton.clone(), v: 8, vop: 8, j: None, s: Some("x".into()) },
        ];
        let dels = vec![Gone { key, v: 9 }];
        let upgrade =
            Upgrade { v: 9, ct: 5, dt: 4, items, dels, keys: Some(vec![singleton]), ..Upgrade::deleted("C", "1") };
        let written = json!({
            "c": "C", "id": "1", "v": 9, "ct": 5, "dt": 4,
            "items": [{"c": "I", "k": "k", "v": 7, "vop": 6, "j": {"a": 1}}, {"c": "S", "v": 8, "vop": 8, "s": "x"}],
            "dels": [{"c": "I", "k": "k", "v": 9}],
            "keys": [{"c": "S"}],
        });
        assert_eq!(to_value(&upgrade).unwrap(), written);
        assert_eq!(from_value::<Upgrade>(written).unwrap(), upgrade);
        assert_eq!(to_value(Held::nothing("C", "1")).unwrap(), json!({"c": "C", "id": "1", "v": 0, "ct": 0, "dt": 0}));
        assert_eq!(from_value::<Held>(json!({"c": "C", "id": "1"})).unwrap(), Held::nothing("C", "1"));
        assert!(from_value::<Held>(json!({"c": "C", "id": "1", "version": 7})).is_err(), "unknown fields are refused");
    }

    #[test]
    fn doc_3_integers_of_64_bits_keep_every_digit() {
        let text = r#"{"c":"I","v":1,"vop":1,"j":{"max":18446744073709551615,"min":-9223372036854775808,"half":0.5}}"#;
        let item: Item = serde_json::from_str(text).unwrap();
        let j = item.j.as_ref().unwrap();
        assert_eq!(
            (j["max"].as_u64(), j["min"].as_i64(), j["half"].as_f64()),
            (Some(u64::MAX), Some(i64::MIN), Some(0.5))
        );
        let again: Item = serde_json::from_str(&serde_json::to_string(&item).unwrap()).unwrap();
        assert_eq!(again, item);
    }
}
