//! Searches by indexed fields (DOC-13, DOC-10).

use base::Sql;
use documents::{SyncFilter, Verdict, search_statements};
use kernel::Query;
use replica::Content;
use serde_json::{Value, json};

use crate::kit::{Desk, code};
use crate::search_model::all_pages;

fn tel(conditions: Value) -> Value {
    json!({ "c": "Contact", "item": "Tel", "where": conditions })
}

fn ids(desk: &Desk, search: Value) -> Vec<String> {
    desk.search(search).unwrap().ids.unwrap()
}

#[test]
fn doc_13_the_seeds_example_several_conditions_hold_for_one_item() {
    let desk = Desk::new();
    desk.put("a", "Tel", Some("1"), json!({ "number": 94_100, "tags": ["toto", "work"] }));
    desk.put("b", "Tel", Some("1"), json!({ "number": 94_200, "tags": ["other"] }));
    desk.put("b", "Tel", Some("2"), json!({ "number": 75_000, "tags": ["toto"] }));
    let both = json!([
        { "field": "number", "cond": "GELE", "v1": 94_000, "v2": 94_999 },
        { "field": "tags", "cond": "EQ", "v1": "toto" },
    ]);
    assert_eq!(ids(&desk, tel(both.clone())), ["a"], "b has both, but in two items");
    let search = json!({ "c": "Contact", "item": "Tel", "where": both, "items": true });
    let found = serde_json::to_value(desk.search(search).unwrap()).unwrap();
    let item = &found["items"][0];
    assert_eq!((&item["id"], &item["c"], &item["k"]), (&json!("a"), &json!("Tel"), &json!("1")));
    assert_eq!(item["j"]["number"], 94_100);
    assert!(item["v"].is_i64() && item["vop"] == item["v"] && found.get("ids").is_none() && found["next"].is_null());
}

#[test]
fn doc_13_without_conditions_documents_that_have_the_item_are_listed_by_id() {
    let desk = Desk::new();
    for id in ["b", "a", "c"] {
        desk.put(id, "Tel", Some("1"), json!({}));
        desk.put(id, "Tel", Some("2"), json!({}));
    }
    desk.put("d", "Card", None, json!({ "name": "d" }));
    desk.commit(json!([{ "c": "Contact", "id": "c", "delete": true }])).unwrap();
    assert_eq!(ids(&desk, tel(json!([]))), ["a", "b"]);
    let card = json!({ "c": "Contact", "item": "Card", "where": [{ "field": "name", "cond": "SW", "v1": "" }] });
    assert_eq!(ids(&desk, card), ["d"]);
    let above = json!({ "c": "Contact", "item": "Tel", "where": [], "id": { "cond": "GT", "v1": "a" } });
    assert_eq!(ids(&desk, above), ["b"]);
    assert_eq!(ids(&desk, json!({ "c": "Contact", "item": "P", "where": [] })), Vec::<String>::new());
}

#[test]
fn doc_13_what_cannot_be_searched_is_refused_by_name() {
    let desk = Desk::new();
    let number =
        |cond: &str, v1: Value, v2: Value| tel(json!([{ "field": "number", "cond": cond, "v1": v1, "v2": v2 }]));
    let five: Vec<_> = (0..5).map(|n| json!({ "field": "number", "cond": "EQ", "v1": n })).collect();
    let page = |limit: Value, after: Value| json!({ "c": "Contact", "item": "Tel", "limit": limit, "after": after });
    for (search, expected, words) in [
        (json!({ "c": "Nope", "item": "Tel" }), "NCLASS", "Nope"),
        (json!({ "c": "Contact", "item": "Nope" }), "ASEARCH", "`Nope`"),
        (tel(json!([{ "field": "colour", "cond": "EQ", "v1": 1 }])), "ASEARCH", "Tel.colour"),
        (tel(json!([{ "field": "$key", "cond": "EQ", "v1": "1" }])), "ASEARCH", "Tel.$key"),
        (number("EQ", json!("x"), Value::Null), "ASEARCH", "Tel.number"),
        (number("SW", json!(1), Value::Null), "ASEARCH", "SW"),
        (number("GELE", json!(1), Value::Null), "ASEARCH", "needs v2"),
        (number("EQ", json!(1), json!(2)), "ASEARCH", "takes no v2"),
        (tel(json!(five)), "ALIMIT", "5 conditions"),
        (page(json!(0), Value::Null), "ALIMIT", "limit is 0"),
        (page(json!(1_001), Value::Null), "ALIMIT", "1001"),
        (page(json!(1), json!("nonsense")), "ABODY", "cursor"),
    ] {
        let (code, message) = code(desk.search(search.clone()));
        assert!(code == expected && message.contains(words), "{search}: {code} {message}");
    }
    assert_eq!(ids(&desk, number("GELE", json!(2), json!(1))), Vec::<String>::new(), "no error, and nothing");
}

