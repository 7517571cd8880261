//! Deferred copies (DOC-14), with the original's example: associations (`Asso`) with a status (`Sta`) and members (`Adh`), and working
//! groups (`GT`) that hold copies of both.

use base::{Sql, args};
use kernel::{Op, Plan, TaskRow};
use replica::{Content, CopiedItem, ItemKey};
use serde_json::{Value, json};

use crate::kit::{Desk, code};

static TASKS: Sql = Sql::new("test.copy_tasks", "SELECT COUNT(*) FROM task WHERE op = 'doc.copy'");

fn desk() -> Desk {
    let desk = Desk::new();
    let asso = json!({ "class": "Asso", "items": {
        "Sta": { "singleton": true, "copy_to": ["GT"] }, "Adh": { "copy_to": ["GT"] }, "Own": {},
    } });
    desk.declare(asso).unwrap();
    desk.declare(json!({ "class": "GT", "items": { "Sta": {}, "Adh": { "index": { "age": "int" } } } })).unwrap();
    desk
}

fn put(desk: &Desk, class: &str, id: &str, item: &str, key: &str, value: Value) -> i64 {
    desk.commit(json!([{ "c": class, "id": id, "items": [{ "c": item, "k": key, "j": value }] }])).unwrap()
}

fn delete(desk: &Desk, class: &str, id: &str, item: &str, key: &str) -> i64 {
    desk.commit(json!([{ "c": class, "id": id, "items": [{ "c": item, "k": key, "delete": true }] }])).unwrap()
}

fn find(desk: &Desk, class: &str, id: &str, item: &str, key: &str) -> Option<CopiedItem> {
    desk.read(class, id).unwrap().copy.items.get(&ItemKey::new(item, key)).cloned()
}

/// An item of a group as version, vop and content; `None` if it is not there, also as a tombstone.
fn copy(desk: &Desk, id: &str, item: &str, key: &str) -> Option<(i64, i64, Value)> {
    let found = find(desk, "GT", id, item, key)?;
    match found.content? {
        Content::Json(value) => Some((found.v, found.vop, value)),
        Content::Raw(text) => Some((found.v, found.vop, Value::String(text))),
    }
}

/// Tasks wait from now on until they are to settle.
fn hold(desk: &Desk) {
    desk.0.call(&kernel::tasks::SUSPEND, 0).unwrap();
}

/// Lets the tasks run.
fn settle(desk: &Desk) {
    desk.0.call(&kernel::tasks::RESUME, 0).unwrap();
    desk.0.pass_ms(10_000);
    assert_eq!(desk.0.count(&TASKS), 0, "copies are level");
    desk.0.check_invariants();
}

#[test]
fn doc_14_every_update_reaches_the_copies_with_their_own_version_and_the_sources_vop() {
    let desk = desk();
    let sta = put(&desk, "Asso", "A1", "Sta", "", json!({ "state": "active" }));
    let adh = put(&desk, "Asso", "A1", "Adh", "N1", json!({ "name": "Ada" }));
    // What the operation says of a copy does not count: its source does.
    let joined = desk
        .commit(json!([{ "c": "GT", "id": "G1", "items": [
            { "c": "Adh", "k": "N1.A1", "j": { "name": "?" } }, { "c": "Sta", "k": "A1", "j": {} }] }]))
        .unwrap();
    assert_eq!(copy(&desk, "G1", "Adh", "N1.A1"), Some((joined, adh, json!({ "name": "Ada" }))));
    assert_eq!(copy(&desk, "G1", "Sta", "A1"), Some((joined, sta, json!({ "state": "active" }))));
    settle(&desk);
    assert_eq!(desk.read("GT", "G1").unwrap().copy.head.v, joined, "level already");

    hold(&desk);
    let both = json!([{ "c": "Asso", "id": "A1", "items": [
        { "c": "Sta", "j": { "state": "resigned" } }, { "c": "Adh", "k": "N1", "j": { "name": "Ada L" } }] }]);
    let dh1 = desk.commit(both).unwrap();
    assert_eq!(copy(&desk, "G1", "Sta", "A1").unwrap().1, sta, "not by the operation itself");
    settle(&desk);
    let dh2 = desk.read("GT", "G1").unwrap().copy.head.v;
    assert!(dh2 > dh1, "{dh2} {dh1}");
    assert_eq!(copy(&desk, "G1", "Adh", "N1.A1"), Some((dh2, dh1, json!({ "name": "Ada L" }))));
    assert_eq!(copy(&desk, "G1", "Sta", "A1"), Some((dh2, dh1, json!({ "state": "resigned" }))));
}

