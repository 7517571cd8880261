//! Bytes of documents and folders are what was sent, for whoever asks and on the storage's disk.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::load::Done;
use crate::load::attachments::{path, text};
use crate::site::Site;
use crate::storage::digest;

pub fn check(site: &Site, done: &Done) {
    let (mut caller, stored) = (site.caller(), stored(site));
    for number in 1..=done.attached.documents {
        let sent = Value::String(text(number));
        let there = caller.get(&path(number));
        assert!(there == sent, "attachment {number} is another one");
        assert!(stored.contains(&digest(sent.to_string().as_bytes())), "the storage has no attachment {number}");
    }
    for (number, text) in done.files.iter().enumerate() {
        assert!(stored.contains(&digest(text.as_bytes())), "the storage has no file {number}");
    }
}

fn stored(site: &Site) -> BTreeSet<String> {
    site.parts.storage.lock().unwrap().digests().into_iter().collect()
}
