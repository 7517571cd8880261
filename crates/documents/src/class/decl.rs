//! What the owner of a class says of it, checked before anything is done with it.

use std::collections::BTreeMap;

use base::{OpError, OpResult};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ATTACHMENT;
use crate::codes::ACLASS;
use crate::limits::{INDEXED_FIELDS_MAX, ITEM_CLASSES_MAX, KEEP_DAYS, KEEP_DAYS_MAX, NAME_MAX};

/// A class of documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClassDecl {
    /// Its name: a letter, then letters, digits or `_`, at most 32.
    pub class: String,
    /// What its documents hold, by name. Attachments (`P`) are in every class.
    #[serde(default)]
    pub items: BTreeMap<String, ItemDecl>,
    /// How many days traces of deleted items are kept; 8 if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_days: Option<u32>,
    /// Whether the last 50 changes of each document are written down: who, when, which items.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub history: bool,
    /// Of a class that a program brings along: a declaration replaces those of lower revision.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schema(ignore)]
    pub revision: u32,
}

/// Whether a class was declared from outside.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks like this")]
fn is_zero(revision: &u32) -> bool {
    *revision == 0
}

/// A class of items.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = ItemClass)]
pub struct ItemDecl {
    /// At most one in a document, without a key.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub singleton: bool,
    /// Its content is an opaque text, not JSON.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
    /// Fields that can be searched.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub index: BTreeMap<String, IndexType>,
    /// Classes whose documents hold copies of it, which follow by themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub copy_to: Vec<String>,
    /// What stands between the item's key and the document's id in the key of a copy; `.` if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
}

/// The type of an indexed field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum IndexType {
    /// Text.
    String,
    /// 64-bit integer.
    Int,
    /// 64-bit float.
    Float,
    /// Texts: any of them matches.
    #[serde(rename = "string[]")]
    Strings,
    /// Integers.
    #[serde(rename = "int[]")]
    Ints,
    /// Floats.
    #[serde(rename = "float[]")]
    Floats,
}

impl ItemDecl {
    /// Attachments: JSON by key.
    pub(crate) const ATTACHMENT: Self =
        Self { singleton: false, raw: false, index: BTreeMap::new(), copy_to: Vec::new(), separator: None };

    /// What stands between key and id in the key of a copy.
    #[must_use]
    pub fn separator(&self) -> &str {
        self.separator.as_deref().unwrap_or(".")
    }

    /// The key that the copies of an item have: the document's id, behind the item's own key if it has one.
    #[must_use]
    pub fn copy_key(&self, key: &str, id: &str) -> String {
        if self.singleton { id.to_owned() } else { format!("{key}{}{id}", self.separator()) }
    }
}

impl ClassDecl {
    /// How long traces of deleted items are kept, in milliseconds.
    #[must_use]
    pub fn keep_ms(&self) -> i64 {
        i64::from(self.keep_days.unwrap_or(KEEP_DAYS)) * 86_400_000
    }

    /// Whether it can be declared at all, seen alone.
    ///
    /// # Errors
    /// `ACLASS` with what is wrong.
    pub fn check(&self) -> OpResult<()> {
        check_name("class", &self.class)?;
        let (count, days) = (self.items.len(), self.keep_days.unwrap_or(KEEP_DAYS));
        require(count <= ITEM_CLASSES_MAX, || format!("{count} item classes, at most {ITEM_CLASSES_MAX}"))?;
        require((1..=KEEP_DAYS_MAX).contains(&days), || format!("keep_days is {days}, not 1 to {KEEP_DAYS_MAX}"))?;
        self.items.iter().try_for_each(|(name, item)| check_item(&self.class, name, item))
    }
}

fn check_item(class: &str, name: &str, item: &ItemDecl) -> OpResult<()> {
    check_name("item class", name)?;
    require(name != ATTACHMENT, || format!("item class {ATTACHMENT} is that of attachments and is in every class"))?;
    require(!item.raw || item.index.is_empty(), || format!("item class {name} is raw: it has no fields to index"))?;
    let (count, separator) = (item.index.len(), item.separator());
    require(count <= INDEXED_FIELDS_MAX, || {
        format!("item class {name} has {count} indexed fields, at most {INDEXED_FIELDS_MAX}")
    })?;
    let one = separator.chars().count() == 1 && !separator.chars().any(char::is_control);
    require(one, || format!("the separator of item class {name} is `{separator}`, not one character"))?;
    item.index.keys().try_for_each(|field| {
        let fits = !field.is_empty() && field.len() <= 64 && !field.starts_with('$') && !field.contains('\0');
        require(fits, || format!("item class {name} cannot index a field `{field}`"))
    })?;
    item.copy_to.iter().try_for_each(|to| check_name("class", to))?;
    require(!item.copy_to.iter().any(|to| to == class), || format!("item class {name} is copied to its own class"))
}

fn check_name(what: &str, name: &str) -> OpResult<()> {
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(|first| first.is_ascii_alphabetic());
    let fits = starts && name.len() <= NAME_MAX && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    require(fits, || {
        format!("`{name}` is not the name of a {what}: a letter, then letters, digits or _, at most {NAME_MAX}")
    })
}

fn require(holds: bool, message: impl FnOnce() -> String) -> OpResult<()> {
    if holds { Ok(()) } else { Err(OpError::new(ACLASS, message())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(json: &str) -> String {
        match serde_json::from_str::<ClassDecl>(json) {
            Ok(decl) => decl.check().expect_err(json).message,
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn doc_2_doc_13_what_cannot_be_declared_is_named() {
        assert!(refused(r#"{"class":"1a"}"#).contains("`1a`"));
        assert!(refused(r#"{"class":"A","items":{"P":{}}}"#).contains("attachments"));
        assert!(refused(r#"{"class":"A","items":{"T":{"index":{"x":"date"}}}}"#).contains("unknown variant `date`"));
        assert!(refused(r#"{"class":"A","items":{"T":{"raw":true,"index":{"x":"int"}}}}"#).contains("raw"));
        assert!(refused(r#"{"class":"A","items":{"T":{"separator":"--"}}}"#).contains("one character"));
        assert!(refused(r#"{"class":"A","items":{"T":{"copy_to":["A"]}}}"#).contains("its own class"));
        assert!(refused(r#"{"class":"A","keep_days":0}"#).contains("keep_days"));
        assert!(refused(r#"{"class":"A","colour":1}"#).contains("colour"));
    }

    #[test]
    fn doc_14_the_key_of_a_copy() {
        let singleton = ItemDecl { singleton: true, ..ItemDecl::default() };
        assert_eq!(singleton.copy_key("", "A1"), "A1");
        assert_eq!(ItemDecl::default().copy_key("N1", "A1"), "N1.A1");
        let slash = ItemDecl { separator: Some("/".into()), ..ItemDecl::default() };
        assert_eq!(slash.copy_key("N1", "A1"), "N1/A1");
    }
}