#[test]
fn doc_14_other_items_documents_and_classes_are_not_touched() {
    let desk = desk();
    put(&desk, "Asso", "A1", "Adh", "N1", json!({}));
    put(&desk, "Asso", "A2", "Adh", "N1", json!({}));
    let other = put(&desk, "GT", "G2", "Adh", "N1.A2", json!({}));
    let neither = put(&desk, "GT", "G3", "Adh", "N2.A1", json!({ "here": 1 }));
    settle(&desk);
    hold(&desk);
    put(&desk, "Asso", "A1", "Adh", "N1", json!({ "x": 1 }));
    put(&desk, "Asso", "A1", "Own", "N1", json!({ "x": 1 }));
    assert_eq!(desk.0.count(&TASKS), 1, "an item that is not copied tells nobody");
    settle(&desk);
    assert_eq!(desk.read("GT", "G2").unwrap().copy.head.v, other);
    assert_eq!(copy(&desk, "G3", "Adh", "N2.A1"), Some((neither, neither, json!({ "here": 1 }))), "no source");
    assert_eq!(code(desk.read("GT", "G1")).0, "NDOC", "no copy is made by itself");
}

#[test]
fn doc_14_a_copy_deleted_in_the_target_stays_deleted_and_its_source_stays() {
    let desk = desk();
    put(&desk, "Asso", "A1", "Sta", "", json!({ "n": 1 }));
    put(&desk, "GT", "G1", "Sta", "A1", json!({}));
    hold(&desk);
    put(&desk, "Asso", "A1", "Sta", "", json!({ "n": 2 }));
    // Before the task of the update comes, and after.
    let left = delete(&desk, "GT", "G1", "Sta", "A1");
    settle(&desk);
    put(&desk, "Asso", "A1", "Sta", "", json!({ "n": 3 }));
    settle(&desk);
    assert_eq!(find(&desk, "GT", "G1", "Sta", "A1"), Some(CopiedItem { v: left, vop: 0, content: None }));
    let source = find(&desk, "Asso", "A1", "Sta", "").unwrap();
    assert_eq!(source.content, Some(Content::Json(json!({ "n": 3 }))));
    // Taking part again begins with what the source holds now.
    put(&desk, "GT", "G1", "Sta", "A1", json!({}));
    let (_, vop, value) = copy(&desk, "G1", "Sta", "A1").unwrap();
    assert_eq!((vop, value), (source.vop, json!({ "n": 3 })));
}

#[test]
fn doc_14_deleting_the_source_item_deletes_the_copies() {
    let desk = desk();
    put(&desk, "Asso", "A1", "Adh", "N1", json!({}));
    put(&desk, "Asso", "A1", "Adh", "N2", json!({}));
    for key in ["N1.A1", "N2.A1"] {
        put(&desk, "GT", "G1", "Adh", key, json!({}));
    }
    let dh1 = delete(&desk, "Asso", "A1", "Adh", "N1");
    settle(&desk);
    let tombstone = find(&desk, "GT", "G1", "Adh", "N1.A1").unwrap();
    assert!(tombstone.content.is_none() && tombstone.v > dh1);
    assert!(copy(&desk, "G1", "Adh", "N2.A1").is_some());
    // It comes back at the source: only existing copies are updated.
    put(&desk, "Asso", "A1", "Adh", "N1", json!({ "back": true }));
    settle(&desk);
    assert_eq!(find(&desk, "GT", "G1", "Adh", "N1.A1"), Some(tombstone));
}

