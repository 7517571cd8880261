//! Copies in memory.

use std::collections::BTreeMap;

use ::replica::{CopiedItem, DocCopy, ItemKey};

use super::shelf::{Aside, Entry, Shelf, ShelfError, Write};

/// Copies that are gone with the program.
#[derive(Debug, Default)]
pub struct MemoryShelf {
    epoch: Option<String>,
    documents: BTreeMap<(String, String), Kept>,
    asides: BTreeMap<(String, String, String), DocCopy>,
}

#[derive(Debug)]
struct Kept {
    entry: Entry,
    items: BTreeMap<ItemKey, CopiedItem>,
}

impl MemoryShelf {
    fn kept(&self, class: &str, id: &str) -> Option<&Kept> {
        self.documents.get(&(class.to_owned(), id.to_owned()))
    }

    fn write_one(&mut self, write: Write) {
        match write {
            Write::Epoch(epoch) => self.epoch = Some(epoch),
            Write::Document { entry, items } => {
                let name = (entry.class.clone(), entry.id.clone());
                let mut kept = self.documents.remove(&name).map_or_else(BTreeMap::new, |kept| kept.items);
                kept.extend(items.put);
                items.remove.iter().for_each(|key| drop(kept.remove(key)));
                self.documents.insert(name, Kept { entry, items: kept });
            }
            Write::Remove { class, id } => drop(self.documents.remove(&(class, id))),
            Write::SetAside(Aside { epoch, copy }) => {
                self.asides.insert((epoch, copy.c.clone(), copy.id.clone()), copy);
            }
            Write::Discard { epoch, class, id } => drop(self.asides.remove(&(epoch, class, id))),
        }
    }
}

impl Shelf for MemoryShelf {
    fn epoch(&self) -> Result<Option<String>, ShelfError> {
        Ok(self.epoch.clone())
    }

    fn entries(&self) -> Result<Vec<Entry>, ShelfError> {
        Ok(self.documents.values().map(|kept| kept.entry.clone()).collect())
    }

    fn entry(&self, class: &str, id: &str) -> Result<Option<Entry>, ShelfError> {
        Ok(self.kept(class, id).map(|kept| kept.entry.clone()))
    }

    fn copy(&self, class: &str, id: &str) -> Result<Option<DocCopy>, ShelfError> {
        let kept = self.kept(class, id).filter(|kept| kept.entry.head.v > 0);
        Ok(kept.map(|kept| DocCopy { items: kept.items.clone(), ..DocCopy::empty(class, id, kept.entry.head) }))
    }

    fn asides(&self) -> Result<Vec<Aside>, ShelfError> {
        let asides = self.asides.iter();
        Ok(asides.map(|((epoch, ..), copy)| Aside { epoch: epoch.clone(), copy: copy.clone() }).collect())
    }

    fn write(&mut self, writes: Vec<Write>) -> Result<(), ShelfError> {
        writes.into_iter().for_each(|write| self.write_one(write));
        Ok(())
    }
}
