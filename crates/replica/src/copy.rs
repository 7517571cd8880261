//! One copy of one document, in memory: takes upgrades in, and gives them to copies that lag more.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::rule::{Ahead, Case, Head, decide};
use crate::wire::{Gone, Held, Item, ItemKey, Upgrade};

/// What an item holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// JSON.
    Json(Value),
    /// An opaque text.
    Raw(String),
}

/// An item of a copy: a tombstone has no content and `vop` 0.
#[derive(Debug, Clone, PartialEq)]
pub struct CopiedItem {
    /// The operation that updated the document with it.
    pub v: i64,
    /// The operation that updated it; 0 for a tombstone.
    pub vop: i64,
    /// `None` for a tombstone.
    pub content: Option<Content>,
}

/// A copy of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct DocCopy {
    /// Class.
    pub c: String,
    /// Id.
    pub id: String,
    /// Version, creation, and since when tombstones are known.
    pub head: Head,
    /// Items and tombstones.
    pub items: BTreeMap<ItemKey, CopiedItem>,
}

impl DocCopy {
    /// The copy after an upgrade; `None` if the document is no more. An upgrade that is not a full copy needs the copy that it
    /// was made for; without one it is taken for what it holds.
    #[must_use]
    pub fn apply(held: Option<Self>, upgrade: Upgrade) -> Option<Self> {
        if upgrade.v == 0 {
            return None;
        }
        let source = Head { v: upgrade.v, ct: upgrade.ct, dt: upgrade.dt };
        let kept = held.filter(|_| !upgrade.full);
        let mut copy = kept.unwrap_or_else(|| Self {
            c: upgrade.c.clone(),
            id: upgrade.id.clone(),
            head: source,
            items: BTreeMap::new(),
        });
        let dt = if upgrade.keys.is_some() { source.dt } else { copy.head.dt.max(source.dt) };
        if let Some(keys) = &upgrade.keys {
            copy.drop_all_but(keys, &upgrade);
        }
        copy.head = Head { dt, ..source };
        copy.take(upgrade);
        copy.purge();
        Some(copy)
    }

    /// What this copy holds, to be told to its source.
    #[must_use]
    pub fn held(&self) -> Held {
        let Head { v, ct, dt } = self.head;
        Held { c: self.c.clone(), id: self.id.clone(), v, ct, dt, filter: None }
    }

    /// Moves `dt` forward, at most to the version, and forgets the tombstones before it.
    pub fn advance(&mut self, dt: i64) {
        self.head.dt = dt.clamp(self.head.dt, self.head.v.max(self.head.dt));
        self.purge();
    }

    /// The answer to a copy that lags more, with this copy as its source; `None` if it is level.
    ///
    /// # Errors
    /// The other copy is ahead of this one.
    pub fn upgrade_for(&self, held: &Held, same_epoch: bool) -> Result<Option<Upgrade>, Ahead> {
        let case = decide(held, Some(self.head), same_epoch)?;
        Ok((case != Case::Level).then(|| self.upgrade(held, case)))
    }

    fn upgrade(&self, held: &Held, case: Case) -> Upgrade {
        let Head { v, ct, dt } = self.head;
        let (items_after, dels_after) = match case {
            Case::Changes => (held.v, held.v),
            Case::ChangesAndKeys => (held.v, dt),
            Case::Full | Case::Level | Case::Deleted => (0, 0),
        };
        let mut upgrade = Upgrade { v, ct, dt, full: case == Case::Full, ..Upgrade::deleted(&self.c, &self.id) };
        let mut unchanged = vec![];
        for (key, item) in &self.items {
            match &item.content {
                Some(content) if item.v > items_after => upgrade.items.push(on_wire(key, item, content)),
                Some(_) => unchanged.push(key.clone()),
                None if item.v > dels_after => upgrade.dels.push(Gone { key: key.clone(), v: item.v }),
                None => {}
            }
        }
        upgrade.keys = (case == Case::ChangesAndKeys).then_some(unchanged);
        upgrade
    }

    fn drop_all_but(&mut self, keys: &[ItemKey], upgrade: &Upgrade) {
        let named = keys.iter().chain(upgrade.items.iter().map(|item| &item.key));
        let named: BTreeSet<&ItemKey> = named.chain(upgrade.dels.iter().map(|gone| &gone.key)).collect();
        self.items.retain(|key, item| item.content.is_none() || named.contains(key));
    }

    fn take(&mut self, upgrade: Upgrade) {
        for Gone { key, v } in upgrade.dels {
            self.items.insert(key, CopiedItem { v, vop: 0, content: None });
        }
        for Item { key, v, vop, j, s } in upgrade.items {
            let content = s.map(Content::Raw).unwrap_or_else(|| Content::Json(j.unwrap_or_default()));
            self.items.insert(key, CopiedItem { v, vop, content: Some(content) });
        }
    }

    fn purge(&mut self) {
        let dt = self.head.dt;
        self.items.retain(|_, item| item.content.is_some() || item.v >= dt);
    }
}

fn on_wire(key: &ItemKey, item: &CopiedItem, content: &Content) -> Item {
    let (j, s) = match content {
        Content::Json(value) => (Some(value.clone()), None),
        Content::Raw(text) => (None, Some(text.clone())),
    };
    Item { key: key.clone(), v: item.v, vop: item.vop, j, s }
}