#[test]
fn doc_14_a_source_document_that_ends_or_begins_anew_takes_its_copies_along() {
    let desk = desk();
    for id in ["A1", "A2"] {
        put(&desk, "Asso", id, "Sta", "", json!({}));
        put(&desk, "Asso", id, "Adh", "N1", json!({}));
        put(&desk, "GT", "G1", "Sta", id, json!({}));
        put(&desk, "GT", "G1", "Adh", &format!("N1.{id}"), json!({}));
    }
    desk.commit(json!([{ "c": "Asso", "id": "A1", "delete": true }])).unwrap();
    let anew = json!([{ "c": "Asso", "id": "A2", "recreate": true, "items": [{ "c": "Sta", "j": { "life": 2 } }] }]);
    let born = desk.commit(anew).unwrap();
    settle(&desk);
    assert_eq!(copy(&desk, "G1", "Sta", "A1"), None);
    assert_eq!(copy(&desk, "G1", "Adh", "N1.A1"), None);
    assert_eq!(copy(&desk, "G1", "Adh", "N1.A2"), None, "not in its second life");
    let (_, vop, value) = copy(&desk, "G1", "Sta", "A2").unwrap();
    assert_eq!((vop, value), (born, json!({ "life": 2 })));
}

/// Runs one cycle of the task by hand, as one that comes late, or twice; where it left off.
fn task(desk: &Desk, param: Value, checkpoint: Option<String>) -> Option<String> {
    static RUN: Op<(String, Option<String>), Option<String>> = Op::new("test.copy", |tx, cx, (param, checkpoint)| {
        let task = documents::SERVICE.tasks.iter().find(|task| task.op == "doc.copy").expect("the task");
        let row = TaskRow {
            id: cx.id(),
            op: task.op.into(),
            param: param.clone(),
            target: None,
            attempt: 1,
            retry: 0,
            start_time: cx.wall,
            checkpoint: checkpoint.clone(),
        };
        match (task.plan)(tx, cx, &row)? {
            Plan::Checkpoint(place) => Ok(Some(place)),
            plan => {
                assert_eq!(plan, Plan::Done);
                Ok(None)
            }
        }
    });
    desk.0.call(&RUN, (param.to_string(), checkpoint)).unwrap().out
}

#[test]
fn doc_14_an_older_state_never_overwrites_a_newer() {
    let desk = desk();
    let old = put(&desk, "Asso", "A1", "Sta", "", json!({ "n": 1 }));
    put(&desk, "GT", "G1", "Sta", "A1", json!({}));
    let new = put(&desk, "Asso", "A1", "Sta", "", json!({ "n": 2 }));
    settle(&desk);
    let level = copy(&desk, "G1", "Sta", "A1");
    assert_eq!(level.as_ref().unwrap().1, new);
    // The task of the older operation is overtaken and comes last; so does the newer one, a second time.
    for stamp in [old, new] {
        task(&desk, json!({ "class": "Asso", "id": "A1", "stamp": stamp, "items": [["Sta", ""]] }), None);
        assert_eq!(copy(&desk, "G1", "Sta", "A1"), level);
    }
    // A deletion that comes late does not take away what was put after it.
    let ended = desk.commit(json!([{ "c": "Asso", "id": "A1", "delete": true }])).unwrap();
    settle(&desk);
    desk.0.jump_calendar_ms(-86_400_000);
    let here = put(&desk, "GT", "G1", "Sta", "A1", json!({ "own": true }));
    assert!(here > ended, "{here} {ended}");
    task(&desk, json!({ "class": "Asso", "id": "A1", "stamp": ended, "items": [["Sta", ""]] }), None);
    assert_eq!(copy(&desk, "G1", "Sta", "A1"), Some((here, here, json!({ "own": true }))));
    desk.0.check_invariants();
}

#[test]
fn doc_14_a_hundred_targets_are_reached_in_several_cycles() {
    let desk = desk();
    put(&desk, "Asso", "A1", "Sta", "", json!({ "n": 1 }));
    for group in 0..100 {
        put(&desk, "GT", &format!("G{group}"), "Sta", "A1", json!({}));
    }
    delete(&desk, "GT", "G50", "Sta", "A1");
    hold(&desk);
    let dh1 = put(&desk, "Asso", "A1", "Sta", "", json!({ "n": 2 }));
    let level = || {
        let of_group = |group: &i32| copy(&desk, &format!("G{group}"), "Sta", "A1");
        (0..100).filter_map(|group| of_group(&group)).filter(|(v, vop, _)| *vop == dh1 && *v > dh1).count()
    };
    let told = json!({ "class": "Asso", "id": "A1", "stamp": dh1, "items": [["Sta", ""]] });
    let place = task(&desk, told.clone(), None);
    assert!(place.is_some() && level() == 32, "at most 32 documents at once: {place:?} {}", level());
    let place = task(&desk, told, place);
    assert!(place.is_some() && level() == 64, "{place:?} {}", level());
    settle(&desk);
    assert_eq!(level(), 99);
    assert_eq!(copy(&desk, "G50", "Sta", "A1"), None);
}

