//! Indexes that are declared when there are documents already (DOC-13).

use base::Sql;
use serde_json::{Value, json};

use crate::kit::{Desk, Fate, code};

static ENTRIES: Sql =
    Sql::new("test.entries", "SELECT (SELECT COUNT(*) FROM doc_int) + (SELECT COUNT(*) FROM doc_text)");
static FIELDS: Sql = Sql::new("test.fields", "SELECT number, state FROM doc_field WHERE class = 'Log' ORDER BY number");
static TASKS: Sql = Sql::new("test.tasks", "SELECT COUNT(*) FROM task WHERE op IN ('doc.fill', 'doc.drop_index')");
static FAILED: Sql = Sql::new("test.failed", "SELECT exc, report FROM task WHERE op = 'doc.fill'");
static JOURNAL: Sql =
    Sql::new("test.journal", "SELECT subject, text FROM journal WHERE kind = 'document.index' ORDER BY id");

fn log(index: Value) -> Value {
    json!({ "class": "Log", "items": { "Line": { "index": index }, "Other": {} } })
}

/// A desk with so many documents of 40 lines each, where tasks stand.
fn desk(documents: usize) -> Desk {
    let desk = Desk::new();
    desk.declare(log(json!({}))).unwrap();
    for at in 0..documents {
        let line = |n: usize| json!({ "c": "Line", "k": n.to_string(), "j": { "n": at * 40 + n } });
        let items: Vec<_> = (0..40).map(line).chain([json!({ "c": "Other", "k": "x", "j": {} })]).collect();
        desk.commit(json!([{ "c": "Log", "id": format!("{at:03}"), "items": items }])).unwrap();
    }
    desk.stop_tasks();
    desk
}

fn search(n: usize) -> Value {
    json!({ "c": "Log", "item": "Line", "where": [{ "field": "n", "cond": "EQ", "v1": n }] })
}

fn found(desk: &Desk, n: usize) -> Vec<String> {
    desk.search(search(n)).unwrap().ids.unwrap()
}

fn states(desk: &Desk) -> Vec<(i64, String)> {
    desk.0.rows(&FIELDS).iter().map(|row| (row.int(0), row.text(1).to_owned())).collect()
}

/// How far the filling is; -1 if there is none.
fn looked_at(desk: &Desk) -> i64 {
    let classes = desk.0.read(&documents::SHOW_CLASSES, ()).unwrap();
    let log = classes.into_iter().find(|class| class.decl.class == "Log").unwrap();
    log.filling.first().map_or(-1, |filling| filling.looked_at)
}

#[test]
fn doc_13_an_index_declared_later_is_filled_with_progress() {
    let desk = desk(40);
    assert_eq!(desk.declare(log(json!({ "n": "int" }))).unwrap(), ["Line.n"]);
    let (name, message) = code(desk.search(search(7)));
    assert!(name == "CINDEX" && message.contains("Line.n") && message.contains("0 items"), "{message}");
    let number = states(&desk)[0].0;
    let checkpoint = desk.cycle("doc.fill", number, None, Fate::Committed);
    assert!(looked_at(&desk) == 500 && checkpoint.is_some());
    assert!(code(desk.search(search(7))).1.contains("500 items"));
    desk.cycle("doc.fill", number, checkpoint, Fate::Killed);
    assert_eq!(looked_at(&desk), 500, "what was undone does not count");
    desk.work_on();
    assert_eq!((found(&desk, 7), found(&desk, 1_599)), (vec!["000".to_owned()], vec!["039".to_owned()]));
    assert_eq!((looked_at(&desk), desk.0.count(&TASKS), desk.0.count(&ENTRIES)), (-1, 0, 1_600));
    let line = &desk.0.rows(&JOURNAL)[0];
    assert_eq!(line.text(0), "Log Line.n");
    assert_eq!(line.text(1), "filled: 2140 items looked at", "the task began anew, without the checkpoint of the test");
}

