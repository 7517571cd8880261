//! One document that an operation works on: what is stored, and what the operation changes of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{OpError, OpResult, Tx, args};
use replica::{Content, ItemKey};
use serde_json::Value;

use super::check_key;
use super::head::StoredHead;
use super::item::{ITEMS_OF, StoredItem, find_item, item_of};
use crate::class::{ATTACHMENT, Compiled, ItemDecl, Source};
use crate::codes::AITEM;
use crate::content::Stored;
use crate::limits::ITEMS_MAX;

/// Whether a document is there, as the operation sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    /// It is not, and the operation did not make it.
    Absent,
    /// It is, as stored.
    Standing,
    /// The operation made it.
    New,
    /// The operation deleted it.
    Deleted,
}

/// What the operation does to an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// It holds this from now on; copies have an origin.
    Put { content: Stored, origin: Option<Origin> },
    /// It is no more; copies have an origin.
    Delete { origin: Option<Origin> },
}

/// What a copy takes from its source beside the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Stamp of the operation that changed the source.
    pub(crate) ord: i64,
    /// Who changed the source, if the copy follows it; `None` if whoever works on the document put the copy there.
    pub(crate) who: Option<String>,
}

impl Change {
    pub(super) fn origin(&self) -> Option<&Origin> {
        match self {
            Self::Put { origin, .. } | Self::Delete { origin } => origin.as_ref(),
        }
    }
}

/// One item: what is stored of it, once that was looked at, and what is done to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) stored: Option<Option<StoredItem>>,
    pub(super) change: Option<Change>,
}

/// A document in the hands of an operation.
#[derive(Debug)]
pub struct Doc {
    pub(super) class: Arc<Compiled>,
    pub(super) id: String,
    pub(super) found: Option<StoredHead>,
    pub(super) life: Life,
    pub(super) slots: BTreeMap<ItemKey, Slot>,
}