#[test]
fn doc_14_a_thousand_items_of_one_operation_reach_their_copies() {
    let desk = desk();
    let items = |n: i64| -> Vec<Value> {
        (0..1_001).map(|key| json!({ "c": "Adh", "k": format!("N{key}"), "j": { "n": n } })).collect()
    };
    let copies: Vec<Value> = (0..1_001).map(|key| json!({ "c": "Adh", "k": format!("N{key}.A1"), "j": {} })).collect();
    desk.commit(json!([{ "c": "Asso", "id": "A1", "items": items(1) }])).unwrap();
    desk.commit(json!([{ "c": "GT", "id": "G1", "items": copies }])).unwrap();
    settle(&desk);
    hold(&desk);
    desk.commit(json!([{ "c": "Asso", "id": "A1", "items": items(2) }])).unwrap();
    assert_eq!(desk.0.count(&TASKS), 3, "500 items each");
    settle(&desk);
    for item in desk.read("GT", "G1").unwrap().copy.items.values() {
        assert_eq!(item.content, Some(Content::Json(json!({ "n": 2 }))));
    }
}

#[test]
fn doc_14_ker_5_versions_of_copies_rise_though_the_clock_jumps() {
    let desk = desk();
    let mut last = (0, 0);
    put(&desk, "Asso", "A1", "Sta", "", json!({}));
    put(&desk, "GT", "G1", "Sta", "A1", json!({}));
    for (n, jump_ms) in [86_400_000, -172_800_000, 3_600_000, -3_600_000, 0].into_iter().enumerate() {
        desk.0.jump_calendar_ms(jump_ms);
        put(&desk, "Asso", "A1", "Sta", "", json!({ "n": n }));
        desk.0.jump_calendar_ms(-jump_ms / 2);
        desk.0.pass_ms(120_000);
        let (version, vop, value) = copy(&desk, "G1", "Sta", "A1").unwrap();
        assert_eq!(value, json!({ "n": n }));
        assert!(version > vop && version > last.0 && vop > last.1, "{version} {vop} {last:?}");
        last = (version, vop);
    }
    desk.0.check_invariants();
}

#[test]
fn doc_14_what_is_put_before_its_source_follows_it_once_there_is_one() {
    let desk = desk();
    let here = put(&desk, "GT", "G1", "Sta", "A1", json!({ "own": 1 }));
    // The clock goes back: the source's first stamp is lower than that of what is there.
    desk.0.jump_calendar_ms(-86_400_000);
    let source = put(&desk, "Asso", "A1", "Sta", "", json!({ "n": 1 }));
    assert!(source < here);
    settle(&desk);
    let (version, vop, value) = copy(&desk, "G1", "Sta", "A1").unwrap();
    assert_eq!((vop, value), (source, json!({ "n": 1 })));
    assert!(version > here);
    // Both in one operation.
    let both = json!([{ "c": "GT", "id": "G2", "items": [{ "c": "Sta", "k": "A2", "j": {} }] },
                      { "c": "Asso", "id": "A2", "items": [{ "c": "Sta", "j": { "n": 2 } }] }]);
    let stamp = desk.commit(both).unwrap();
    settle(&desk);
    let (version, vop, value) = copy(&desk, "G2", "Sta", "A2").unwrap();
    assert_eq!((vop, value), (stamp, json!({ "n": 2 })));
    assert!(version > stamp);
}

#[test]
fn doc_14_copies_of_copies_follow_too() {
    let desk = Desk::new();
    desk.declare(json!({ "class": "A", "items": { "Sta": { "singleton": true, "copy_to": ["B"] } } })).unwrap();
    desk.declare(json!({ "class": "B", "items": { "Sta": { "copy_to": ["C"], "separator": "/" } } })).unwrap();
    desk.declare(json!({ "class": "C", "items": { "Sta": {} } })).unwrap();
    put(&desk, "A", "a", "Sta", "", json!({ "n": 1 }));
    put(&desk, "B", "b", "Sta", "a", json!({}));
    put(&desk, "C", "c", "Sta", "a/b", json!({}));
    let dh1 = put(&desk, "A", "a", "Sta", "", json!({ "n": 2 }));
    settle(&desk);
    let middle = find(&desk, "B", "b", "Sta", "a").unwrap();
    let last = find(&desk, "C", "c", "Sta", "a/b").unwrap();
    assert_eq!((middle.vop, last.vop, &last.content), (dh1, dh1, &Some(Content::Json(json!({ "n": 2 })))));
    assert!(middle.v > dh1 && last.v > dh1);
    delete(&desk, "A", "a", "Sta", "");
    settle(&desk);
    assert_eq!(find(&desk, "C", "c", "Sta", "a/b").unwrap().content, None);
}