#[test]
fn doc_13_commits_between_the_cycles_of_a_filling_are_in_the_index() {
    let desk = desk(40);
    desk.declare(log(json!({ "n": "int" }))).unwrap();
    let number = states(&desk)[0].0;
    let checkpoint = desk.cycle("doc.fill", number, None, Fate::Committed);
    // Once before and once after the filling has come by (it is at document 012): an item changes, one goes, a document goes,
    // one lives anew, one is born.
    desk.commit(json!([
        { "c": "Log", "id": "021", "items": [{ "c": "Line", "k": "0", "j": { "n": 9_021 } }, { "c": "Line", "k": "1", "delete": true }] },
        { "c": "Log", "id": "022", "delete": true },
        { "c": "Log", "id": "023", "recreate": true, "items": [{ "c": "Line", "k": "0", "j": { "n": 9_023 } }] },
    ]))
    .unwrap();
    desk.commit(json!([
        { "c": "Log", "id": "001", "items": [{ "c": "Line", "k": "0", "j": { "n": 9_001 } }, { "c": "Line", "k": "1", "delete": true }] },
        { "c": "Log", "id": "002", "delete": true },
        { "c": "Log", "id": "003", "recreate": true, "items": [{ "c": "Line", "k": "0", "j": { "n": 9_003 } }] },
        { "c": "Log", "id": "zzz", "items": [{ "c": "Line", "k": "0", "j": { "n": 9_999 } }] },
    ]))
    .unwrap();
    assert_eq!(code(desk.search(search(9_999))).0, "CINDEX");
    let mut next = checkpoint;
    while next.is_some() {
        next = desk.cycle("doc.fill", number, next, Fate::Committed);
    }
    for (n, id) in [(9_001, "001"), (9_003, "003"), (9_021, "021"), (9_023, "023"), (9_999, "zzz"), (42, "001")] {
        assert_eq!(found(&desk, n), [id], "{n}");
    }
    for n in [40, 41, 80, 120, 121, 840, 841, 880, 920, 921] {
        assert_eq!(found(&desk, n), Vec::<String>::new(), "{n}");
    }
    assert_eq!(desk.0.count(&ENTRIES), 1_600 - 2 * (1 + 40 + 39) + 1);
}

#[test]
fn doc_13_values_that_do_not_fit_are_passed_over_and_counted() {
    let desk = desk(1);
    for (id, n) in [("odd", json!("text")), ("odder", json!([1, "x"])), ("late", json!(5_000))] {
        desk.commit(json!([{ "c": "Log", "id": id, "items": [{ "c": "Line", "k": "0", "j": { "n": n } }] }])).unwrap();
    }
    desk.declare(log(json!({ "n": "int[]" }))).unwrap();
    desk.work_on();
    assert_eq!(found(&desk, 5_000), ["late"]);
    let text = desk.0.rows(&JOURNAL)[0].text(1).to_owned();
    assert!(text.starts_with("filled: 44 items looked at, 2 have a value") && text.ends_with("as in odd"), "{text}");
    // What did not fit goes without a trace when it is changed.
    desk.commit(json!([{ "c": "Log", "id": "odd", "items": [{ "c": "Line", "k": "0", "j": { "n": 6_000 } }] }]))
        .unwrap();
    assert_eq!(found(&desk, 6_000), ["odd"]);
}

