//! What was done to a document lately.

use std::collections::BTreeSet;

use base::{OpResult, Tx};
use kernel::Query;
use replica::{DocCopy, ItemKey};
use serde::Serialize;
use utoipa::ToSchema;

use super::view::moment;
use super::{ViewOf, Viewer};
use crate::class::{SyncFilter, load_in};
use crate::filter::{Excluded, seen};
use crate::history::{Change, ChangeKind, ChangedItem, changes_of};
use crate::read::{absent, any_head, full};

/// The last changes of a document, newest first; also of one that was deleted and is remembered.
pub static CHANGES: Query<ViewOf, Vec<ChangeView>> = Query::new("doc.changes", changes);

/// One change of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DocumentChange)]
pub struct ChangeView {
    /// The version that it made.
    pub v: i64,
    /// When it was.
    #[schema(format = DateTime, example = "2026-11-15T12:00:00.000Z")]
    pub changed_at: String,
    /// What it did to the document itself.
    pub kind: ChangeKind,
    /// Who did it: a key's id, or a part of the server.
    pub who: String,
    /// By which operation.
    #[schema(example = "doc.commit")]
    pub op: String,
    /// How many items it put or deleted.
    pub item_count: i64,
    /// The first 20 of them.
    pub items: Vec<ChangedItem>,
}

impl From<Change> for ChangeView {
    fn from(Change { version, kind, who, op, item_count, items }: Change) -> Self {
        let v = version.number();
        Self { v, changed_at: moment(v), kind, who, op, item_count, items }
    }
}

fn changes(tx: &mut dyn Tx, of: &ViewOf) -> OpResult<Vec<ChangeView>> {
    load_in(tx, &of.class)?;
    let known = any_head(tx, &of.class, &of.id)?.filter(|_| of.viewer.sees(&of.id));
    known.ok_or_else(|| absent(&of.class, &of.id))?;
    let found = changes_of(tx, &of.class, &of.id)?;
    let Some(filter) = of.viewer.filter else { return Ok(found.into_iter().map(ChangeView::from).collect()) };
    let hidden = hidden(tx, of, &filter.0)?;
    Ok(found.into_iter().filter_map(|change| of.viewer.seen_change(&of.id, &filter.0, &hidden, change)).collect())
}

/// Items of the document that this caller may not see for what they hold now.
fn hidden(tx: &mut dyn Tx, of: &ViewOf, filter: &SyncFilter) -> OpResult<BTreeSet<ItemKey>> {
    let Some(doc) = full(tx, &of.class, &of.id)? else { return Ok(BTreeSet::new()) };
    let shown = seen(Some(filter), &of.viewer.asking(&of.id), &doc.copy, Excluded::LeftOut);
    let is_shown = |key: &ItemKey| {
        shown.as_ref().is_some_and(|shown: &std::borrow::Cow<'_, DocCopy>| shown.items.contains_key(key))
    };
    Ok(doc.copy.items.keys().filter(|key| !is_shown(key)).cloned().collect())
}

impl Viewer {
    /// The change as the caller may see it. One that touched nothing but what is hidden is hidden too, and the count is of what is
    /// shown.
    fn seen_change(
        &self,
        id: &str,
        filter: &SyncFilter,
        hidden: &BTreeSet<ItemKey>,
        change: Change,
    ) -> Option<ChangeView> {
        let asking = self.asking(id);
        let shows = |item: &ChangedItem| {
            let key = ItemKey::new(&item.c, &item.k);
            (filter.item)(&asking, &key) && !hidden.contains(&key)
        };
        let items: Vec<_> = change.items.iter().filter(|item| shows(item)).cloned().collect();
        let all_hidden = items.is_empty() && !change.items.is_empty();
        let item_count = i64::try_from(items.len()).unwrap_or(i64::MAX);
        (!all_hidden || change.kind != ChangeKind::Changed).then(|| Change { items, item_count, ..change }.into())
    }
}
