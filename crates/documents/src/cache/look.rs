//! The reading side: a reader looks here before it asks the store, and brings what it read there.

use std::sync::Arc;

use base::{OpResult, Tx};
use kernel::{Kernel, Namespace};
use replica::Head;

use super::Life;
use super::shelf::{Key, Known, Shelf};
use crate::read::{FullDoc, full, head};

/// Looks for a document, which may be `tolerance_s` seconds old. To be called before the store is asked for it.
#[must_use]
pub fn look(kernel: &Kernel, ns: &Namespace, class: &str, id: &str, tolerance_s: u32) -> Look {
    let now_us = kernel.env().clock.monotonic_us();
    let (shelf, life) = (ns.home.common::<Shelf>(), ns.home.memory::<Life>());
    let (key, alone) = (Key::new(life.0, class, id), ns.is_alone(kernel));
    let mut state = shelf.state();
    let since = state.begin_read(&key);
    let found = state.find(&key, now_us);
    let alone = alone && state.is_trusted();
    drop(state);
    let within = |checked_us| now_us.saturating_sub(checked_us) <= u64::from(tolerance_s) * 1_000_000;
    let is_new = found.as_ref().is_some_and(|(_, checked_us)| alone || tolerance_s > 0 && within(*checked_us));
    let kept = Kept { shelf, key, since, now_us, known: found.map(|(known, _)| known), is_new };
    Look { class: class.to_owned(), id: id.to_owned(), kept: Some(kept) }
}

/// A document that somebody wants to read, with what is kept of it in memory.
#[derive(Debug)]
pub struct Look {
    class: String,
    id: String,
    kept: Option<Kept>,
}

/// Those of one request, in their order.
#[derive(Debug, Clone, Default)]
pub struct Looks(pub Arc<[Look]>);

#[derive(Debug)]
struct Kept {
    shelf: Arc<Shelf>,
    key: Arc<Key>,
    /// When the reader began: the turn, and the time.
    since: u64,
    now_us: u64,
    known: Option<Known>,
    /// Whether what is known is new enough as it is.
    is_new: bool,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.shelf.state().end_read(&self.key);
    }
}

impl Look {
    /// A document that is read from the store, whatever is kept of it.
    pub(crate) fn past(class: &str, id: &str) -> Self {
        Self { class: class.to_owned(), id: id.to_owned(), kept: None }
    }

    /// Its class and its id.
    pub(crate) fn of(&self) -> (&str, &str) {
        (&self.class, &self.id)
    }

    /// The head, if it is new enough without asking the store.
    pub(crate) fn head_at_hand(&self) -> Option<Head> {
        self.known().filter(|_| self.is_new()).map(Known::head)
    }

    /// The document, if it is new enough without asking the store.
    #[must_use]
    pub fn at_hand(&self) -> Option<Arc<FullDoc>> {
        self.is_new().then(|| self.whole_at_hand()).flatten()
    }

    /// The head as it is stored; `None` if the document is not there.
    pub(crate) fn stored_head(&self, tx: &mut dyn Tx) -> OpResult<Option<Head>> {
        let found = head(tx, &self.class, &self.id)?.map(|head| head.on_wire());
        found.into_iter().for_each(|head| self.keep(Known::Head(head)));
        Ok(found)
    }

    /// The document as it is stored, read only as far as what is kept is not the same; `None` if it is not there.
    ///
    /// # Errors
    /// The store failed.
    pub fn stored(&self, tx: &mut dyn Tx) -> OpResult<Option<Arc<FullDoc>>> {
        match self.whole_at_hand() {
            Some(doc) => match self.stored_head(tx)? {
                Some(head) if head == doc.copy.head => Ok(Some(doc)),
                Some(_) => self.read(tx),
                None => Ok(None),
            },
            None => self.read(tx),
        }
    }

    /// The document with this head, which the store holds now.
    pub(crate) fn with_head(&self, tx: &mut dyn Tx, head: Head) -> OpResult<Option<Arc<FullDoc>>> {
        match self.whole_at_hand().filter(|doc| doc.copy.head == head) {
            Some(doc) => Ok(Some(doc)),
            None => self.read(tx),
        }
    }

    fn read(&self, tx: &mut dyn Tx) -> OpResult<Option<Arc<FullDoc>>> {
        let found = full(tx, &self.class, &self.id)?.map(Arc::new);
        found.iter().for_each(|doc| self.keep(Known::Whole(doc.clone())));
        Ok(found)
    }

    fn keep(&self, known: Known) {
        if let Some(Kept { shelf, key, since, now_us, .. }) = &self.kept {
            shelf.state().fill(key, *since, known, *now_us);
        }
    }

    fn known(&self) -> Option<&Known> {
        self.kept.as_ref()?.known.as_ref()
    }

    fn is_new(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.is_new)
    }

    /// Kept whole, however old.
    pub(crate) fn whole_at_hand(&self) -> Option<Arc<FullDoc>> {
        match self.known()? {
            Known::Whole(doc) => Some(doc.clone()),
            Known::Head(_) => None,
        }
    }
}
