//! A source of a few documents: as little as it takes to answer rightly.

use std::collections::BTreeMap;

use client::replica::{Answer, Ask};
use replica::{Content, CopiedItem, DocCopy, Head, ItemKey, Upgrade};
use serde_json::json;

/// Documents of class `C` by id.
#[derive(Debug, Clone)]
pub struct Source {
    pub clock: i64,
    pub epoch: String,
    pub documents: BTreeMap<String, DocCopy>,
}

impl Source {
    pub fn new() -> Self {
        Self { clock: 100, epoch: "1-a".to_owned(), documents: BTreeMap::new() }
    }

    /// Some documents with one item each.
    pub fn with(count: usize) -> Self {
        let mut source = Self::new();
        (0..count).for_each(|id| source.put(&format!("{id:05}"), "k", 0));
        source
    }

    pub fn put(&mut self, id: &str, key: &str, number: u32) {
        let v = self.tick();
        let copy = self.documents.entry(id.to_owned());
        let copy = copy.or_insert_with(|| DocCopy::empty("C", id, Head { v, ct: v, dt: 0 }));
        copy.head.v = v;
        let content = Some(Content::Json(json!({ "number": number })));
        copy.items.insert(ItemKey::new("I", key), CopiedItem { v, vop: v, content });
    }

    pub fn delete_item(&mut self, id: &str, key: &str) {
        let v = self.tick();
        if let Some(copy) = self.documents.get_mut(id) {
            if let Some(item) = copy.items.get_mut(&ItemKey::new("I", key)) {
                *item = CopiedItem { v, vop: 0, content: None };
            }
            copy.head.v = v;
        }
    }

    /// Forgets all tombstones so far.
    pub fn purge(&mut self, id: &str) {
        let now = self.tick();
        if let Some(copy) = self.documents.get_mut(id) {
            copy.head.v = now;
            copy.advance(now);
        }
    }

    pub fn delete(&mut self, id: &str) {
        self.tick();
        self.documents.remove(id);
    }

    pub fn answer(&self, ask: &Ask) -> Answer {
        let same_epoch = ask.epoch.as_ref() == Some(&self.epoch);
        let upgrade = |held| match self.documents.get(&held_id(held)) {
            Some(copy) => copy.upgrade_for(held, same_epoch).expect("nobody is ahead of the reference"),
            None => (held.v > 0).then(|| Upgrade::deleted(&held.c, &held.id)),
        };
        Answer { syncs: ask.syncs.iter().filter_map(upgrade).collect(), epoch: self.epoch.clone() }
    }

    fn tick(&mut self) -> i64 {
        self.clock += 1;
        self.clock
    }
}

fn held_id(held: &replica::Held) -> String {
    held.id.clone()
}
