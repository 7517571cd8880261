//! What a caller may see of a document (DOC-10). Pure.

use std::borrow::Cow;

use replica::{Content, CopiedItem, DocCopy, ItemKey};

use serde_json::Value;
use web::Api;

use crate::class::{Asking, DocClass, SyncFilter, Verdict};

/// The document as the caller of a request may see it.
pub(crate) fn seen_by<'a>(
    api: &Api,
    copy: &'a DocCopy,
    argument: Option<&Value>,
    excluded: Excluded,
) -> Option<Cow<'a, DocCopy>> {
    let asking = Asking { caller: api.caller(), properties: api.properties(), argument, id: &copy.id };
    seen(filter_of(api, &copy.c), &asking, copy, excluded)
}

/// Whether the caller of a request may see an item, judged by its class and key.
pub(crate) fn shows(api: &Api, class: &str, id: &str, key: &ItemKey) -> bool {
    let asking = Asking { caller: api.caller(), properties: api.properties(), argument: None, id };
    filter_of(api, class).is_none_or(|filter| (filter.document)(&asking) && (filter.item)(&asking, key))
}

fn filter_of(api: &Api, class: &str) -> Option<&'static SyncFilter> {
    api.namespace().home.offered::<DocClass>().find(|offered| offered.name == class)?.filter.as_ref()
}

/// What becomes of an item that the caller may not see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Excluded {
    /// A tombstone, so that a copy which has it drops it.
    Tombstone,
    /// Nothing: the caller has no copy yet, and need not know that it is there.
    LeftOut,
}

/// The document as this caller may see it; `None` if it may not see it at all.
pub(crate) fn seen<'a>(
    filter: Option<&SyncFilter>,
    asking: &Asking<'_>,
    copy: &'a DocCopy,
    excluded: Excluded,
) -> Option<Cow<'a, DocCopy>> {
    let Some(filter) = filter else { return Some(Cow::Borrowed(copy)) };
    if !(filter.document)(asking) {
        return None;
    }
    let items = copy.items.iter().filter_map(|(key, item)| {
        let shown = seen_item(filter, asking, key, item);
        // A trace tells that there was an item of this key, which is not for whoever could not see the item. What it held is no more,
        // so it is judged by the key alone.
        let hidden = match &item.content {
            Some(_) => shown.content.is_none(),
            None => !(filter.item)(asking, key),
        };
        (!hidden || excluded == Excluded::Tombstone).then(|| (key.clone(), shown))
    });
    let (c, id, items) = (copy.c.clone(), copy.id.clone(), items.collect());
    Some(Cow::Owned(DocCopy { c, id, head: copy.head, items }))
}

fn seen_item(filter: &SyncFilter, asking: &Asking<'_>, key: &ItemKey, item: &CopiedItem) -> CopiedItem {
    let Some(content) = &item.content else { return item.clone() };
    let content = seen_content(filter, asking, key, content);
    let vop = if content.is_some() { item.vop } else { 0 };
    CopiedItem { v: item.v, vop, content }
}

/// An item's content as this caller may see it; `None` if it may not. The document itself may be hidden too.
pub(crate) fn seen_content(
    filter: &SyncFilter,
    asking: &Asking<'_>,
    key: &ItemKey,
    content: &Content,
) -> Option<Content> {
    if !(filter.item)(asking, key) {
        return None;
    }
    match (filter.content)(asking, key, content) {
        Verdict::Accept => Some(content.clone()),
        Verdict::Exclude => None,
        Verdict::Alter(other) => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::{Caller, Properties};
    use replica::{Head, Held};
    use serde_json::json;

    fn copy() -> DocCopy {
        let item = |v: i64, value| CopiedItem { v, vop: v, content: Some(Content::Json(value)) };
        let items = [
            (ItemKey::new("Card", ""), item(1, json!({ "name": "a", "wage": 7 }))),
            (ItemKey::new("Note", "1"), item(2, json!({}))),
            (ItemKey::new("Note", "2"), item(5, json!({}))),
            (ItemKey::new("Note", "3"), CopiedItem { v: 3, vop: 0, content: None }),
            (ItemKey::new("Tel", "1"), CopiedItem { v: 3, vop: 0, content: None }),
        ];
        let head = Head { v: 5, ct: 1, dt: 1 };
        DocCopy { c: "C".into(), id: "1".into(), head, items: items.into() }
    }

    const FILTER: SyncFilter = SyncFilter {
        document: |asking| asking.argument.is_none(),
        item: |_, key| key.c != "Note",
        content: |_, _, _| Verdict::Alter(Content::Json(serde_json::Value::Bool(true))),
    };

    fn asked(argument: Option<&serde_json::Value>, excluded: Excluded) -> Option<DocCopy> {
        let (caller, properties) = (Caller::public(), Properties::default());
        let asking = Asking { caller: &caller, properties: &properties, argument, id: "1" };
        seen(Some(&FILTER), &asking, &copy(), excluded).map(Cow::into_owned)
    }

    #[test]
    fn doc_10_a_filter_hides_documents_items_and_their_traces_and_alters_contents() {
        assert!(asked(Some(&json!(1)), Excluded::LeftOut).is_none());
        let full = asked(None, Excluded::LeftOut).unwrap();
        assert_eq!(
            full.items.keys().map(|key| key.c.as_str()).collect::<Vec<_>>(),
            ["Card", "Tel"],
            "no trace of a note"
        );
        assert_eq!(full.items[&ItemKey::new("Card", "")].content, Some(Content::Json(json!(true))));
    }

    #[test]
    fn doc_10_an_item_that_becomes_excluded_is_sent_as_a_tombstone() {
        let held = Held { v: 4, ct: 1, ..Held::nothing("C", "1") };
        let upgrade = asked(None, Excluded::Tombstone).unwrap().upgrade_for(&held, true).unwrap().unwrap();
        assert!(upgrade.items.is_empty());
        assert_eq!(upgrade.dels.iter().map(|gone| (gone.key.k.as_str(), gone.v)).collect::<Vec<_>>(), [("2", 5)]);
    }
}
