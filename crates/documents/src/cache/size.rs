//! About how many bytes something takes in memory.

use replica::Content;
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
    let texts = doc.copy.c.len() + doc.copy.id.len() + doc.op.len() + doc.who.len();
    let items = doc.copy.items.iter().map(|(key, item)| {
        let content = match &item.content {
            Some(Content::Json(json)) => value(json),
            Some(Content::Raw(text)) => text.len(),
            None => 0,
        };
        ENTRY + key.c.len() + key.k.len() + content
    });
    size_of::<FullDoc>() + texts + items.sum::<usize>()
}

fn value(json: &Value) -> usize {
    let more = match json {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(value).sum(),
        Value::Object(map) => map.iter().map(|(key, json)| 64 + key.len() + value(json)).sum(),
    };
    size_of::<Value>() + more
}
