//! Who changed what, when and by which operation (CON-5), as lists, documents and histories tell it.

use base::{OpResult, Sql, args};
use documents::{
    CHANGES, CLASS_COUNTS, ChangeKind, ChangeView, ClassCount, DocDetail, DocLines, HistoryRule, LIST, ListOf, SHOW,
    SyncFilter, SyncFilterOf, Verdict, ViewOf, Viewer,
};
use kernel::{Caller, Op, Properties};
use serde_json::{Value, json};

use crate::kit::{Desk, Fate, code};

const DAY_MS: i64 = 86_400_000;

/// What the same checks need of each engine.
pub trait Scene {
    fn declare_paper(&self, decl: Value);
    fn commit_as(&self, who: &str, changes: Value) -> i64;
    fn list(&self, of: ListOf) -> OpResult<DocLines>;
    fn show(&self, of: ViewOf) -> OpResult<DocDetail>;
    fn changes(&self, of: ViewOf) -> OpResult<Vec<ChangeView>>;
    fn counts(&self) -> Vec<ClassCount>;
}

impl Scene for Desk {
    fn declare_paper(&self, decl: Value) {
        Self::declare(self, decl).unwrap();
    }
    fn commit_as(&self, who: &str, changes: Value) -> i64 {
        Self::commit_as(self, who, changes).unwrap()
    }
    fn list(&self, of: ListOf) -> OpResult<DocLines> {
        self.0.read(&LIST, of)
    }
    fn show(&self, of: ViewOf) -> OpResult<DocDetail> {
        self.0.read(&SHOW, of)
    }
    fn changes(&self, of: ViewOf) -> OpResult<Vec<ChangeView>> {
        self.0.read(&CHANGES, of)
    }
    fn counts(&self) -> Vec<ClassCount> {
        self.0.read(&CLASS_COUNTS, vec![]).unwrap()
    }
}

pub fn viewer(filter: Option<SyncFilter>) -> Viewer {
    let (caller, properties) = (Caller::public(), Properties::default());
    Viewer { caller, properties, filter: filter.map(SyncFilterOf) }
}

fn of(class: &str, id: &str) -> ViewOf {
    ViewOf { class: class.into(), id: id.into(), viewer: viewer(None) }
}

fn page(class: &str, prefix: &str, after: Option<&str>, limit: usize) -> ListOf {
    let (class, prefix, after) = (class.into(), prefix.into(), after.map(str::to_owned));
    ListOf { class, prefix, after, limit, viewer: viewer(None) }
}

fn ids(lines: &DocLines) -> Vec<&str> {
    lines.items.iter().map(|line| line.id.as_str()).collect()
}

fn put(class: &str, id: &str, key: &str) -> Value {
    json!([{ "c": class, "id": id, "items": [{ "c": "Tel", "k": key, "j": {} }] }])
}

fn drop_tel(class: &str, id: &str, key: &str) -> Value {
    json!([{ "c": class, "id": id, "items": [{ "c": "Tel", "k": key, "delete": true }] }])
}

fn paper(class: &str) -> Value {
    json!({ "class": class, "history": true, "items": { "Card": { "singleton": true }, "Tel": {}, "Raw": { "raw": true } } })
}

/// Items and tombstones name who changed them.
pub fn check_items(scene: &dyn Scene) {
    scene.declare_paper(paper("Who"));
    let first = scene.commit_as("ada", json!([{ "c": "Who", "id": "a", "items": [
        { "c": "Card", "j": { "name": "A" } }, { "c": "Tel", "k": "1", "j": {} }, { "c": "Raw", "k": "r", "s": "text" }] }]));
    let second = scene.commit_as("bob", drop_tel("Who", "a", "1"));
    let third = scene.commit_as("eve", put("Who", "a", "2"));
    let doc = scene.show(of("Who", "a")).unwrap();
    let told: Vec<_> = doc.items.iter().map(|item| (&*item.c, &*item.k, item.v, &*item.who, &*item.op)).collect();
    let commit = "doc.commit";
    assert_eq!(
        told,
        [("Card", "", first, "ada", commit), ("Raw", "r", first, "ada", commit), ("Tel", "2", third, "eve", commit)]
    );
    assert_eq!(doc.items.iter().map(|item| item.bytes).collect::<Vec<_>>(), [12, 4, 2]);
    assert_eq!((doc.items[0].j.as_ref(), doc.items[1].s.as_deref()), (Some(&json!({ "name": "A" })), Some("text")));
    let gone = &doc.tombstones[0];
    assert_eq!((&*gone.c, &*gone.k, gone.v, &*gone.who, &*gone.op), ("Tel", "1", second, "bob", commit));
    assert_eq!((doc.v, doc.ct, &*doc.who, &*doc.op, doc.bytes, doc.history), (third, first, "eve", commit, 18, true));
    assert_eq!(doc.changed_at.len(), "2026-11-15T12:00:00.000Z".len());
    assert_eq!(code(scene.show(of("Who", "none"))).0, "NDOC");
    assert_eq!(code(scene.show(of("None", "a"))).0, "NCLASS");
}

