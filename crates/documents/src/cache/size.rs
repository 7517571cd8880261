//! About how many bytes something takes in memory.

use replica::{Content, CopiedItem, ItemKey};
use serde_json::Value;

use super::shelf::Known;
use crate::read::FullDoc;

/// A node of a tree with its key and its counters.
pub(super) const ENTRY: usize = 128;

pub(super) fn of(known: &Known) -> usize {
    match known {
        Known::Head(_) => 0,
        Known::Whole(doc) => whole(doc),
    }
}

fn whole(doc: &FullDoc) -> usize {
    let texts = text(&doc.copy.c) + text(&doc.copy.id) + text(&doc.op) + text(&doc.who);
    let items = doc.copy.items.iter().map(|(key, item)| {
        let content = match &item.content {
            Some(Content::Json(json)) => beside(json),
            Some(Content::Raw(raw)) => text(raw),
            None => 0,
        };
        text(&key.c) + text(&key.k) + content
    });
    let slots = tree(doc.copy.items.len(), size_of::<ItemKey>() + size_of::<CopiedItem>());
    size_of::<FullDoc>() + texts + slots + items.sum::<usize>()
}

/// What a value takes beside its own place.
fn beside(json: &Value) -> usize {
    match json {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(string) => text(string),
        Value::Array(list) => list.iter().map(|json| size_of::<Value>() + beside(json)).sum(),
        Value::Object(map) => {
            let slots = tree(map.len(), size_of::<String>() + size_of::<Value>());
            slots + map.iter().map(|(name, json)| text(name) + beside(json)).sum::<usize>()
        }
    }
}

/// A text with what the allocator adds to it.
fn text(text: &str) -> usize {
    if text.is_empty() { 0 } else { text.len() + 16 }
}

/// The nodes of a tree. The first has room for eleven however few there are, and many are about half full.
fn tree(entries: usize, slot: usize) -> usize {
    if entries == 0 { 0 } else { slot * 11.max(2 * entries) }
}
