//! Searches against a slow reference (DOC-13): any items, any conditions, any page size.

use std::collections::{BTreeMap, BTreeSet};

use base::OpResult;
use documents::Found;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::kit::Desk;

/// Where the same cases run.
pub trait Ground {
    fn declare(&self, decl: Value);
    fn commit(&self, changes: Value);
    fn search(&self, search: Value) -> OpResult<Found>;
    /// Lets tasks run until indexes are filled.
    fn settle(&self);
}

impl Ground for Desk {
    fn declare(&self, decl: Value) {
        Desk::declare(self, decl).unwrap();
    }
    fn commit(&self, changes: Value) {
        Desk::commit(self, changes).unwrap();
    }
    fn search(&self, search: Value) -> OpResult<Found> {
        Desk::search(self, search)
    }
    fn settle(&self) {
        self.0.pass_ms(60_000);
    }
}

const FIELDS: [(&str, &str); 6] =
    [("s", "string"), ("n", "int"), ("x", "float"), ("ss", "string[]"), ("ns", "int[]"), ("xs", "float[]")];

#[derive(Debug, Clone)]
enum Change {
    Put(&'static str, &'static str, Value),
    DeleteItem(&'static str, &'static str),
    Delete(&'static str),
}

#[derive(Debug, Clone)]
struct Asked {
    conditions: Vec<(usize, &'static str, Value, Value)>,
    id: Option<(&'static str, &'static str, &'static str)>,
}

#[derive(Debug, Clone)]
pub struct Case {
    changes: Vec<Change>,
    /// After how many changes the indexes are declared.
    late: usize,
    searches: Vec<Asked>,
}

const IDS: [&str; 5] = ["a", "ab", "b", "é", "\u{10ffff}"];
const WORDS: [&str; 7] = ["", "a", "a\u{1}", "ab", "b", "é", "\u{10ffff}"];
const INTS: [i64; 6] = [i64::MIN, -1, 0, 1, 2, i64::MAX];
const REALS: [f64; 7] = [-1e300, -1.5, -0.0, 0.1, 0.300_000_000_000_000_04, 5e-324, f64::MAX];
const CONDS: [&str; 14] =
    ["EQ", "SW", "LT", "LE", "GE", "GT", "GELE", "GELT", "GTLE", "GTLT", "LEGE", "LEGT", "LTGE", "LTGT"];

fn value(kind: &'static str) -> BoxedStrategy<Value> {
    match kind {
        "string" => select(&WORDS[..]).prop_map(|word| json!(word)).boxed(),
        "int" => select(&INTS[..]).prop_map(|number| json!(number)).boxed(),
        "float" => select(&REALS[..]).prop_map(|number| json!(number)).boxed(),
        list => prop::collection::vec(value(list.trim_end_matches("[]")), 0..4).prop_map(Value::from).boxed(),
    }
}

fn content() -> impl Strategy<Value = Value> {
    let of = |at: usize| prop::option::weighted(0.8, value(FIELDS[at].1));
    (of(0), of(1), of(2), of(3), of(4), of(5))
        .prop_map(|(s, n, x, ss, ns, xs)| json!({ "s": s, "n": n, "x": x, "ss": ss, "ns": ns, "xs": xs }))
}

fn change() -> impl Strategy<Value = Change> {
    let keys = || select(&["1", "2", "3"][..]);
    prop_oneof![
        8 => (select(&IDS[..]), keys(), content()).prop_map(|(id, key, value)| Change::Put(id, key, value)),
        1 => (select(&IDS[..]), keys()).prop_map(|(id, key)| Change::DeleteItem(id, key)),
        1 => select(&IDS[..]).prop_map(Change::Delete),
    ]
}

fn condition() -> impl Strategy<Value = (usize, &'static str, Value, Value)> {
    (0..FIELDS.len(), select(&CONDS[..])).prop_flat_map(|(field, cond)| {
        let kind = FIELDS[field].1.trim_end_matches("[]");
        let cond = if cond == "SW" && kind != "string" { "EQ" } else { cond };
        (Just(field), Just(cond), value(kind), value(kind))
    })
}

fn asked() -> impl Strategy<Value = Asked> {
    let id = prop::option::weighted(0.3, (select(&CONDS[..]), select(&IDS[..]), select(&IDS[..])));
    (prop::collection::vec(condition(), 0..=4), id).prop_map(|(conditions, id)| Asked { conditions, id })
}

pub fn case() -> impl Strategy<Value = Case> {
    let parts = (prop::collection::vec(change(), 1..25), prop::collection::vec(asked(), 1..8));
    parts.prop_flat_map(|(changes, searches)| {
        (0..=changes.len()).prop_map(move |late| Case { changes: changes.clone(), late, searches: searches.clone() })
    })
}

/// Whether a condition holds, said as slowly and plainly as can be.
fn holds<T: PartialOrd>(cond: &str, value: &T, v1: &T, v2: &T, starts: bool) -> bool {
    match cond {
        "EQ" => value == v1,
        "SW" => starts,
        "LT" => value < v1,
        "LE" => value <= v1,
        "GE" => value >= v1,
        "GT" => value > v1,
        "GELE" | "LEGE" => value >= v1 && value <= v2,
        "GELT" | "LEGT" => value >= v1 && value < v2,
        "GTLE" | "LTGE" => value > v1 && value <= v2,
        _ => value > v1 && value < v2,
    }
}

fn one_holds(cond: &str, value: &Value, v1: &Value, v2: &Value) -> bool {
    if let (Some(value), Some(v1), Some(v2)) = (value.as_str(), v1.as_str(), v2.as_str()) {
        return holds(cond, &value.as_bytes(), &v1.as_bytes(), &v2.as_bytes(), value.starts_with(v1));
    }
    if let (Some(value), Some(v1), Some(v2)) = (value.as_i64(), v1.as_i64(), v2.as_i64()) {
        return holds(cond, &value, &v1, &v2, false);
    }
    holds(cond, &value.as_f64().unwrap(), &v1.as_f64().unwrap(), &v2.as_f64().unwrap(), false)
}

fn item_holds(item: &Value, asked: &Asked) -> bool {
    asked.conditions.iter().all(|(field, cond, v1, v2)| match &item[FIELDS[*field].0] {
        Value::Null => false,
        Value::Array(list) => list.iter().any(|value| one_holds(cond, value, v1, v2)),
        value => one_holds(cond, value, v1, v2),
    })
}

type Items = BTreeMap<(String, String), Value>;

fn expected(items: &Items, asked: &Asked) -> BTreeSet<(String, String)> {
    let id_holds = |id: &str| {
        asked.id.is_none_or(|(cond, v1, v2)| {
            holds(cond, &id.as_bytes(), &v1.as_bytes(), &v2.as_bytes(), id.starts_with(v1))
        })
    };
    let found = items.iter().filter(|((id, _), item)| id_holds(id) && item_holds(item, asked));
    found.map(|(key, _)| key.clone()).collect()
}

fn two(cond: &str, v2: Value) -> Value {
    if cond.len() == 4 { v2 } else { Value::Null }
}

fn request(class: &str, asked: &Asked) -> Value {
    let condition = |(field, cond, v1, v2): &(usize, &str, Value, Value)| json!({ "field": FIELDS[*field].0, "cond": cond, "v1": v1, "v2": two(cond, v2.clone()) });
    let id = asked.id.map(|(cond, v1, v2)| json!({ "cond": cond, "v1": v1, "v2": two(cond, json!(v2)) }));
    json!({ "c": class, "item": "T", "where": asked.conditions.iter().map(condition).collect::<Vec<_>>(), "id": id })
}

/// All pages of a search, one after the other.
pub fn all_pages(ground: &dyn Ground, mut search: Value, limit: u32) -> Vec<(String, String)> {
    search["limit"] = json!(limit);
    let mut all = vec![];
    for _ in 0..1_000 {
        let found = ground.search(search.clone()).unwrap();
        let ids = found.ids.into_iter().flatten().map(|id| (id, String::new()));
        let items = found.items.into_iter().flatten().map(|item| (item.id, item.item.key.k));
        let before = all.len();
        all.extend(ids.chain(items));
        assert!(all.len() - before <= limit as usize);
        let Some(next) = found.next else { return all };
        search["after"] = json!(next);
    }
    panic!("a search without end")
}

fn apply(ground: &dyn Ground, class: &str, items: &mut Items, change: &Change) {
    let key = |id: &str, key: &str| (id.to_owned(), key.to_owned());
    match change {
        Change::Put(id, at, value) => {
            ground.commit(
                json!([{ "c": class, "id": id, "items": [{ "c": "T", "k": at, "j": value }, { "c": "U", "j": {} }] }]),
            );
            items.insert(key(id, at), value.clone());
        }
        Change::DeleteItem(id, at) => {
            if items.remove(&key(id, at)).is_some() {
                ground.commit(json!([{ "c": class, "id": id, "items": [{ "c": "T", "k": at, "delete": true }] }]));
            }
        }
        Change::Delete(id) => {
            ground.commit(json!([{ "c": class, "id": id, "delete": true }]));
            items.retain(|(of, _), _| of != id);
        }
    }
}

pub fn check(ground: &dyn Ground, class: &str, case: &Case) {
    let declare = |index: Value| {
        ground.declare(json!({ "class": class, "items": { "T": { "index": index }, "U": { "singleton": true } } }));
    };
    let index: BTreeMap<_, _> = FIELDS.into_iter().collect();
    declare(json!({}));
    let mut items = Items::new();
    for (at, change) in case.changes.iter().enumerate() {
        if at == case.late {
            declare(json!(index));
        }
        apply(ground, class, &mut items, change);
    }
    declare(json!(index));
    ground.settle();
    for asked in &case.searches {
        let (search, expected) = (request(class, asked), expected(&items, asked));
        for limit in [1, 2, 3, 1_000] {
            let mut wanted = search.clone();
            let ids = all_pages(ground, wanted.clone(), limit);
            let documents: BTreeSet<_> = expected.iter().map(|(id, _)| (id.clone(), String::new())).collect();
            assert_eq!(ids.len(), documents.len(), "{search}: {ids:?}");
            assert_eq!(ids.into_iter().collect::<BTreeSet<_>>(), documents, "{search}");
            wanted["items"] = json!(true);
            let found = all_pages(ground, wanted, limit);
            assert_eq!(found.len(), expected.len(), "{search}: {found:?}");
            assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{search}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn doc_13_searches_find_what_a_slow_reference_finds(case in case()) {
        check(&Desk::new(), "C", &case);
    }
}