#[test]
fn doc_14_copies_run_no_business_checks() {
    let desk = desk();
    put(&desk, "Asso", "A1", "Adh", "N1", json!({ "age": "unknown" }));
    let refused =
        desk.commit(json!([{ "c": "GT", "id": "G1", "items": [{ "c": "Adh", "k": "x", "j": { "age": "?" } }] }]));
    assert_eq!(code(refused).0, "AITEM", "an operation's own value is checked");
    // An age that the group's index cannot hold is copied all the same, and is not in the index.
    put(&desk, "GT", "G1", "Adh", "N1.A1", json!({}));
    put(&desk, "Asso", "A1", "Adh", "N1", json!({ "age": 36 }));
    settle(&desk);
    static AGES: Sql = Sql::new("test.ages", "SELECT COUNT(*) FROM doc_int");
    assert_eq!(desk.0.count(&AGES), 1);
    put(&desk, "Asso", "A1", "Adh", "N1", json!({ "age": [1, 2] }));
    settle(&desk);
    assert_eq!(copy(&desk, "G1", "Adh", "N1.A1").unwrap().2, json!({ "age": [1, 2] }));
    assert_eq!(desk.0.count(&AGES), 0);
}

#[test]
fn doc_14_a_commit_on_the_target_and_a_copy_do_not_undo_each_other() {
    let desk = desk();
    put(&desk, "Asso", "A1", "Sta", "", json!({ "n": 0 }));
    put(&desk, "GT", "G1", "Sta", "A1", json!({}));
    let mut expect = desk.read("GT", "G1").unwrap().copy.head.v;
    let mut lost = 0;
    for n in 1..20 {
        hold(&desk);
        put(&desk, "Asso", "A1", "Sta", "", json!({ "n": n }));
        if n % 2 == 0 {
            settle(&desk);
        }
        let items = json!([{ "c": "Adh", "k": "mine.none", "j": { "age": n } }]);
        let commit = |expect| desk.commit(json!([{ "c": "GT", "id": "G1", "expect": expect, "items": items }]));
        let version = commit(expect).unwrap_or_else(|error| {
            assert_eq!(error.code.name, "CVERSION", "the copy came first");
            lost += 1;
            commit(desk.read("GT", "G1").unwrap().copy.head.v).unwrap()
        });
        expect = version;
    }
    assert!(lost > 0, "copies give documents new versions");
    settle(&desk);
    assert_eq!(copy(&desk, "G1", "Sta", "A1").unwrap().2, json!({ "n": 19 }));
    assert_eq!(copy(&desk, "G1", "Adh", "mine.none").unwrap().2, json!({ "age": 19 }));
}

#[test]
fn doc_14_keys_and_ids_with_the_separator_in_them_find_their_source() {
    let desk = desk();
    let first = put(&desk, "Asso", "x.A", "Adh", "N", json!({ "of": "x.A" }));
    put(&desk, "GT", "G1", "Adh", "N.x.A", json!({}));
    assert_eq!(copy(&desk, "G1", "Adh", "N.x.A").unwrap().1, first);
    // Another one has the same key: the newest counts.
    let second = put(&desk, "Asso", "A", "Adh", "N.x", json!({ "of": "A" }));
    put(&desk, "GT", "G2", "Adh", "N.x.A", json!({}));
    settle(&desk);
    for group in ["G1", "G2"] {
        assert_eq!(copy(&desk, group, "Adh", "N.x.A").unwrap().1, second, "{group}");
    }
}

