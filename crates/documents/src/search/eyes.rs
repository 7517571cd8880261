//! What a search may tell its caller (DOC-10): it finds what the caller may see, and nothing by what it may not. So what a filter
//! leaves out or alters is compared with the conditions again.

use base::{OpResult, Tx, args};
use replica::{Content, ItemKey};

use super::SearchOf;
use super::plan::Plan;
use crate::class::{Asking, SyncFilter};
use crate::doc::{ITEMS_OF, item_of};
use crate::filter::seen_content;
use crate::index::values_in;
use crate::limits::ITEMS_MAX;

/// A class's filter, for one caller.
pub(super) struct Eyes<'a> {
    filter: SyncFilter,
    of: &'a SearchOf,
}

impl<'a> Eyes<'a> {
    /// `None` if nothing is hidden.
    pub(super) fn of(of: &'a SearchOf) -> Option<Self> {
        of.filter.map(|filter| Self { filter: filter.0, of })
    }

    /// Whether the caller may see the document and, in it, an item for which all conditions hold.
    pub(super) fn see_document(&self, tx: &mut dyn Tx, plan: &Plan<'_>, id: &str) -> OpResult<bool> {
        let most = usize::try_from(2 * ITEMS_MAX).unwrap_or(usize::MAX);
        for row in &tx.query(&ITEMS_OF, args![plan.class, id, plan.item], most)? {
            let (key, stored) = item_of(row);
            let Some(content) = stored.content else { continue };
            if self.see_item(plan, id, &key, &content.content()?).is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The content as the caller may see it, if the conditions hold for that.
    pub(super) fn see_item(&self, plan: &Plan<'_>, id: &str, key: &ItemKey, content: &Content) -> Option<Content> {
        let SearchOf { search, caller, properties, .. } = self.of;
        let asking = Asking { caller, properties, argument: search.filter.as_ref(), id };
        if !(self.filter.document)(&asking) {
            return None;
        }
        seen_content(&self.filter, &asking, key, content).filter(|seen| hold(plan, key, seen))
    }
}

fn hold(plan: &Plan<'_>, key: &ItemKey, content: &Content) -> bool {
    let json = match content {
        Content::Json(value) => Some(value),
        Content::Raw(_) => None,
    };
    plan.conditions().all(|wanted| {
        let values = values_in(wanted.field, &key.k, json).unwrap_or_default();
        values.iter().any(|value| wanted.range.holds(value))
    })
}
