//! An example request per route, made from its description.

use serde_json::{Map, Value, json};

use super::schema::resolve;
use crate::route::{Access, RouteInfo};

/// A line for the shell.
pub(super) fn curl(document: &Value, route: &RouteInfo, public_url: &str) -> String {
    let mut lines = vec![first_line(route, public_url)];
    if route.access != Access::Public {
        lines.push("-H \"Authorization: Bearer $KEY\"".to_owned());
    }
    if route.changes() {
        lines.push("-H \"Idempotency-Key: $(uuidgen)\"".to_owned());
    }
    if let Some(input) = &route.input {
        let body = example(document, &json!(input.reference()), 0).to_string().replace('\'', r"'\''");
        lines.push("-H \"Content-Type: application/json\"".to_owned());
        lines.push(format!("-d '{body}'"));
    }
    if route.takes_bytes {
        lines.push("--data-binary @\"$FILE\"".to_owned());
    }
    lines.join(" \\\n  ")
}

fn first_line(route: &RouteInfo, public_url: &str) -> String {
    let path = route.path.replace("{ns}", "main").replace("{*", "{");
    let method = if route.is_got() { String::new() } else { format!("-X {} ", route.method) };
    format!("curl {method}{public_url}{}", with_variables(&path))
}

/// `{id}` becomes `$ID`.
fn with_variables(path: &str) -> String {
    let part = |part: &str| match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
        Some(name) => format!("${}", name.to_ascii_uppercase()),
        None => part.to_owned(),
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// A value of a schema: its own example, or the plainest that fits. Optional fields only if they have an example.
fn example(document: &Value, schema: &Value, depth: usize) -> Value {
    let schema = resolve(document, schema);
    let given = [&schema["example"], &schema["default"], &schema["enum"][0], &schema["const"]];
    if let Some(given) = given.into_iter().find(|given| !given.is_null()) {
        return given.clone();
    }
    let types = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or("object");
    match types {
        "string" => json!("…"),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(1)),
        "boolean" => json!(true),
        "array" if depth < 4 => json!([example(document, &schema["items"], depth + 1)]),
        "object" if depth < 4 => Value::Object(fields(document, schema, depth)),
        _ => Value::Null,
    }
}

fn fields(document: &Value, schema: &Value, depth: usize) -> Map<String, Value> {
    let Some(properties) = schema["properties"].as_object() else { return Map::new() };
    let is_required = |name: &str| schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
    let shown = properties.iter().filter(|(name, property)| is_required(name) || !property["example"].is_null());
    shown.map(|(name, property)| (name.clone(), example(document, property, depth + 1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_has_what_is_required_and_what_has_an_example() {
        let schema = json!({ "type": "object", "required": ["role", "rows"], "properties": {
            "role": { "type": "string", "enum": ["admin"] },
            "rows": { "type": "array", "items": { "type": "integer", "minimum": 3 } },
            "label": { "type": "string", "example": "till" },
            "note": { "type": "string" },
        } });
        assert_eq!(example(&json!({}), &schema, 0), json!({ "role": "admin", "rows": [3], "label": "till" }));
    }

    #[test]
    fn parts_of_the_path_become_variables() {
        assert_eq!(with_variables("/v1/main/keys/{id}"), "/v1/main/keys/$ID");
    }
}
