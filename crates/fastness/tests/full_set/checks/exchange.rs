//! Each message that was acknowledged was done once, and lies where what is done lies: its text in a pack of the storage.

use crate::load::Exchanged;
use crate::load::messages::id;
use crate::site::{Site, wait_until};

pub fn check(site: &Site, exchanged: &Exchanged) {
    let once = (1..=exchanged.sent).map(|number| (id(number), 1)).collect();
    assert_eq!(exchanged.effects, once, "what the database did");
    let mut caller = site.caller();
    for folder in ["Messages", "Prepared", "Error", "Unknown"] {
        let left = caller.get(&format!("/v1/main/exchange/folders?db=erp&folder={folder}"));
        assert_eq!(left["items"].as_array().map(Vec::len), Some(0), "{folder}: {left}");
    }
    let unresolved = caller.get("/v1/main/exchange/processes/unresolved?db=erp");
    assert_eq!(unresolved["items"].as_array().map(Vec::len), Some(0), "{unresolved}");
    wait_until("texts of all messages are in the storage", || all_packed(site, exchanged.sent));
}

fn all_packed(site: &Site, sent: u64) -> bool {
    let objects = site.parts.storage.lock().unwrap().objects();
    let texts: String = objects.iter().map(|object| String::from_utf8_lossy(object)).collect();
    (1..=sent).all(|number| texts.contains(&format!("\"id\":\"{}\"", id(number))))
}
