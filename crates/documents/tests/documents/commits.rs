//! What commits do to documents (DOC-1 to DOC-6, KER-8).

use documents::{Doc, DocSet};
use kernel::Op;
use replica::{Content, ItemKey};
use serde_json::{Value, json};

use crate::kit::{Desk, code};

fn items(desk: &Desk, id: &str) -> Vec<(String, Option<Value>)> {
    let items = desk.read("Contact", id).unwrap().copy.items;
    let content = |content: Option<Content>| match content {
        Some(Content::Json(value)) => Some(value),
        Some(Content::Raw(text)) => Some(Value::String(text)),
        None => None,
    };
    items.into_iter().map(|(key, item)| (format!("{}/{}", key.c, key.k), content(item.content))).collect()
}

#[test]
fn doc_1_a_document_may_have_no_items_and_a_new_life_has_a_new_ctime() {
    let desk = Desk::new();
    let first = desk.commit(json!([{ "c": "Contact", "id": "a", "items": [] }])).unwrap();
    let doc = desk.read("Contact", "a").unwrap();
    assert_eq!((doc.copy.head.v, doc.copy.head.ct, doc.copy.items.len()), (first, first, 0));
    let gone = desk.commit(json!([{ "c": "Contact", "id": "a", "delete": true }])).unwrap();
    assert_eq!(code(desk.read("Contact", "a")).0, "NDOC");
    // The clock goes back; versions still rise.
    desk.0.jump_calendar_ms(-3_600_000);
    let again = desk.put("a", "Card", None, json!({ "name": "x" }));
    assert!(first < gone && gone < again, "{first} {gone} {again}");
    assert_eq!(desk.read("Contact", "a").unwrap().copy.head.ct, again);
    desk.0.check_invariants();
}

#[test]
fn doc_1_ker_5_one_stamp_marks_all_documents_of_an_operation_and_rises_above_each() {
    let desk = Desk::new();
    let ahead = (0..5).map(|n| desk.put("hot", "Tel", Some("k"), json!({ "number": n }))).max().unwrap();
    let both = json!([{ "c": "Contact", "id": "hot", "items": [{ "c": "Tel", "k": "k", "j": {} }] },
                      { "c": "Contact", "id": "cold", "items": [{ "c": "Card", "j": {} }] }]);
    let version = desk.commit(both).unwrap();
    assert!(version > ahead);
    for id in ["hot", "cold"] {
        let doc = desk.read("Contact", id).unwrap().copy;
        assert!(doc.head.v == version && doc.items.values().any(|item| item.v == version && item.vop == version));
    }
}

