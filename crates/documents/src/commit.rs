//! `doc.commit` (DOC-6): a list of changes over up to 32 documents, all or nothing, under one version.

use std::collections::BTreeSet;

use base::limits::OP_DOCUMENTS_MAX;
use base::{ContentionKey, Keys, OpError, OpResult, Stamp, Tx, codes};
use kernel::{Op, OpCx, Role};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::class::DocClass;
use crate::codes::{AITEM, NDOC};
use crate::content::Stored;
use crate::doc::{Doc, DocSet, Expect};

/// Changes documents.
pub static COMMIT: Op<Commit, Committed> =
    Op::new("doc.commit", commit).keyed(keys).named_for(&[Role::Operator, Role::App]);

/// What is changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    /// The changes, at most 32 documents.
    pub changes: Vec<DocChange>,
}

/// What is changed of one document. Without `items`, `delete` and `recreate` it is only locked and checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DocChange {
    /// Class of the document.
    pub c: String,
    /// Its id.
    pub id: String,
    /// The version that it must have, `"new"` if it must not be there, `"any"` (as if not given) for whatever it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub expect: Option<Expected>,
    /// Deletes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delete: bool,
    /// Ends its life and begins another with `items`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recreate: bool,
    /// Changes of its items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<ItemChange>>,
}

/// The version that a caller expects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Expected {
    /// This one.
    Version(i64),
    /// `new` or `any`.
    Word(String),
}

/// What is changed of one item: exactly one of `j`, `s` and `delete`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ItemChange {
    /// Class of the item.
    pub c: String,
    /// Its key; none for a singleton.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<String>,
    /// JSON for it to hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub j: Option<Value>,
    /// An opaque text for it to hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub s: Option<String>,
    /// Deletes it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub delete: bool,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Committed {
    /// The version of all documents that changed; none if none did.
    #[schema(value_type = Option<i64>)]
    pub version: Option<Stamp>,
}

/// What operations on a document do not overlap with.
#[must_use]
pub fn key(class: &str, id: &str) -> ContentionKey {
    ContentionKey::of(class, id)
}

fn keys(input: &Commit) -> Keys {
    Keys::of(input.changes.iter().map(|change| key(&change.c, &change.id)).collect())
}

fn commit(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Commit) -> OpResult<Committed> {
    check_count(input)?;
    let mut docs = DocSet::new();
    for change in &input.changes {
        check_open(cx, &change.c)?;
        apply(tx, cx, &mut docs, change)?;
    }
    Ok(Committed { version: docs.save(tx, cx)? })
}

fn check_count(input: &Commit) -> OpResult<()> {
    let documents: BTreeSet<_> = input.changes.iter().map(|change| (&change.c, &change.id)).collect();
    if documents.is_empty() {
        return Err(OpError::new(AITEM, "no changes"));
    }
    if documents.len() > OP_DOCUMENTS_MAX {
        let text = format!("{} documents in one commit, at most {OP_DOCUMENTS_MAX}", documents.len());
        return Err(OpError::new(codes::ALIMIT, text));
    }
    Ok(())
}

/// Classes whose program changes them by its own operations only are closed to this one.
pub(crate) fn check_open(cx: &OpCx<'_>, class: &str) -> OpResult<()> {
    let closed = cx.home.offered::<DocClass>().any(|offered| offered.name == class && offered.own_operations_only);
    if closed {
        let text = format!("documents of class {class} are changed by operations of their own only");
        return Err(OpError::new(codes::SROLE, text));
    }
    Ok(())
}

fn apply(tx: &mut dyn Tx, cx: &mut OpCx<'_>, docs: &mut DocSet, change: &DocChange) -> OpResult<()> {
    let (class, id) = (&change.c, &change.id);
    docs.at(tx, cx, class, id)?.expect(expected(change)?)?;
    let items = change.items.as_deref();
    match (change.delete, change.recreate) {
        (true, true) => {
            return Err(OpError::new(AITEM, format!("{class}/{id}: delete and recreate exclude each other")));
        }
        (true, false) if items.is_some_and(|items| !items.is_empty()) => {
            return Err(OpError::new(AITEM, format!("{class}/{id}: a document that is deleted takes no items")));
        }
        (true, false) => return docs.delete(tx, cx, class, id),
        (false, true) => drop(docs.recreate(tx, cx, class, id)?),
        (false, false) => {}
    }
    let Some(items) = items else { return Ok(()) };
    let only_deletes = !items.is_empty() && items.iter().all(|item| item.delete);
    let doc = if only_deletes { docs.at(tx, cx, class, id)? } else { docs.get_or_new(tx, cx, class, id)? };
    if !doc.exists() {
        return Err(OpError::new(NDOC, format!("no document {class}/{id}")));
    }
    items.iter().try_for_each(|item| apply_item(doc, item))
}

fn expected(change: &DocChange) -> OpResult<Expect> {
    match &change.expect {
        None => Ok(Expect::Any),
        Some(Expected::Version(0)) => Ok(Expect::New),
        Some(Expected::Version(version)) => Ok(Expect::Version(*version)),
        Some(Expected::Word(word)) if word == "any" => Ok(Expect::Any),
        Some(Expected::Word(word)) if word == "new" => Ok(Expect::New),
        Some(Expected::Word(word)) => {
            Err(OpError::new(AITEM, format!("expect is a version, \"new\" or \"any\", not {word:?}")))
        }
    }
}

fn apply_item(doc: &mut Doc, item: &ItemChange) -> OpResult<()> {
    let key = item.k.as_deref().unwrap_or("");
    match (&item.j, &item.s, item.delete) {
        (None, None, true) => doc.delete_item(&item.c, key),
        (Some(value), None, false) => doc.put(&item.c, key, Stored::json(value)?, None),
        (None, Some(text), false) => doc.put_raw(&item.c, key, text.clone()),
        _ => Err(OpError::new(AITEM, format!("item {} {key}: exactly one of j, s and delete is needed", item.c))),
    }
}
