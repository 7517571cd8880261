//! Where copies are kept: what a replica needs of a place, and what it writes there.

use std::collections::BTreeMap;

use ::replica::{CopiedItem, DocCopy, Head, ItemKey};
use serde_json::Value;

/// A document that is followed, without its items.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Class.
    pub class: String,
    /// Id.
    pub id: String,
    /// Argument to the class's filter.
    pub filter: Option<Value>,
    /// Epoch of the answer that last spoke of it; `None` before the first.
    pub epoch: Option<String>,
    /// Creation stamp of the latest life that is known to be over.
    pub over_ct: i64,
    /// What is held.
    pub head: Head,
}

/// A copy that a new epoch replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct Aside {
    /// The epoch that it was of.
    pub epoch: String,
    /// What was held.
    pub copy: DocCopy,
}

/// What changes among the items of one document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ItemWrites {
    /// New or changed.
    pub put: Vec<(ItemKey, CopiedItem)>,
    /// No longer kept, not even as a tombstone.
    pub remove: Vec<ItemKey>,
}

/// One write.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// The epoch of the last answer.
    Epoch(String),
    /// A document with what changed among its items.
    Document {
        /// As it is from now on.
        entry: Entry,
        /// What changed.
        items: ItemWrites,
    },
    /// A document goes with all its items, if it is there.
    Remove {
        /// Class.
        class: String,
        /// Id.
        id: String,
    },
    /// A copy is set aside, in place of one of the same epoch.
    SetAside(Aside),
    /// A copy that was set aside is thrown away, if it is there.
    Discard {
        /// Its epoch.
        epoch: String,
        /// Class.
        class: String,
        /// Id.
        id: String,
    },
}

/// The place failed.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    /// Another program, or another replica of this one, has the file open.
    #[error("the file is in use by another owner")]
    InUse,
    /// The file is not one of ours, or of a version that is not known here.
    #[error("the file is no replica: {0}")]
    Foreign(String),
    /// Something in the file cannot be read; it is only a copy, so that it may be deleted and filled again.
    #[error("the file is damaged: {0}")]
    Damaged(String),
    /// The engine failed.
    #[error("the file cannot be read or written: {0}")]
    Engine(#[source] rusqlite::Error),
}

/// A place for copies.
pub trait Shelf: Send {
    /// The epoch of the last answer.
    ///
    /// # Errors
    /// The place failed.
    fn epoch(&self) -> Result<Option<String>, ShelfError>;

    /// All documents that are followed, by class and id.
    ///
    /// # Errors
    /// The place failed.
    fn entries(&self) -> Result<Vec<Entry>, ShelfError>;

    /// One document.
    ///
    /// # Errors
    /// The place failed.
    fn entry(&self, class: &str, id: &str) -> Result<Option<Entry>, ShelfError>;

    /// One document with its items; `None` if nothing is held.
    ///
    /// # Errors
    /// The place failed.
    fn copy(&self, class: &str, id: &str) -> Result<Option<DocCopy>, ShelfError>;

    /// The copies that were set aside.
    ///
    /// # Errors
    /// The place failed.
    fn asides(&self) -> Result<Vec<Aside>, ShelfError>;

    /// Writes all of it or nothing, in this order.
    ///
    /// # Errors
    /// The place failed, and nothing was written.
    fn write(&mut self, writes: Vec<Write>) -> Result<(), ShelfError>;
}

impl Write {
    /// A document without a change to its items.
    pub(super) fn put(entry: Entry) -> Self {
        Self::Document { entry, items: ItemWrites::default() }
    }

    pub(super) fn remove(class: &str, id: &str) -> Self {
        Self::Remove { class: class.to_owned(), id: id.to_owned() }
    }

    /// A document with what differs between two states of it: a large one with a small change is a small write.
    pub(super) fn document(entry: Entry, before: Option<&DocCopy>, after: Option<&DocCopy>) -> Self {
        let none = BTreeMap::new();
        let before = before.map_or(&none, |copy| &copy.items);
        let after = after.map_or(&none, |copy| &copy.items);
        let put = after.iter().filter(|(key, item)| before.get(key) != Some(item));
        let remove = before.keys().filter(|key| !after.contains_key(key));
        let put = put.map(|(key, item)| (key.clone(), item.clone())).collect();
        Self::Document { entry, items: ItemWrites { put, remove: remove.cloned().collect() } }
    }
}
