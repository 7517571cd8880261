//! Who takes part, over HTTP.

use serde_json::json;

use crate::edge::Edge;

#[test]
fn exc_1_companies_are_listed_page_by_page() {
    let edge = Edge::new();
    for id in ["c", "a", "b"] {
        edge.register("/companies", json!({ "id": id, "name": "x" }));
    }
    let ids: Vec<_> = edge.all("/companies", 2).into_iter().map(|item| item["id"].clone()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
}
