//! The OpenAPI document and its page come from the table and say all of it (KER-38).

use std::collections::BTreeSet;

use serde_json::Value;
use web::Access;

use crate::world::World;

fn document(world: &World) -> Value {
    let answer = world.ask("GET", "/openapi.json", &[], None);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    answer.json()
}

fn operations(document: &Value) -> impl Iterator<Item = (String, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    paths.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (format!("{} {path}", method.to_uppercase()), operation))
    })
}

/// A part that takes the rest of a path is a part like any other.
fn described_label(route: &web::RouteInfo) -> String {
    route.label().replace("{*", "{")
}

#[test]
fn ker_38_every_route_is_described_and_nothing_else() {
    let world = World::new();
    let document = document(&world);
    assert_eq!(document["openapi"], "3.1.0");
    let described: BTreeSet<_> = operations(&document).map(|(label, _)| label).collect();
    let routed: BTreeSet<_> = world.table.iter().map(|route| described_label(route)).collect();
    assert_eq!(described, routed);
    assert!(routed.contains("DELETE /v1/{ns}/keys/{id}") && routed.contains("GET /healthz"));
}

#[test]
fn ker_38_every_reference_leads_somewhere() {
    let world = World::new();
    let document = document(&world);
    let mut references = vec![];
    collect(&document, &mut references);
    assert!(references.len() > 20);
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} leads outside"));
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

fn collect(value: &Value, to: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            to.extend(fields.get("$ref").map(|reference| reference.as_str().unwrap().to_owned()));
            fields.values().for_each(|field| collect(field, to));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, to)),
        _ => {}
    }
}

#[test]
fn ker_38_operations_say_who_may_what_they_take_and_how_they_fail() {
    let world = World::new();
    let document = document(&world);
    let mut ids = BTreeSet::new();
    for (label, operation) in operations(&document) {
        let route = world.table.iter().find(|route| described_label(route) == label).unwrap();
        let text = operation.to_string();
        assert!(ids.insert(operation["operationId"].as_str().unwrap().to_owned()), "{label}: the id is used twice");
        let roles: Vec<_> = route.access.roles().into_iter().map(kernel::Role::word).collect();
        match route.access {
            Access::Public => assert_eq!(operation["security"], serde_json::json!([]), "{label}"),
            Access::Roles(_) => {
                assert_eq!(operation["x-roles"], serde_json::json!(roles), "{label}");
                assert!(operation["responses"]["401"].is_object() && operation["responses"]["403"].is_object());
            }
        }
        let takes_key = text.contains("parameters/IdempotencyKey");
        assert_eq!(takes_key, route.changes() && label.contains("/v1/"), "{label}");
        let parts = route.path.matches('{').count();
        let described = operation["parameters"].as_array().unwrap().iter();
        let in_path = described.filter(|p| p["in"] == "path" || p["$ref"] == "#/components/parameters/Namespace");
        assert_eq!(in_path.count(), parts, "{label}");
    }
}

#[test]
fn ker_38_schemas_are_whole() {
    let world = World::new();
    let schemas = document(&world)["components"]["schemas"].clone();
    assert_eq!(schemas["NewKey"]["required"], serde_json::json!(["role"]));
    assert_eq!(schemas["NewKey"]["additionalProperties"], false, "unknown fields are refused");
    assert_eq!(schemas["Place"]["properties"]["row"]["type"], "integer", "a schema within a schema");
    assert_eq!(schemas["Role"]["enum"].as_array().unwrap().len(), kernel::Role::ALL.len());
    assert_eq!(schemas["Error"]["required"], serde_json::json!(["code", "major", "phase", "message", "detail"]));
}

#[test]
fn ker_38_the_page_shows_every_route() {
    let world = World::new();
    let page = world.ask("GET", "/docs", &[], None).text();
    for route in &world.table {
        assert!(page.contains(route.summary), "{}", route.label());
        assert!(page.contains(&route.path.replace('{', "<var>{").replace('}', "}</var>")), "{}", route.label());
    }
    assert!(page.contains("curl") && page.contains("Idempotency-Key") && page.contains("CSERIAL"));
}