#[test]
fn doc_13_an_index_declared_away_while_it_is_filled_is_dropped_and_its_number_never_used_again() {
    let desk = desk(30);
    desk.declare(log(json!({ "n": "int" }))).unwrap();
    let filling = states(&desk);
    let checkpoint = desk.cycle("doc.fill", filling[0].0, None, Fate::Committed);
    assert!(filling.len() == 1 && checkpoint.is_some() && desk.0.count(&ENTRIES) > 400);
    desk.declare(log(json!({}))).unwrap();
    assert_eq!(states(&desk)[0].1, "dropping");
    assert_eq!(code(desk.search(search(7))).0, "ASEARCH");
    assert_eq!(desk.cycle("doc.fill", filling[0].0, checkpoint, Fate::Committed), None, "no more wanted: it ends");
    desk.work_on();
    assert_eq!((desk.0.count(&TASKS), desk.0.count(&ENTRIES)), (0, 0));
    assert_eq!(states(&desk), [(filling[0].0, "dropped".to_owned())], "the newest number stays known");

    desk.declare(log(json!({ "n": "int" }))).unwrap();
    assert!(states(&desk)[1].0 > filling[0].0);
    desk.work_on();
    assert_eq!(found(&desk, 7), ["000"]);
    // Another type is another index; what the old one held goes, in portions.
    desk.declare(log(json!({ "n": "int[]" }))).unwrap();
    desk.work_on();
    assert_eq!(found(&desk, 1_199), ["029"]);
    assert_eq!(desk.0.count(&ENTRIES), 1_200);
    assert_eq!(states(&desk).iter().map(|(_, state)| state.as_str()).collect::<Vec<_>>(), ["ready"]);
}

#[test]
fn doc_13_a_filling_run_again_from_any_checkpoint_fills_the_same() {
    let desk = desk(40);
    desk.declare(log(json!({ "n": "int" }))).unwrap();
    let number = states(&desk)[0].0;
    // Cycles by hand: each is run, undone as if the process had been killed before its commit, and run again.
    let (mut checkpoint, mut cycles) = (None, 0);
    loop {
        let lost = desk.cycle("doc.fill", number, checkpoint.clone(), Fate::Killed);
        let next = desk.cycle("doc.fill", number, checkpoint, Fate::Committed);
        assert_eq!(lost, next, "the same again");
        cycles += 1;
        if next.is_none() {
            break;
        }
        checkpoint = next;
    }
    assert!(cycles > 3, "{cycles}");
    assert_eq!((desk.0.count(&ENTRIES), found(&desk, 1_234)), (1_600, vec!["030".to_owned()]));
    // The task that still waits finds nothing to do.
    desk.work_on();
    assert_eq!((desk.0.count(&TASKS), desk.0.count(&ENTRIES)), (0, 1_600));
}

#[test]
fn doc_13_doc_1_an_index_that_a_document_is_too_large_for_is_not_filled_and_the_document_can_go() {
    let desk = Desk::new();
    desk.declare(log(json!({ "n": "int[]" }))).unwrap();
    desk.stop_tasks();
    // Values that stay below the bound by one list, and pass it by two.
    let values = Value::Array((0..100).map(Value::from).collect());
    for part in 0..7 {
        let line = |k: usize| json!({ "c": "Line", "k": format!("{part} {k}"), "j": { "n": values, "m": values } });
        desk.commit(json!([{ "c": "Log", "id": "large", "items": (0..60).map(line).collect::<Vec<_>>() }])).unwrap();
    }
    desk.commit(json!([{ "c": "Log", "id": "small", "items": [{ "c": "Line", "k": "x", "j": { "m": [7] } }] }]))
        .unwrap();
    desk.declare(log(json!({ "n": "int[]", "m": "int[]" }))).unwrap();
    desk.work_on();
    let failed = &desk.0.rows(&FAILED)[0];
    assert!(failed.text(0) == "ALIMIT" && failed.text(1).contains("Log/large"), "{failed:?}");
    desk.commit(json!([{ "c": "Log", "id": "large", "delete": true }])).unwrap();
    desk.0.pass_ms(86_400_000);
    desk.work_on();
    let seven = json!({ "c": "Log", "item": "Line", "where": [{ "field": "m", "cond": "EQ", "v1": 7 }] });
    assert_eq!(desk.search(seven).unwrap().ids.unwrap(), ["small"]);
    desk.0.check_invariants();
}
