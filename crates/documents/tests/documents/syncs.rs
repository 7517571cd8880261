//! Synchronisation with copies (DOC-9).

use replica::{DocCopy, Held, ItemKey};
use serde_json::json;

use crate::kit::{Desk, code};

fn delete_tel(desk: &Desk, key: &str) {
    desk.commit(json!([{ "c": "Contact", "id": "a", "items": [{ "c": "Tel", "k": key, "delete": true }] }])).unwrap();
}

#[test]
fn doc_9_a_copy_is_brought_level_by_the_smallest_answer() {
    let desk = Desk::new();
    for key in ["1", "2", "3"] {
        desk.put("a", "Tel", Some(key), json!({}));
    }
    let full = desk.sync(vec![Held::nothing("Contact", "a")]).unwrap().syncs.remove(0);
    assert!(full.full && full.items.len() == 3 && full.keys.is_none());
    let copy = DocCopy::apply(None, full).unwrap().unwrap();
    assert_eq!(copy, desk.read("Contact", "a").unwrap().copy);
    assert!(desk.sync(vec![copy.held()]).unwrap().syncs.is_empty(), "level");

    delete_tel(&desk, "2");
    desk.put("a", "Tel", Some("3"), json!({ "number": 3 }));
    let upgrade = desk.sync(vec![copy.held()]).unwrap().syncs.remove(0);
    assert!(!upgrade.full && upgrade.items.len() == 1 && upgrade.dels.len() == 1 && upgrade.keys.is_none(), "case 1");
    assert_eq!(DocCopy::apply(Some(copy.clone()), upgrade).unwrap().unwrap(), desk.read("Contact", "a").unwrap().copy);

    desk.0.jump_calendar_ms(9 * 86_400_000);
    desk.put("a", "Card", None, json!({}));
    let upgrade = desk.sync(vec![copy.held()]).unwrap().syncs.remove(0);
    assert_eq!(upgrade.keys.as_deref(), Some(&[ItemKey::new("Tel", "1")][..]), "case 2");
    assert!(upgrade.dels.is_empty() && upgrade.items.len() == 2);
    assert_eq!(DocCopy::apply(Some(copy.clone()), upgrade).unwrap().unwrap(), desk.read("Contact", "a").unwrap().copy);

    desk.commit(json!([{ "c": "Contact", "id": "a", "recreate": true, "items": [] }])).unwrap();
    assert!(desk.sync(vec![copy.held()]).unwrap().syncs[0].full, "another life");
    desk.commit(json!([{ "c": "Contact", "id": "a", "delete": true }])).unwrap();
    assert_eq!(desk.sync(vec![copy.held()]).unwrap().syncs[0].v, 0, "no more");
    assert!(desk.sync(vec![Held::nothing("Contact", "a")]).unwrap().syncs.is_empty());
}

#[test]
fn doc_9_bad_requests_for_synchronisation_are_refused() {
    let desk = Desk::new();
    let version = desk.put("a", "Card", None, json!({}));
    let held = |v| Held { v, ct: version, dt: version, ..Held::nothing("Contact", "a") };
    let (name, message) = code(desk.sync(vec![held(version + 1)]));
    assert!(name == "AVERSION" && message.contains("Contact/a"), "{message}");
    assert_eq!(code(desk.sync(vec![Held::nothing("Nope", "a")])).0, "NCLASS");
    assert_eq!(code(desk.sync(vec![held(version); 1_001])).0, "ALIMIT");
    // Versions of before a restore mean nothing.
    let restored = desk.sync_of(vec![held(version + 1)], Some("another epoch".into())).unwrap();
    assert!(restored.syncs[0].full);
}