impl Doc {
    pub(super) fn new(class: Arc<Compiled>, id: &str, found: Option<StoredHead>) -> Self {
        let stands = found.as_ref().is_some_and(StoredHead::exists);
        let life = if stands { Life::Standing } else { Life::Absent };
        Self { class, id: id.to_owned(), found, life, slots: BTreeMap::new() }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Name of its class.
    #[must_use]
    pub fn class(&self) -> &str {
        &self.class.decl.class
    }

    /// Whether it is there.
    #[must_use]
    pub fn exists(&self) -> bool {
        matches!(self.life, Life::Standing | Life::New)
    }

    /// Its version before the operation; 0 if the operation made it (DOC-1).
    #[must_use]
    pub fn version(&self) -> i64 {
        self.standing().map_or(0, |head| head.version.number())
    }

    /// Stamp of its creation; 0 if the operation made it.
    #[must_use]
    pub fn ctime(&self) -> i64 {
        self.standing().map_or(0, |head| head.ctime)
    }

    /// Bytes of its items before the operation.
    #[must_use]
    pub fn v1(&self) -> i64 {
        self.standing().map_or(0, |head| head.v1)
    }

    /// Bytes of its attachments before the operation.
    #[must_use]
    pub fn v2(&self) -> i64 {
        self.standing().map_or(0, |head| head.v2)
    }

    fn standing(&self) -> Option<&StoredHead> {
        self.found.as_ref().filter(|_| self.life == Life::Standing)
    }

    /// What an item holds now, changes of this operation included.
    ///
    /// # Errors
    /// `AITEM`: the class has no such item; or the store failed.
    pub fn content(&mut self, tx: &mut dyn Tx, item: &str, key: &str) -> OpResult<Option<Content>> {
        let stored = self.stored(tx, item, key)?;
        stored.map(Stored::content).transpose()
    }

    /// The JSON of an item, if it is there.
    ///
    /// # Errors
    /// As [`Self::content`].
    pub fn json(&mut self, tx: &mut dyn Tx, item: &str, key: &str) -> OpResult<Option<Value>> {
        Ok(self.content(tx, item, key)?.and_then(|content| match content {
            Content::Json(value) => Some(value),
            Content::Raw(_) => None,
        }))
    }

    fn stored(&mut self, tx: &mut dyn Tx, item: &str, key: &str) -> OpResult<Option<Stored>> {
        let at = self.key(item, key)?;
        self.look_at(tx, &at)?;
        Ok(match self.slots.get(&at) {
            Some(Slot { change: Some(Change::Put { content, .. }), .. }) => Some(content.clone()),
            Some(Slot { change: Some(Change::Delete { .. }), .. }) | None => None,
            Some(Slot { stored, .. }) => stored.clone().flatten().and_then(|stored| stored.content),
        })
    }

    /// Learns what is stored of an item.
    pub(super) fn look_at(&mut self, tx: &mut dyn Tx, at: &ItemKey) -> OpResult<()> {
        let stands = self.life == Life::Standing;
        let slot = self.slots.entry(at.clone()).or_default();
        if slot.stored.is_none() {
            let class = &self.class.decl.class;
            slot.stored = Some(if stands { find_item(tx, class, &self.id, at)? } else { None });
        }
        Ok(())
    }

    /// The keys of the items of a class, sorted.
    ///
    /// # Errors
    /// `AITEM`: the class has no such item; or the store failed.
    pub fn keys(&mut self, tx: &mut dyn Tx, item: &str) -> OpResult<Vec<String>> {
        self.decl_of(item)?;
        if self.life == Life::Standing {
            let most = usize::try_from(ITEMS_MAX).unwrap_or(usize::MAX);
            for row in &tx.query(&ITEMS_OF, args![&self.class.decl.class, &self.id, item], most)? {
                let (key, stored) = item_of(row);
                self.slots.entry(key).or_default().stored.get_or_insert(Some(stored));
            }
        }
        let there = |slot: &Slot| match &slot.change {
            Some(change) => matches!(change, Change::Put { .. }),
            None => slot.stored.iter().flatten().any(|stored| stored.content.is_some()),
        };
        let of_class = self.slots.iter().filter(|(key, slot)| key.c == item && there(slot));
        Ok(of_class.map(|(key, _)| key.k.clone()).collect())
    }

    /// Puts JSON into an item; the key is empty for a singleton.
    ///
    /// # Errors
    /// `AITEM` or `ALIMIT`: not what the class allows.
    pub fn put_json(&mut self, item: &str, key: &str, value: Value) -> OpResult<()> {
        self.put(item, key, Stored::json(&value)?, None)
    }

    /// Puts an opaque text into an item.
    ///
    /// # Errors
    /// `AITEM` or `ALIMIT`: not what the class allows.
    pub fn put_raw(&mut self, item: &str, key: &str, text: String) -> OpResult<()> {
        self.put(item, key, Stored::raw(text)?, None)
    }

    pub(crate) fn put(&mut self, item: &str, key: &str, content: Stored, origin: Option<Origin>) -> OpResult<()> {
        let (at, decl) = (self.key(item, key)?, self.decl_of(item)?);
        if decl.raw != content.raw {
            let (has, wanted) = if decl.raw { ("JSON", "a raw text") } else { ("a raw text", "JSON") };
            return Err(OpError::new(AITEM, format!("item {item} of {} holds {wanted}, not {has}", self.class())));
        }
        self.changed(at, Change::Put { content, origin })
    }

    /// Deletes an item; one that is not there is no error.
    ///
    /// # Errors
    /// `AITEM`: the class has no such item.
    pub fn delete_item(&mut self, item: &str, key: &str) -> OpResult<()> {
        self.delete_copy(item, key, None)
    }

    pub(crate) fn delete_copy(&mut self, item: &str, key: &str, origin: Option<Origin>) -> OpResult<()> {
        let at = self.key(item, key)?;
        self.changed(at, Change::Delete { origin })
    }

    /// Deletes all items of a class.
    ///
    /// # Errors
    /// `AITEM`: the class has no such item; or the store failed.
    pub fn delete_class(&mut self, tx: &mut dyn Tx, item: &str) -> OpResult<()> {
        let keys = self.keys(tx, item)?;
        keys.iter().try_for_each(|key| self.delete_item(item, key))
    }

    /// Whether the operation puts an item with a content of its own.
    pub(crate) fn puts_itself(&self, at: &ItemKey) -> bool {
        matches!(self.slots.get(at), Some(Slot { change: Some(Change::Put { origin: None, .. }), .. }))
    }

    /// Where copies come from that are items of this class.
    pub(crate) fn sources_of(&self, item: &str) -> Vec<Source> {
        self.class.sources.get(item).cloned().unwrap_or_default()
    }

    fn changed(&mut self, at: ItemKey, change: Change) -> OpResult<()> {
        if !self.exists() {
            let text = format!("document {}/{} is not there: create it first", self.class(), self.id);
            return Err(OpError::new(crate::codes::NDOC, text));
        }
        self.slots.entry(at).or_default().change = Some(change);
        Ok(())
    }

    /// What is declared of an item class.
    pub(super) fn decl_of(&self, item: &str) -> OpResult<&ItemDecl> {
        static ATTACHMENTS: ItemDecl = ItemDecl::ATTACHMENT;
        if item == ATTACHMENT {
            return Ok(&ATTACHMENTS);
        }
        let unknown = || OpError::new(AITEM, format!("class {} has no item `{item}`", self.class()));
        self.class.decl.items.get(item).ok_or_else(unknown)
    }

    fn key(&self, item: &str, key: &str) -> OpResult<ItemKey> {
        let decl = self.decl_of(item)?;
        match (decl.singleton, key.is_empty()) {
            (true, false) => {
                Err(OpError::new(AITEM, format!("item {item} of {} is a singleton: it has no key", self.class())))
            }
            (true, true) => Ok(ItemKey::new(item, "")),
            (false, true) => Err(OpError::new(AITEM, format!("item {item} of {} needs a key", self.class()))),
            (false, false) => {
                check_key("the key", key)?;
                Ok(ItemKey::new(item, key))
            }
        }
    }
}
