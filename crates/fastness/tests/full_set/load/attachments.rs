//! Documents with an attachment each, whose bytes lie in S3; some are so large that they are sent in parts.

use serde_json::{Value, json};

use super::{Load, Work};
use crate::site::Site;

/// What was attached, by the number of its document.
pub struct Attached {
    pub documents: u64,
}

/// Every so many is a large one.
const LARGE_EVERY: u64 = 25;

pub fn register(site: &Site) {
    let items = json!({ "Card": { "singleton": true, "index": { "number": "int" } } });
    site.caller().post("/v1/main/doc-classes", &json!({ "class": "Contact", "items": items }), "the-class");
}

/// The attachment of a document: each is another one.
pub fn text(number: u64) -> String {
    let lines = if number.is_multiple_of(LARGE_EVERY) { 900_000 } else { 2_000 };
    format!("{number:09} ").repeat(lines)
}

pub fn path(number: u64) -> String {
    format!("/v1/main/docs/Contact/c{number}/attachments/photo")
}

pub fn attach(site: &Site, load: &Load) -> Attached {
    let (mut caller, mut number) = (site.caller(), 0);
    while load.goes_on() {
        number += 1;
        let items = json!([{ "c": "Card", "j": { "number": number } }]);
        let change = json!({ "c": "Contact", "id": format!("c{number}"), "items": items });
        let commit = json!({ "param": { "changes": [change] } });
        caller.post("/v1/main/op/doc.commit", &commit, &format!("document-{number}"));
        caller.ask("PUT", &path(number), &Value::String(text(number)), "");
        load.count(Work::Attachments);
    }
    Attached { documents: number }
}
