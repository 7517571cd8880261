//! A set of documents that a program keeps and brings level with a source (DOC-9).
//!
//! It says what it holds ([`Replica::asks`]), takes in what the source answers ([`Replica::take`]), and answers others that lag
//! more ([`Replica::answer`]). Where the copies are kept is a [`Shelf`]'s business: in memory or in a file.
//!
//! Invariants:
//! - an answer is taken in whole or not at all;
//! - every document remembers the epoch of the answer that it came with. One epoch for all would not do: a large set is asked for
//!   in several calls, and a restore between two of them leaves documents of both epochs side by side;
//! - within an epoch no document goes back, however answers cross each other;
//! - what a new epoch takes away is set aside, never thrown away: the restored source may have lost it (KER-46).
//!
//! Deliberately not here: calls, retries, clocks.

mod ask;
mod file;
mod memory;
mod relay;
mod shelf;
mod take;

use std::path::Path;

use ::replica::{DocCopy, Head, Held, Unfit};
use serde_json::Value;

pub use ask::{Answer, Ask, SYNCS_MAX};
pub use file::FileShelf;
pub use memory::MemoryShelf;
pub use relay::{Refusal, Refused, Relayed};
pub use shelf::{Aside, Entry, ItemWrites, Shelf, ShelfError, Write};
pub use take::Taken;

/// Why a replica did not do it; it is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum ReplicaError {
    /// The place where the copies are kept failed.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
    /// The answer does not fit what was asked.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// The answer names a document that was not asked for, or one twice.
    #[error("the answer holds {c} {id}, which was not asked for, or more than once")]
    Unasked {
        /// Class of the document.
        c: String,
        /// Its id.
        id: String,
    },
    /// The document is not followed.
    #[error("{c} {id} is not followed")]
    NotFollowed {
        /// Class of the document.
        c: String,
        /// Its id.
        id: String,
    },
}

/// A set of documents that are followed.
pub struct Replica {
    shelf: Box<dyn Shelf>,
}

impl Replica {
    /// One that is gone with the program.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::on(Box::new(MemoryShelf::default()))
    }

    /// One in a file, which is made if there is none. A file has one owner at a time.
    ///
    /// # Errors
    /// The file is another program's or in use, or cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReplicaError> {
        Ok(Self::on(Box::new(FileShelf::open(path.as_ref())?)))
    }

    /// One on a shelf of the caller's.
    #[must_use]
    pub fn on(shelf: Box<dyn Shelf>) -> Self {
        Self { shelf }
    }

    /// Follows a document from now on, with an argument to its class's filter; nothing of it is held at first. One that is
    /// followed already stays as it is, but with another filter it starts again: what it holds was seen through the old one.
    ///
    /// # Errors
    /// The shelf failed.
    pub fn follow(&mut self, class: &str, id: &str, filter: Option<Value>) -> Result<(), ReplicaError> {
        if self.shelf.entry(class, id)?.is_some_and(|entry| entry.filter == filter) {
            return Ok(());
        }
        let entry = Entry { filter, ..Entry::nothing(class, id) };
        Ok(self.shelf.write(vec![Write::remove(class, id), Write::put(entry)])?)
    }

    /// Follows a document no more, and forgets what is held of it.
    ///
    /// # Errors
    /// The shelf failed.
    pub fn unfollow(&mut self, class: &str, id: &str) -> Result<(), ReplicaError> {
        Ok(self.shelf.write(vec![Write::remove(class, id)])?)
    }

    /// Forgets what is held of a document that is followed, so that the next answer brings it whole.
    ///
    /// # Errors
    /// It is not followed, or the shelf failed.
    pub fn start_again(&mut self, class: &str, id: &str) -> Result<(), ReplicaError> {
        let entry = self.followed(class, id)?;
        let again = Entry { filter: entry.filter, ..Entry::nothing(class, id) };
        Ok(self.shelf.write(vec![Write::remove(class, id), Write::put(again)])?)
    }

    /// All that is followed, with what is held of it, by class and id.
    ///
    /// # Errors
    /// The shelf failed.
    pub fn held(&self) -> Result<Vec<Held>, ReplicaError> {
        Ok(self.shelf.entries()?.iter().map(Entry::held).collect())
    }

    /// The copy of a document; `None` if nothing is held of it.
    ///
    /// # Errors
    /// The shelf failed.
    pub fn document(&self, class: &str, id: &str) -> Result<Option<DocCopy>, ReplicaError> {
        Ok(self.shelf.copy(class, id)?)
    }

    /// The epoch of the last answer.
    ///
    /// # Errors
    /// The shelf failed.
    pub fn epoch(&self) -> Result<Option<String>, ReplicaError> {
        Ok(self.shelf.epoch()?)
    }

    /// Forgets tombstones older than a version. Whoever asks this replica with a version before it is told keys instead.
    ///
    /// # Errors
    /// The shelf failed.
    pub fn forget_tombstones(&mut self, before: i64) -> Result<(), ReplicaError> {
        let mut writes = vec![];
        for entry in self.shelf.entries()?.into_iter().filter(|entry| entry.head.dt < before.min(entry.head.v)) {
            let Some(copy) = self.shelf.copy(&entry.class, &entry.id)? else { continue };
            let mut advanced = copy.clone();
            advanced.advance(before);
            let head = advanced.head;
            writes.push(Write::document(Entry { head, ..entry }, Some(&copy), Some(&advanced)));
        }
        Ok(self.shelf.write(writes)?)
    }

    /// Copies that a new epoch replaced by something else, with the epoch that they were of: the restored source may never
    /// have seen what they hold.
    ///
    /// # Errors
    /// The shelf failed.
    pub fn set_aside(&self) -> Result<Vec<Aside>, ReplicaError> {
        Ok(self.shelf.asides()?)
    }

    /// Throws a copy away that was set aside, after it was dealt with.
    ///
    /// # Errors
    /// The shelf failed.
    pub fn discard(&mut self, aside: &Aside) -> Result<(), ReplicaError> {
        let Aside { epoch, copy } = aside;
        let (epoch, class, id) = (epoch.clone(), copy.c.clone(), copy.id.clone());
        Ok(self.shelf.write(vec![Write::Discard { epoch, class, id }])?)
    }

    fn followed(&self, class: &str, id: &str) -> Result<Entry, ReplicaError> {
        let missing = || ReplicaError::NotFollowed { c: class.to_owned(), id: id.to_owned() };
        self.shelf.entry(class, id)?.ok_or_else(missing)
    }
}

impl Entry {
    /// A document that is followed and of which nothing is held.
    #[must_use]
    pub fn nothing(class: &str, id: &str) -> Self {
        let (class, id) = (class.to_owned(), id.to_owned());
        Self { class, id, filter: None, epoch: None, over_ct: 0, head: Head::NOTHING }
    }

    /// What is told to the source.
    #[must_use]
    pub fn held(&self) -> Held {
        let Head { v, ct, dt } = self.head;
        Held { c: self.class.clone(), id: self.id.clone(), v, ct, dt, filter: self.filter.clone() }
    }
}