#[test]
fn doc_14_copies_wait_for_an_index_that_is_being_filled() {
    static READY: Op<bool, ()> = Op::new("test.ready", |tx, _, ready: &bool| {
        static SET: Sql = Sql::new("test.set_ready", "UPDATE doc_class SET compiled = REPLACE(compiled, ?1, ?2)");
        let (from, to) = (format!("\"ready\":{}", !ready), format!("\"ready\":{ready}"));
        Ok(tx.write(&SET, args![from, to])?)
    });
    let desk = desk();
    put(&desk, "Asso", "A1", "Sta", "", json!({ "n": 1 }));
    put(&desk, "GT", "G1", "Sta", "A1", json!({}));
    settle(&desk);
    desk.0.call(&READY, false).unwrap();
    let level = copy(&desk, "G1", "Sta", "A1");
    put(&desk, "Asso", "A1", "Sta", "", json!({ "n": 2 }));
    desk.0.pass_ms(60_000);
    assert_eq!(copy(&desk, "G1", "Sta", "A1"), level, "the index cannot tell where the copies are");
    assert_eq!(desk.0.count(&TASKS), 1);
    desk.0.call(&READY, true).unwrap();
    settle(&desk);
    assert_eq!(copy(&desk, "G1", "Sta", "A1").unwrap().2, json!({ "n": 2 }));
}

#[test]
fn doc_14_whatever_a_task_is_told_it_only_brings_copies_level() {
    let desk = desk();
    put(&desk, "Asso", "A1", "Sta", "", json!({ "n": 1 }));
    put(&desk, "GT", "G1", "Sta", "A1", json!({}));
    let own = put(&desk, "GT", "G1", "Sta", "none", json!({ "own": 1 }));
    settle(&desk);
    for items in [json!([["Sta", ""]]), json!([["Sta", "x"], ["Adh", "N1"], ["Nope", ""]]), json!([])] {
        task(&desk, json!({ "class": "Asso", "id": "A1", "stamp": 991_231_235_959_999_i64, "items": items }), None);
    }
    assert_eq!(desk.read("GT", "G1").unwrap().copy.head.v, own);
    // A stamp of the far future is not believed: it would be the document's last version.
    task(
        &desk,
        json!({ "class": "Asso", "id": "none", "stamp": 991_231_235_959_999_i64, "items": [["Sta", ""]] }),
        None,
    );
    desk.0.pass_ms(1_000);
    let version = put(&desk, "GT", "G1", "Adh", "z", json!({}));
    assert!(version < 300_000_000_000_000, "{version}");
    desk.0.check_invariants();
}

#[test]
fn doc_14_a_deletion_that_comes_late_takes_the_copies_and_not_what_was_put_after_it() {
    let desk = desk();
    put(&desk, "Asso", "A1", "Sta", "", json!({}));
    put(&desk, "GT", "G1", "Sta", "A1", json!({}));
    hold(&desk);
    delete(&desk, "Asso", "A1", "Sta", "");
    let here = put(&desk, "GT", "G2", "Sta", "A1", json!({ "own": true }));
    settle(&desk);
    assert_eq!(copy(&desk, "G1", "Sta", "A1"), None);
    assert_eq!(copy(&desk, "G2", "Sta", "A1"), Some((here, here, json!({ "own": true }))));
}

#[test]
fn doc_1_deleted_documents_are_forgotten_and_versions_rise_all_the_same() {
    static HEADS: Sql = Sql::new("test.deleted_heads", "SELECT COUNT(*) FROM doc WHERE ctime = 0");
    let desk = desk();
    desk.declare(json!({ "class": "Kept", "items": { "A": {} }, "keep_days": 30 })).unwrap();
    put(&desk, "Kept", "k", "A", "x", json!({}));
    desk.0.jump_calendar_ms(1_000);
    let gone = desk.commit(json!([{ "c": "Kept", "id": "k", "delete": true }])).unwrap();
    // Kept as long as any class keeps anything, then gone.
    desk.0.jump_calendar_ms(29 * 86_400_000);
    desk.0.pass_ms(120_000);
    assert_eq!(desk.0.count(&HEADS), 1);
    desk.0.jump_calendar_ms(2 * 86_400_000);
    desk.0.pass_ms(120_000);
    assert_eq!(desk.0.count(&HEADS), 0);
    desk.0.jump_calendar_ms(-40 * 86_400_000);
    assert!(put(&desk, "Kept", "k", "A", "x", json!({})) > gone, "though the calendar is before its deletion");
    desk.0.check_invariants();
}