#[test]
fn doc_13_a_cursor_serves_its_own_search_only() {
    let desk = Desk::new();
    for id in ["a", "b", "c"] {
        desk.put(id, "Tel", Some("1"), json!({ "number": 1, "tags": ["x"] }));
    }
    let mut search = tel(json!([{ "field": "number", "cond": "EQ", "v1": 1 }]));
    search["limit"] = json!(1);
    let next = desk.search(search.clone()).unwrap().next.unwrap();
    search["after"] = json!(next);
    assert_eq!(ids(&desk, search.clone()), ["b"]);
    search["where"] = json!([{ "field": "tags", "cond": "EQ", "v1": "x" }]);
    assert_eq!(code(desk.search(search.clone())).0, "ABODY");
    // One of the same index, but of other values, gives nothing that this search would not.
    search["where"] = json!([{ "field": "number", "cond": "GT", "v1": 1 }]);
    assert_eq!(ids(&desk, search), Vec::<String>::new());
}

#[test]
fn doc_13_a_page_is_bounded_in_work_and_the_walk_still_ends() {
    let desk = Desk::new();
    for at in 0..70 {
        let items: Vec<_> = (0..60)
            .map(|n| json!({ "c": "Tel", "k": n.to_string(), "j": { "number": n, "tags": if (at, n) == (69, 59) { json!(["last"]) } else { json!([]) } } }))
            .collect();
        desk.commit(json!([{ "c": "Contact", "id": format!("{at:03}"), "items": items }])).unwrap();
    }
    // Ranges have one rank: the first one is walked, and leaves almost everything to the other.
    let search = tel(json!([
        { "field": "number", "cond": "GE", "v1": 0 },
        { "field": "tags", "cond": "GE", "v1": "last" },
    ]));
    let first = desk.search(search.clone()).unwrap();
    assert!(first.ids.unwrap().is_empty() && first.next.is_some(), "3,000 of 4,200 entries were looked at");
    assert_eq!(all_pages(&desk, search, 10), [("069".to_owned(), String::new())]);
}

const HIDING: SyncFilter = SyncFilter {
    document: |asking| asking.id != "hidden",
    item: |_, key| key.k != "private",
    content: |_, _, content| match content {
        Content::Json(value) if value["number"] == 13 => Verdict::Exclude,
        Content::Json(value) => Verdict::Alter(Content::Json(json!({ "tags": value["tags"] }))),
        Content::Raw(_) => Verdict::Accept,
    },
};

#[test]
fn doc_10_doc_13_nothing_is_found_by_what_the_caller_may_not_see() {
    let desk = Desk::new();
    for (id, key, number) in
        [("a", "private", 1), ("a", "public", 2), ("b", "private", 1), ("c", "x", 13), ("hidden", "x", 2)]
    {
        desk.put(id, "Tel", Some(key), json!({ "number": number, "tags": ["x"] }));
    }
    let seen = |search: Value| desk.search_seeing(search, HIDING).unwrap();
    let tagged = tel(json!([{ "field": "tags", "cond": "EQ", "v1": "x" }]));
    assert_eq!(seen(tagged.clone()).ids.unwrap(), ["a"], "b has a private one only");
    let mut items = tagged;
    items["items"] = json!(true);
    let items = seen(items).items.unwrap();
    assert_eq!(items.iter().map(|item| item.item.key.k.as_str()).collect::<Vec<_>>(), ["public"]);
    assert_eq!(items[0].item.j, Some(json!({ "tags": ["x"] })), "altered");
    let numbered = tel(json!([{ "field": "number", "cond": "EQ", "v1": 2 }]));
    assert_eq!(seen(numbered).ids.unwrap(), Vec::<String>::new(), "the number is hidden, so nothing is found by it");
}

#[test]
fn doc_13_every_statement_prepares() {
    let desk = Desk::new();
    let store = desk.0.main().store.clone();
    for sql in documents::SERVICE.statements.iter().copied().chain(search_statements()) {
        store.prepare(sql).unwrap_or_else(|error| panic!("{}: {error}", sql.name));
    }
}

/// How the engine does a statement, one step per line.
static EXPLAIN: Query<&'static Sql, Vec<String>> = Query::new("test.explain", |tx, sql| {
    let explained = format!("EXPLAIN QUERY PLAN {}", sql.text).leak();
    let explained: &'static Sql = Box::leak(Box::new(Sql::new(sql.name, explained)));
    let parameters = (1..).take_while(|at| sql.text.contains(&format!("?{at}"))).count();
    let rows = tx.query(explained, &vec![base::Value::Null; parameters], 100)?;
    Ok(rows.iter().map(|row| row.text(3).to_owned()).collect())
});

#[test]
fn doc_13_every_search_walks_one_index_and_looks_others_up_by_document() {
    let desk = Desk::new();
    for sql in search_statements() {
        let steps = desk.0.read(&EXPLAIN, sql).unwrap();
        let good = |step: &String| {
            let walks = step.starts_with("SEARCH d USING PRIMARY KEY") && step.contains(",key)>(?,?,?)");
            let looks = (step.starts_with("SEARCH e ") || step.starts_with("SEARCH o ")) && step.contains(" id=?");
            walks || looks || step.starts_with("CORRELATED")
        };
        assert!(steps.iter().all(good), "{}: {steps:#?}", sql.name);
    }
}