/// Lists are in the order of ids, paged, by prefix, without what was deleted.
pub fn check_pages(scene: &dyn Scene) {
    scene.declare_paper(paper("Page"));
    let all = ["a", "b", "b\u{20}x", "b1", "b2", "bé", "c", "\u{10ffff}"];
    for id in all.iter().chain(&["b3"]).rev() {
        scene.commit_as("ada", put("Page", id, "1"));
    }
    scene.commit_as("bob", json!([{ "c": "Page", "id": "b3", "delete": true }]));
    let whole = scene.list(page("Page", "", None, 100)).unwrap();
    assert_eq!((ids(&whole), whole.next.as_deref()), (all.to_vec(), None));
    let line = &whole.items[0];
    assert_eq!((&*line.who, &*line.op, line.items, line.bytes, line.attachments_bytes), ("ada", "doc.commit", 1, 2, 0));
    assert!(line.v > 0 && line.changed_at == line.created_at && line.changed_at.ends_with('Z'));
    let (mut found, mut after) = (vec![], None::<String>);
    loop {
        let lines = scene.list(page("Page", "b", after.as_deref(), 2)).unwrap();
        found.extend(lines.items.into_iter().map(|line| line.id));
        after = lines.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(found, ["b", "b x", "b1", "b2", "bé"]);
    assert_eq!(ids(&scene.list(page("Page", "b", Some("a"), 9)).unwrap()), found, "a cursor before the prefix");
    assert!(ids(&scene.list(page("Page", "b", Some("c"), 9)).unwrap()).is_empty(), "a cursor behind it");
    assert_eq!(ids(&scene.list(page("Page", "\u{10ffff}", None, 9)).unwrap()), ["\u{10ffff}"]);
    assert_eq!(code(scene.list(page("Page", "a\u{0}", None, 9))).0, "ABODY");
    assert_eq!(code(scene.list(page("Page", "", Some(&"x".repeat(256)), 9))).0, "ABODY");
    assert_eq!(code(scene.list(page("None", "", None, 9))).0, "NCLASS");
    let count = scene.counts().into_iter().find(|count| count.class == "Page").unwrap();
    assert_eq!((count.documents, count.more), (Some(8), false));
}

/// The history tells lives and items, the last 50 changes, newest first.
pub fn check_history(scene: &dyn Scene) {
    scene.declare_paper(paper("Past"));
    let many = (0..30).map(|key| json!({ "c": "Tel", "k": format!("{key:02}"), "j": {} })).collect::<Vec<_>>();
    let first = scene.commit_as("ada", json!([{ "c": "Past", "id": "a", "items": many }]));
    scene.commit_as("bob", drop_tel("Past", "a", "07"));
    scene.commit_as("eve", json!([{ "c": "Past", "id": "a", "recreate": true, "items": [] }]));
    let last = scene.commit_as("zoe", json!([{ "c": "Past", "id": "a", "delete": true }]));
    let told = scene.changes(of("Past", "a")).unwrap();
    let line = |change: &ChangeView| format!("{} {} {}", change.kind.word(), change.who, change.item_count);
    let lines: Vec<_> = told.iter().map(line).collect();
    assert_eq!(lines, ["deleted zoe 0", "recreated eve 0", "changed bob 1", "created ada 30"]);
    assert_eq!((told[0].v, told[3].v, told[3].items.len()), (last, first, 20));
    let gone = &told[2].items[0];
    assert_eq!((&*gone.c, &*gone.k, gone.deleted, told[3].items[19].deleted), ("Tel", "07", true, false));
    let versions: Vec<_> = (0..53).map(|_| scene.commit_as("ada", put("Past", "a", "1"))).collect();
    let told = scene.changes(of("Past", "a")).unwrap();
    assert_eq!(told.iter().rev().map(|change| change.v).collect::<Vec<_>>(), versions[3..]);
    assert!(told.iter().all(|change| change.kind == ChangeKind::Changed && change.op == "doc.commit"));
    assert_eq!(code(scene.changes(of("Past", "b"))).0, "NDOC");
}

/// The day's task runs once, that many days later.
fn pass_days(desk: &Desk, days: i64) {
    desk.0.jump_calendar_ms(days * DAY_MS);
    desk.0.pass_ms(120_000);
}

static ROWS: Sql = Sql::new("test.changes", "SELECT COUNT(*) FROM doc_change");

#[test]
fn con_5_doc_2_items_and_tombstones_tell_who_changed_them() {
    let desk = Desk::new();
    check_items(&desk);
    desk.0.check_invariants();
}

#[test]
fn con_5_documents_of_a_class_are_listed_in_pages() {
    check_pages(&Desk::new());
}

#[test]
fn con_5_doc_1_a_history_tells_the_last_fifty_changes_over_all_lives() {
    let desk = Desk::new();
    check_history(&desk);
    assert_eq!(desk.0.count(&ROWS), 50);
    desk.0.check_invariants();
}

#[test]
fn con_5_nothing_is_written_down_of_a_class_without_history_or_when_it_is_switched_off() {
    let desk = Desk::new();
    desk.commit_as("ada", put("Contact", "a", "1")).unwrap();
    assert!(desk.changes(of("Contact", "a")).unwrap().is_empty() && !desk.show(of("Contact", "a")).unwrap().history);
    desk.declare(paper("Past")).unwrap();
    desk.commit_as("ada", put("Past", "a", "1")).unwrap();
    assert_eq!(desk.0.count(&ROWS), 1);
    desk.0.kernel.common::<HistoryRule>().set_age_ms(0);
    desk.commit_as("ada", put("Past", "a", "2")).unwrap();
    assert_eq!(desk.0.count(&ROWS), 1);
    pass_days(&desk, 2);
    assert_eq!(desk.0.count(&ROWS), 0, "what was written goes");
}

#[test]
fn con_5_doc_1_old_changes_go_and_those_of_a_forgotten_document_go_with_it() {
    let desk = Desk::new();
    desk.declare(paper("Past")).unwrap();
    for id in ["kept", "gone"] {
        desk.commit_as("ada", put("Past", id, "1")).unwrap();
    }
    desk.commit_as("bob", json!([{ "c": "Past", "id": "gone", "delete": true }])).unwrap();
    pass_days(&desk, 7);
    assert_eq!(
        desk.changes(of("Past", "gone")).unwrap().len(),
        2,
        "who deleted it is known as long as it is remembered"
    );
    pass_days(&desk, 3);
    assert_eq!(code(desk.changes(of("Past", "gone"))).0, "NDOC");
    assert_eq!(desk.0.count(&ROWS), 1);
    desk.0.check_invariants();
    pass_days(&desk, 82);
    assert_eq!(desk.0.count(&ROWS), 0, "90 days are over");
    assert!(desk.changes(of("Past", "kept")).unwrap().is_empty());
    desk.commit_as("eve", put("Past", "kept", "2")).unwrap();
    assert_eq!(desk.changes(of("Past", "kept")).unwrap()[0].who, "eve");
    desk.0.check_invariants();
}

#[test]
fn doc_1_a_portion_forgets_a_hundred_documents_also_where_many_went_at_once() {
    static LEFT: Sql = Sql::new("test.deleted", "SELECT COUNT(*) FROM doc WHERE ctime = 0");
    let desk = Desk::new();
    desk.declare(paper("Past")).unwrap();
    desk.stop_tasks();
    for part in 0..4 {
        let all = |change: fn(String) -> Value| Value::Array((0..32).map(|n| change(format!("{part} {n}"))).collect());
        desk.commit_as("ada", all(|id| json!({ "c": "Past", "id": id, "items": [] }))).unwrap();
        desk.commit_as("bob", all(|id| json!({ "c": "Past", "id": id, "delete": true }))).unwrap();
    }
    desk.0.jump_calendar_ms(10 * DAY_MS);
    assert!(desk.cycle("doc.forget", 0, None, Fate::Committed).is_some(), "there are more");
    assert_eq!((desk.0.count(&LEFT), desk.0.count(&ROWS)), (28, 56));
    assert!(desk.cycle("doc.forget", 0, None, Fate::Committed).is_none());
    assert_eq!((desk.0.count(&LEFT), desk.0.count(&ROWS)), (0, 0));
    desk.0.check_invariants();
}

#[test]
fn con_5_old_changes_go_also_while_deleted_documents_cannot_be_forgotten() {
    static DAMAGE: Sql =
        Sql::new("test.damage", "INSERT INTO doc_class (class, compiled, version) VALUES ('Torn', '{', 1)");
    static TEAR: Op<(), ()> = Op::new("test.tear", |tx, _, ()| Ok(tx.write(&DAMAGE, args![])?));
    let desk = Desk::new();
    desk.declare(paper("Past")).unwrap();
    desk.commit_as("ada", put("Past", "a", "1")).unwrap();
    desk.0.call(&TEAR, ()).unwrap();
    pass_days(&desk, 91);
    assert_eq!(desk.0.count(&ROWS), 0);
}

#[test]
fn con_5_doc_14_a_copy_names_who_changed_its_source() {
    let desk = Desk::new();
    desk.declare(json!({ "class": "Asso", "items": { "Sta": { "singleton": true, "copy_to": ["GT"] } } })).unwrap();
    desk.declare(json!({ "class": "GT", "history": true, "items": { "Sta": {}, "Own": {} } })).unwrap();
    let sta = |value: i64| json!([{ "c": "Asso", "id": "A1", "items": [{ "c": "Sta", "j": { "n": value } }] }]);
    desk.commit_as("ada", sta(1)).unwrap();
    desk.commit_as("bob", json!([{ "c": "GT", "id": "G", "items": [{ "c": "Sta", "k": "A1", "j": {} }] }])).unwrap();
    let copy = |desk: &Desk| {
        let doc = desk.show(of("GT", "G")).unwrap();
        let item = doc.items.first().map(|item| (item.who.clone(), item.op.clone()));
        item.or_else(|| doc.tombstones.first().map(|gone| (gone.who.clone(), gone.op.clone()))).unwrap()
    };
    assert_eq!(copy(&desk), ("bob".into(), "doc.commit".into()), "whoever adds the copy");
    desk.commit_as("eve", sta(2)).unwrap();
    desk.0.pass_ms(10_000);
    assert_eq!(copy(&desk), ("eve".into(), "doc.copy".into()));
    let doc = desk.show(of("GT", "G")).unwrap();
    assert_eq!((&*doc.who, &*doc.op), ("server.tasks", "doc.copy"));
    assert_eq!(desk.changes(of("GT", "G")).unwrap()[0].op, "doc.copy");
    desk.commit_as("zoe", json!([{ "c": "Asso", "id": "A1", "delete": true }])).unwrap();
    desk.0.pass_ms(10_000);
    assert_eq!(copy(&desk), ("zoe".into(), "doc.copy".into()), "also of what went without a trace");
    desk.0.check_invariants();
}

#[test]
fn con_5_doc_10_what_a_filter_hides_is_neither_listed_nor_shown_nor_told() {
    const FILTER: SyncFilter = SyncFilter {
        document: |asking| !asking.id.starts_with('h'),
        item: |_, key| key.c != "Raw",
        content: |_, key, _| if key.k == "secret" { Verdict::Exclude } else { Verdict::Accept },
    };
    let desk = Desk::new();
    desk.declare(paper("Past")).unwrap();
    for id in ["a", "h1", "h2", "z"] {
        desk.commit_as("ada", put("Past", id, "1")).unwrap();
    }
    desk.commit_as("ada", put("Past", "a", "secret")).unwrap();
    let raw = json!([{ "c": "Past", "id": "a", "items": [{ "c": "Raw", "k": "r", "s": "x" }, { "c": "Tel", "k": "2", "j": {} }] }]);
    desk.commit_as("ada", raw).unwrap();
    let view = |id: &str| ViewOf { viewer: viewer(Some(FILTER)), ..of("Past", id) };
    let listed = desk.list(ListOf { viewer: viewer(Some(FILTER)), ..page("Past", "", None, 9) }).unwrap();
    assert_eq!(ids(&listed), ["a", "z"]);
    assert_eq!(code(desk.show(view("h1"))).0, "NDOC");
    assert_eq!(code(desk.changes(view("h1"))).0, "NDOC");
    let keys: Vec<_> = desk.show(view("a")).unwrap().items.into_iter().map(|item| item.k).collect();
    assert_eq!(keys, ["1", "2"]);
    let told = desk.changes(view("a")).unwrap();
    let told: Vec<_> = told.iter().map(|change| (change.item_count, &*change.items[0].k)).collect();
    assert_eq!(told, [(1, "2"), (1, "1")], "the change of the secret alone is not told");
}

#[test]
fn con_5_a_page_looks_at_so_many_documents_and_no_more() {
    let desk = Desk::new();
    desk.declare(json!({ "class": "Many", "items": {} })).unwrap();
    for part in 0..70 {
        let change = |n: i32| json!({ "c": "Many", "id": format!("{:05}", part * 32 + n), "items": [] });
        desk.commit(Value::Array((0..32).map(change).collect())).unwrap();
    }
    const HIDES_ALL: SyncFilter = SyncFilter { document: |_| false, ..SyncFilter::NONE };
    let hidden = desk.list(ListOf { viewer: viewer(Some(HIDES_ALL)), ..page("Many", "", None, 10) }).unwrap();
    assert_eq!((hidden.items.len(), hidden.next.as_deref()), (0, Some("01999")));
    let rest = desk.list(page("Many", "", hidden.next.as_deref(), 1000)).unwrap();
    assert_eq!((rest.items.len(), rest.next), (240, None));
}
