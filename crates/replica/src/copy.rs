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

/// An upgrade that was made for another state than the one held.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the upgrade of {c} {id} to version {to} of life {ct} does not fit version {held} of life {held_ct}")]
pub struct Unfit {
    /// Class of the document.
    pub c: String,
    /// Its id.
    pub id: String,
    /// Version to which the upgrade leads.
    pub to: i64,
    /// Life that it is of.
    pub ct: i64,
    /// Version held; 0 for nothing.
    pub held: i64,
    /// Life held; 0 for none.
    pub held_ct: i64,
}

impl Unfit {
    fn new(held: Option<&DocCopy>, upgrade: &Upgrade) -> Self {
        let Head { v, ct, .. } = held.map_or(Head::NOTHING, |copy| copy.head);
        Self { c: upgrade.c.clone(), id: upgrade.id.clone(), to: upgrade.v, ct: upgrade.ct, held: v, held_ct: ct }
    }
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
    /// The copy after an upgrade; `None` if the document is no more.
    ///
    /// # Errors
    /// The upgrade says what changed since a state that is not the one held: taking it in would leave holes.
    pub fn apply(held: Option<Self>, upgrade: Upgrade) -> Result<Option<Self>, Unfit> {
        if upgrade.v == 0 {
            return Ok(None);
        }
        let source = Head { v: upgrade.v, ct: upgrade.ct, dt: upgrade.dt };
        let mut copy = match held {
            _ if upgrade.full => Self::empty(&upgrade.c, &upgrade.id, source),
            Some(held) if held.head.ct == source.ct && held.head.v <= source.v => held,
            other => return Err(Unfit::new(other.as_ref(), &upgrade)),
        };
        if let Some(keys) = upgrade.keys.as_ref().filter(|_| !upgrade.full) {
            copy.drop_all_but(keys, &upgrade);
        }
        // With keys this is the source's: they are sent to a version before its `dt`, and no copy's `dt` is after its version.
        let dt = copy.head.dt.max(source.dt);
        copy.head = Head { dt, ..source };
        copy.take(upgrade);
        copy.purge();
        Ok(Some(copy))
    }

    /// A document without items.
    #[must_use]
    pub fn empty(class: &str, id: &str, head: Head) -> Self {
        Self { c: class.to_owned(), id: id.to_owned(), head, items: BTreeMap::new() }
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

    /// The answer to a copy that lags, with this as the reference; `None` if it is level.
    ///
    /// # Errors
    /// The other copy is ahead of this one.
    pub fn upgrade_for(&self, held: &Held, same_epoch: bool) -> Result<Option<Upgrade>, Ahead> {
        let case = decide(held, Some(self.head), same_epoch)?;
        Ok((case != Case::Level).then(|| self.upgrade(held, case)))
    }

    /// The answer to a copy that lags more, where this is a copy that may lag itself: within an epoch, a later life than its
    /// own is ahead of it, and not merely another one.
    ///
    /// # Errors
    /// The other copy is ahead of this one.
    pub fn relay_for(&self, held: &Held, same_epoch: bool) -> Result<Option<Upgrade>, Ahead> {
        if same_epoch && held.v > 0 && held.ct > self.head.ct {
            return Err(Ahead { held: held.v, known: self.head.v });
        }
        self.upgrade_for(held, same_epoch)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn upgrade(v: i64, ct: i64) -> Upgrade {
        Upgrade { v, ct, ..Upgrade::deleted("C", "1") }
    }

    #[test]
    fn doc_9_changes_to_another_state_than_the_one_held_are_refused() {
        let held = || Some(DocCopy::empty("C", "1", Head { v: 20, ct: 5, dt: 0 }));
        assert_eq!(DocCopy::apply(held(), upgrade(25, 5)).unwrap().unwrap().head.v, 25);
        for (held, unfit) in [(None, upgrade(25, 5)), (held(), upgrade(25, 6)), (held(), upgrade(19, 5))] {
            assert!(DocCopy::apply(held, unfit.clone()).is_err(), "{unfit:?}");
        }
        let full = Upgrade { full: true, ..upgrade(19, 6) };
        assert_eq!(DocCopy::apply(held(), full).unwrap().unwrap().head, Head { v: 19, ct: 6, dt: 0 });
    }

    #[test]
    fn doc_9_dt_moves_forward_only_and_never_past_the_version() {
        let mut copy = DocCopy::empty("C", "1", Head { v: 20, ct: 5, dt: 10 });
        for (wanted, expected) in [(3, 10), (12, 12), (99, 20), (15, 20)] {
            copy.advance(wanted);
            assert_eq!(copy.head.dt, expected);
        }
    }
}
