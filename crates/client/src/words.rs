//! What the built-in operations of documents take and give.

use replica::{Gone, Item};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A document as `doc.get` gives it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Document {
    /// Class.
    pub c: String,
    /// Id.
    pub id: String,
    /// Version.
    pub v: i64,
    /// Creation stamp.
    pub ct: i64,
    /// All tombstones newer than this are known.
    pub dt: i64,
    /// Volume of its items.
    #[serde(default)]
    pub v1: i64,
    /// Volume of its attachments.
    #[serde(default)]
    pub v2: i64,
    /// Items that exist.
    #[serde(default)]
    pub items: Vec<Item>,
    /// Tombstones.
    #[serde(default)]
    pub dels: Vec<Gone>,
}

/// What version of a document a change expects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Expect {
    /// Any, or none at all.
    #[default]
    Any,
    /// There is none yet.
    New,
    /// Exactly this one.
    Version(i64),
}

impl Expect {
    fn is_any(&self) -> bool {
        *self == Self::Any
    }
}

impl Serialize for Expect {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Any => to.serialize_str("any"),
            Self::New => to.serialize_str("new"),
            Self::Version(version) => to.serialize_i64(*version),
        }
    }
}

/// A change of one document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Class.
    pub c: String,
    /// Id.
    pub id: String,
    /// What it has to stand at.
    #[serde(skip_serializing_if = "Expect::is_any")]
    pub expect: Expect,
    /// Deletes it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub delete: bool,
    /// Deletes it and creates it again, empty, before the items are put.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub recreate: bool,
    /// What happens to its items; a document that is not there is made, though the list be empty. `None` only checks and locks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<ItemChange>>,
}

/// A change of one item: exactly one of `j`, `s` and `delete`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ItemChange {
    /// Class of the item.
    pub c: String,
    /// Key; empty for a singleton.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub k: String,
    /// New content, JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub j: Option<Value>,
    /// New content, an opaque text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub s: Option<String>,
    /// Deletes it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub delete: bool,
}

impl Change {
    /// A change of the document of this class and id, whatever its version.
    #[must_use]
    pub fn of(class: &str, id: &str) -> Self {
        let (c, id) = (class.to_owned(), id.to_owned());
        Self { c, id, expect: Expect::Any, delete: false, recreate: false, items: None }
    }

    /// Only if it stands at this.
    #[must_use]
    pub fn expecting(self, expect: Expect) -> Self {
        Self { expect, ..self }
    }

    /// Deletes the document.
    #[must_use]
    pub fn delete(self) -> Self {
        Self { delete: true, ..self }
    }

    /// Deletes the document and creates it again.
    #[must_use]
    pub fn recreate(self) -> Self {
        Self { recreate: true, ..self }
    }

    /// Makes the document if it is not there, though it hold nothing.
    #[must_use]
    pub fn make(self) -> Self {
        Self { items: Some(self.items.unwrap_or_default()), ..self }
    }

    /// Puts an item with JSON; an empty key for a singleton.
    #[must_use]
    pub fn put(self, class: &str, key: &str, content: Value) -> Self {
        self.with(ItemChange { j: Some(content), ..ItemChange::of(class, key) })
    }

    /// Puts an item with an opaque text.
    #[must_use]
    pub fn put_raw(self, class: &str, key: &str, content: &str) -> Self {
        self.with(ItemChange { s: Some(content.to_owned()), ..ItemChange::of(class, key) })
    }

    /// Deletes an item.
    #[must_use]
    pub fn remove(self, class: &str, key: &str) -> Self {
        self.with(ItemChange { delete: true, ..ItemChange::of(class, key) })
    }

    fn with(mut self, item: ItemChange) -> Self {
        self.items.get_or_insert_default().push(item);
        self
    }
}

impl ItemChange {
    fn of(class: &str, key: &str) -> Self {
        Self { c: class.to_owned(), k: key.to_owned(), ..Self::default() }
    }
}

/// A search over indexed fields (DOC-13).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Search {
    /// Class of documents.
    pub c: String,
    /// Class of items.
    pub item: String,
    /// Conditions that hold for one and the same item.
    #[serde(rename = "where")]
    pub conditions: Vec<Condition>,
    /// A condition on the id of the document; its `field` stays empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Condition>,
    /// Whether the items themselves are wanted, and not only the ids of documents.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub items: bool,
    /// Size of a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where the last page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// One condition of a search.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Condition {
    /// Indexed field; empty for the id of the document.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
    /// EQ, SW, LT, LE, GE, GT, or of a range GELE, GELT, GTLE, GTLT.
    pub cond: String,
    /// Value, or lower bound.
    pub v1: Value,
    /// Upper bound of a range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub v2: Option<Value>,
}

/// A page of what was found.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SearchPage {
    /// As the server gives them.
    pub items: Vec<Value>,
    /// Give this as `after` to read on.
    #[serde(default)]
    pub next: Option<String>,
}