#[test]
fn doc_2_doc_5_items_are_put_deleted_and_counted() {
    let desk = Desk::new();
    desk.put("a", "Card", None, json!({ "name": "Ada", "gone": null }));
    desk.put("a", "Tel", Some("home"), json!({ "number": 1 }));
    desk.commit(json!([{ "c": "Contact", "id": "a", "items": [{ "c": "Raw", "k": "r", "s": "opaque" }] }])).unwrap();
    let doc = desk.read("Contact", "a").unwrap();
    assert_eq!(doc.v1, i64::try_from(r#"{"name":"Ada"}{"number":1}opaque"#.len()).unwrap());
    let at =
        desk.commit(json!([{ "c": "Contact", "id": "a", "items": [{ "c": "Tel", "k": "home", "delete": true }] }]));
    let doc = desk.read("Contact", "a").unwrap();
    let tombstone = &doc.copy.items[&ItemKey::new("Tel", "home")];
    assert_eq!((tombstone.v, tombstone.vop, &tombstone.content), (at.unwrap(), 0, &None));
    let expected = [("Card/", Some(json!({ "name": "Ada" }))), ("Raw/r", Some(json!("opaque"))), ("Tel/home", None)];
    assert_eq!(items(&desk, "a"), expected.map(|(key, value)| (key.to_owned(), value)));
    desk.0.check_invariants();
}

#[test]
fn doc_4_dtime_advances_and_old_tombstones_are_purged_when_a_document_is_modified() {
    let desk = Desk::new();
    let born = desk.put("a", "Tel", Some("x"), json!({}));
    desk.commit(json!([{ "c": "Contact", "id": "a", "items": [{ "c": "Tel", "k": "x", "delete": true }] }])).unwrap();
    assert_eq!(desk.read("Contact", "a").unwrap().copy.head.dt, born);
    desk.0.jump_calendar_ms(9 * 86_400_000);
    assert_eq!(items(&desk, "a").len(), 1, "nothing is purged by time alone");
    let version = desk.put("a", "Card", None, json!({}));
    let doc = desk.read("Contact", "a").unwrap().copy;
    assert!(doc.head.dt > born && doc.head.dt < version, "{:?}", doc.head);
    assert_eq!(items(&desk, "a"), [("Card/".to_owned(), Some(json!({})))]);
    desk.0.check_invariants();
}

#[test]
fn doc_5_what_changes_nothing_gives_no_version_and_leaves_no_trace() {
    let desk = Desk::new();
    let there = desk.put("a", "Card", None, json!({}));
    let lock =
        json!([{ "c": "Contact", "id": "a", "expect": there }, { "c": "Contact", "id": "none", "expect": "new" }]);
    assert_eq!(desk.commit(lock), Ok(0), "documents that are only locked");
    let no_such = json!([{ "c": "Contact", "id": "a", "items": [{ "c": "Tel", "k": "none", "delete": true }] }]);
    assert_eq!(desk.commit(no_such), Ok(0));
    let both = json!([{ "c": "Contact", "id": "b", "items": [] }, { "c": "Contact", "id": "b", "delete": true }]);
    assert_eq!(desk.commit(both), Ok(0), "created and deleted in one operation");
    assert_eq!(desk.commit(json!([{ "c": "Contact", "id": "no", "delete": true }])), Ok(0), "forced");
    static ROWS: base::Sql = base::Sql::new("test.docs", "SELECT COUNT(*) FROM doc");
    assert_eq!(desk.0.count(&ROWS), 1);
    assert_eq!(desk.read("Contact", "a").unwrap().copy.head.v, there);
}

#[test]
fn doc_5_recreate_begins_another_life_with_its_items_alone() {
    let desk = Desk::new();
    desk.put("a", "Tel", Some("old"), json!({ "number": 5 }));
    let anew = json!([{ "c": "Contact", "id": "a", "recreate": true, "items": [{ "c": "Card", "j": {} }] }]);
    let version = desk.commit(anew).unwrap();
    let head = desk.read("Contact", "a").unwrap().copy.head;
    assert_eq!((head.v, head.ct, head.dt), (version, version, version));
    assert_eq!(items(&desk, "a"), [("Card/".to_owned(), Some(json!({})))]);
    desk.0.check_invariants();
}

#[test]
fn doc_6_an_expected_version_that_is_not_there_is_told_with_both_and_with_who_won() {
    let desk = Desk::new();
    let first = desk.put("a", "Card", None, json!({}));
    let second = desk.put("a", "Card", None, json!({ "name": "b" }));
    let late = json!([{ "c": "Contact", "id": "b", "items": [] }, { "c": "Contact", "id": "a", "expect": first, "items": [] }]);
    let commit = serde_json::from_value(json!({ "changes": late })).unwrap();
    let error = desk.0.call(&documents::COMMIT, commit).unwrap_err();
    assert_eq!((error.code.name, error.phase as u8, error.code.status), ("CVERSION", 2, 409));
    let told = error.detail.join("; ");
    for part in
        ["document Contact/a", &format!("version {first}"), &format!("found {second}"), "won by doc.commit of app"]
    {
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(code(desk.read("Contact", "b")).0, "NDOC", "all or nothing");
    assert_eq!(code(desk.commit(json!([{ "c": "Contact", "id": "a", "expect": "new", "items": [] }]))).0, "CVERSION");
    assert_eq!(
        code(desk.commit(json!([{ "c": "Contact", "id": "x", "expect": first, "delete": true }]))).0,
        "CVERSION"
    );
    assert!(
        desk.commit(json!([{ "c": "Contact", "id": "a", "expect": second, "items": [{"c": "Card", "j": {}}] }]))
            .is_ok()
    );
    assert!(desk.commit(json!([{ "c": "Contact", "id": "a", "expect": "any", "delete": true }])).is_ok());
}

#[test]
fn ker_8_doc_6_thirty_two_documents_and_no_more() {
    let desk = Desk::new();
    let changes = |count: usize| -> Value {
        (0..count).map(|n| json!({ "c": "Contact", "id": n.to_string(), "items": [] })).collect()
    };
    assert_eq!(code(desk.commit(changes(33))), ("ALIMIT", "33 documents in one commit, at most 32".to_owned()));
    assert_eq!(code(desk.read("Contact", "0")).0, "NDOC");
    assert!(desk.commit(changes(32)).unwrap() > 0);
}

#[test]
fn doc_6_what_a_class_does_not_allow_is_refused_and_changes_nothing() {
    let desk = Desk::new();
    let long = "k".repeat(256);
    for (item, expected, words) in [
        (json!({ "c": "Nope", "j": {} }), "AITEM", "no item `Nope`"),
        (json!({ "c": "Card", "k": "x", "j": {} }), "AITEM", "singleton"),
        (json!({ "c": "Tel", "j": {} }), "AITEM", "needs a key"),
        (json!({ "c": "Tel", "k": long, "j": {} }), "AITEM", "256 characters"),
        (json!({ "c": "Tel", "k": "a\nb", "j": {} }), "AITEM", "control"),
        (json!({ "c": "Tel", "k": "x", "s": "raw" }), "AITEM", "holds JSON"),
        (json!({ "c": "Raw", "k": "x", "j": {} }), "AITEM", "holds a raw text"),
        (json!({ "c": "Tel", "k": "x" }), "AITEM", "exactly one"),
        (json!({ "c": "Tel", "k": "x", "j": 1, "delete": true }), "AITEM", "exactly one"),
        (json!({ "c": "Tel", "k": "x", "j": { "number": "1" } }), "AITEM", "Tel.number"),
        (json!({ "c": "P", "k": "x", "j": { "mime": "a/b", "sha": "0".repeat(64) } }), "NBLOB", ""),
        (json!({ "c": "P", "k": "x", "j": { "mime": "a/b", "sha": "xyz" } }), "AITEM", "attachment"),
        (json!({ "c": "P", "k": "x", "j": {} }), "AITEM", "mime"),
    ] {
        let changes = json!([{ "c": "Contact", "id": "a", "items": [{ "c": "Card", "j": {} }, item] }]);
        let (code, message) = code(desk.commit(changes));
        assert!(code == expected && message.contains(words), "{item}: {code} {message}");
    }
    for (change, expected) in [
        (json!({ "c": "Unknown", "id": "a", "items": [] }), "NCLASS"),
        (json!({ "c": "Contact", "id": "", "items": [] }), "AITEM"),
        (json!({ "c": "Contact", "id": "a", "expect": "old", "items": [] }), "AITEM"),
        (json!({ "c": "Contact", "id": "a", "delete": true, "recreate": true }), "AITEM"),
        (json!({ "c": "Contact", "id": "a", "items": [{ "c": "Tel", "k": "x", "delete": true }] }), "NDOC"),
    ] {
        assert_eq!(code(desk.commit(json!([change]))).0, expected, "{change}");
    }
    assert_eq!(code(desk.read("Contact", "a")).0, "NDOC");
    assert_eq!(code(desk.commit(json!([]))).0, "AITEM");
}

#[test]
fn doc_1_doc_15_a_document_asked_for_twice_is_the_same_one() {
    static TWICE: Op<(), (i64, i64)> = Op::new("test.twice", |tx, cx, ()| {
        let mut docs = DocSet::new();
        let doc = docs.create(tx, cx, "Contact", "a")?;
        doc.put_json("Card", "", json!({ "name": "first" }))?;
        let again: &mut Doc = docs.get(tx, cx, "Contact", "a")?;
        assert_eq!(again.json(tx, "Card", "")?, Some(json!({ "name": "first" })));
        let seen = (again.version(), again.ctime());
        again.put_json("Tel", "k", json!({}))?;
        assert_eq!(again.keys(tx, "Tel")?, ["k"]);
        docs.save(tx, cx)?;
        Ok(seen)
    });
    let desk = Desk::new();
    assert_eq!(desk.0.call(&TWICE, ()).unwrap().out, (0, 0), "version 0 inside the operation that creates it");
    assert_eq!(items(&desk, "a").len(), 2);
    assert_eq!(code(desk.0.call(&TWICE, ())).0, "AEXISTS");
}

#[test]
fn doc_1_doc_13_a_large_document_with_an_index_begins_anew_and_is_deleted() {
    let desk = Desk::new();
    let item = |n: i64| json!({ "c": "Tel", "k": format!("{n:04}"), "j": { "number": n } });
    let whole = |from: i64| Value::Array((from..from + 3_000).map(item).collect());
    let any = json!({ "c": "Contact", "item": "Tel", "where": [{ "field": "number", "cond": "GE", "v1": 0 }] });
    desk.commit(json!([{ "c": "Contact", "id": "a", "items": whole(0) }])).unwrap();
    desk.commit(json!([{ "c": "Contact", "id": "a", "recreate": true, "items": whole(5_000) }])).unwrap();
    assert_eq!(items(&desk, "a").len(), 3_000);
    desk.commit(json!([{ "c": "Contact", "id": "a", "delete": true }])).unwrap();
    assert_eq!(desk.search(any).unwrap().ids, Some(vec![]));
    desk.0.check_invariants();
}

#[test]
fn doc_1_doc_13_a_document_takes_no_more_indexed_values_than_can_be_taken_out_at_once() {
    let desk = Desk::new();
    let fields = (0..16).map(|n| (format!("f{n}"), json!("int[]"))).collect::<serde_json::Map<_, _>>();
    desk.declare(json!({ "class": "Full", "items": { "List": { "index": fields } } })).unwrap();
    // 1,600 values each.
    let item = |key: i64, from: i64| {
        let values = (0..16).map(|n| (format!("f{n}"), json!((from..from + 100).collect::<Vec<_>>())));
        json!({ "c": "List", "k": key.to_string(), "j": values.collect::<serde_json::Map<_, _>>() })
    };
    let put = |items: Vec<Value>| desk.commit(json!([{ "c": "Full", "id": "a", "items": items }]));
    for part in 0..7 {
        put((0..6).map(|n| item(part * 6 + n, 100)).collect()).unwrap();
    }
    let (refused, message) = code(put(vec![item(42, 100)]));
    assert!(refused == "ALIMIT" && message.contains("68000 indexed values"), "{refused} {message}");
    put(vec![item(0, 500)]).unwrap();
    desk.commit(json!([{ "c": "Full", "id": "a", "delete": true }])).unwrap();
    desk.0.check_invariants();
}

#[test]
fn doc_1_doc_14_copies_that_a_commit_puts_count_among_the_indexed_values_of_its_document() {
    let desk = Desk::new();
    let fields = (0..16).map(|n| (format!("f{n}"), json!("int[]"))).collect::<serde_json::Map<_, _>>();
    desk.declare(json!({ "class": "Held", "items": { "List": { "index": fields } } })).unwrap();
    desk.declare(json!({ "class": "Source", "items": { "List": { "copy_to": ["Held"] } } })).unwrap();
    let values = (0..16).map(|n| (format!("f{n}"), json!((0..100).collect::<Vec<_>>())));
    let values = Value::from(values.collect::<serde_json::Map<_, _>>());
    for n in 0..43 {
        let item = json!({ "c": "List", "k": "x", "j": values });
        desk.commit(json!([{ "c": "Source", "id": n.to_string(), "items": [item] }])).unwrap();
    }
    let put = |n: i32| {
        let copy = json!({ "c": "List", "k": format!("x.{n}"), "j": {} });
        desk.commit(json!([{ "c": "Held", "id": "a", "items": [copy] }]))
    };
    for n in 0..42 {
        put(n).unwrap();
    }
    assert_eq!(code(put(42)).0, "ALIMIT");
    desk.commit(json!([{ "c": "Held", "id": "a", "delete": true }])).unwrap();
    desk.0.check_invariants();
}
