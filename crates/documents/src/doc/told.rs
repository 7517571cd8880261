//! What an operation does to a document, as its history tells it.

use super::document::{Change, Doc, Life};
use super::head::StoredHead;
use crate::history::{ChangeKind, ChangedItem};

impl Doc {
    /// Whether its class wants changes to be written down.
    pub(crate) fn keeps_history(&self) -> bool {
        self.class.decl.history
    }

    /// What becomes of the document itself.
    pub(crate) fn change_kind(&self) -> ChangeKind {
        let stood = self.found.as_ref().is_some_and(StoredHead::exists);
        match self.life {
            Life::New if stood => ChangeKind::Recreated,
            Life::New => ChangeKind::Created,
            Life::Deleted => ChangeKind::Deleted,
            Life::Standing | Life::Absent => ChangeKind::Changed,
        }
    }

    /// The items that are put or deleted, in their order.
    pub(crate) fn changed_items(&self) -> Vec<ChangedItem> {
        let changes = self.slots.iter().filter_map(|(at, slot)| Some((at, slot.change.as_ref()?)));
        let item = |(at, change): (&replica::ItemKey, &Change)| {
            let deleted = matches!(change, Change::Delete { .. });
            ChangedItem { c: at.c.clone(), k: at.k.clone(), deleted }
        };
        changes.map(item).collect()
    }
}
