//! Schemas as tables: one row per field, fields of fields indented below.

use maud::{Markup, html};
use serde_json::Value;

/// How deep fields of fields are shown; what lies deeper is named only.
const DEPTH_MAX: usize = 5;

/// A field as it is shown.
pub(super) struct Field {
    depth: usize,
    name: String,
    kind: String,
    required: bool,
    about: String,
    values: Vec<String>,
}

/// The table of a schema, or its type where it has no fields.
pub(super) fn table(document: &Value, schema: &Value) -> Markup {
    let mut fields = vec![];
    add_fields(document, schema, 0, &mut fields);
    html! {
        @if fields.is_empty() {
            p { (kind(document, schema)) }
        } @else {
            (rows(&fields))
        }
    }
}

/// Parameters of a route as a table of the same look.
pub(super) fn parameters<'a>(document: &Value, parameters: impl Iterator<Item = &'a Value>) -> Vec<Field> {
    let field = |parameter: &Value| Field {
        depth: 0,
        name: text(&parameter["name"]),
        kind: format!("{} in {}", kind(document, &parameter["schema"]), text(&parameter["in"])),
        required: parameter["required"] == true,
        about: text(&parameter["description"]),
        values: vec![],
    };
    parameters.map(|parameter| field(resolve(document, parameter))).collect()
}

pub(super) fn rows(fields: &[Field]) -> Markup {
    html! {
        div.scroll {
            table.fields {
                thead { tr { th { "Name" } th { "Type" } th { "Meaning" } } }
                tbody {
                    @for field in fields { (row(field)) }
                }
            }
        }
    }
}

fn row(field: &Field) -> Markup {
    let depth = format!("depth-{}", field.depth);
    html! {
        tr {
            td.(depth) {
                code { (field.name) }
                @if !field.required { span.optional { "optional" } }
            }
            td { (field.kind) }
            td {
                (prose(&field.about))
                @if !field.values.is_empty() {
                    div.values { @for value in &field.values { code { (value) } " " } }
                }
            }
        }
    }
}

/// Text with `code` in it.
pub(super) fn prose(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn add_fields(document: &Value, schema: &Value, depth: usize, to: &mut Vec<Field>) {
    let schema = without_null(resolve(document, schema));
    let schema = resolve(document, schema);
    if !schema["items"].is_null() {
        return add_fields(document, &schema["items"], depth, to);
    }
    let Some(properties) = schema["properties"].as_object() else { return };
    let is_required =
        |name: &String| schema["required"].as_array().is_some_and(|all| all.contains(&Value::from(name.as_str())));
    let mut named: Vec<_> = properties.iter().collect();
    named.sort_by_key(|(name, _)| !is_required(name));
    for (name, property) in named {
        to.push(field(document, name, property, is_required(name), depth));
        if depth + 1 < DEPTH_MAX {
            add_fields(document, property, depth + 1, to);
        }
    }
}

fn field(document: &Value, name: &str, property: &Value, required: bool, depth: usize) -> Field {
    let inner = without_null(property);
    let resolved = resolve(document, inner);
    let abouts = [property, inner, resolved].map(|schema| text(&schema["description"]));
    let values = resolved["enum"].as_array().map(|values| values.iter().map(text).collect()).unwrap_or_default();
    Field {
        depth,
        name: name.to_owned(),
        kind: kind(document, property),
        required,
        about: abouts.into_iter().find(|about| !about.is_empty()).unwrap_or_default(),
        values,
    }
}

/// The type in words: `list of text`, `integer or null`.
fn kind(document: &Value, schema: &Value) -> String {
    let inner = without_null(schema);
    let resolved = resolve(document, inner);
    let nullable = !std::ptr::eq(inner, schema) || types(resolved).contains(&"null");
    let name = match types(resolved).into_iter().find(|name| *name != "null").unwrap_or("any") {
        "array" => format!("list of {}", kind(document, &resolved["items"])),
        "string" if resolved["format"] == "date-time" => "time, RFC 3339 UTC".to_owned(),
        "string" if !resolved["enum"].is_null() => "one of".to_owned(),
        "string" => "text".to_owned(),
        other => other.to_owned(),
    };
    let bounds = bounds(resolved);
    format!("{name}{bounds}{}", if nullable { " or null" } else { "" })
}

fn bounds(schema: &Value) -> String {
    let number = |name: &str| schema[name].as_f64();
    match (number("minimum"), number("maximum"), number("maxLength")) {
        (Some(min), Some(max), _) => format!(" {min} to {max}"),
        (Some(min), None, _) if min > 0.0 => format!(" from {min}"),
        (_, Some(max), _) => format!(" up to {max}"),
        (_, _, Some(max)) => format!(" up to {max} characters"),
        _ => String::new(),
    }
}

fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    }
}

/// Of "null or that", that.
fn without_null(schema: &Value) -> &Value {
    let choices = schema["oneOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    let not_null: Vec<_> = choices.iter().filter(|choice| choice["type"] != "null").collect();
    match not_null[..] {
        [only] if choices.len() == 2 => only,
        _ => schema,
    }
}

/// What a reference leads to; anything else is itself.
pub(super) fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let pointer = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(document: &Value, schema: &Value) -> Vec<String> {
        let mut fields = vec![];
        add_fields(document, schema, 0, &mut fields);
        let line =
            |field: &Field| format!("{}{} {} {}", ">".repeat(field.depth), field.name, field.kind, field.required);
        fields.iter().map(line).collect()
    }

    #[test]
    fn fields_of_fields_are_shown_below_them_required_ones_first() {
        let document = json!({ "components": { "schemas": { "Place": {
            "type": "object", "required": ["row"],
            "properties": { "row": { "type": "integer", "minimum": 1, "maximum": 9 } } } } } });
        let schema = json!({ "type": "object", "required": ["places"], "properties": {
            "at": { "type": ["string", "null"], "format": "date-time" },
            "places": { "type": "array", "items": { "$ref": "#/components/schemas/Place" } },
            "home": { "oneOf": [{ "type": "null" }, { "$ref": "#/components/schemas/Place" }] },
        } });
        assert_eq!(
            shown(&document, &schema),
            [
                "places list of object true",
                ">row integer 1 to 9 true",
                "at time, RFC 3339 UTC or null false",
                "home object or null false",
                ">row integer 1 to 9 true",
            ]
        );
    }

    #[test]
    fn a_schema_of_itself_ends() {
        let document = json!({ "s": { "type": "object", "properties": { "next": { "$ref": "#/s" } } } });
        assert_eq!(shown(&document, &json!({ "$ref": "#/s" })).len(), DEPTH_MAX);
    }

    #[test]
    fn text_from_outside_is_escaped() {
        assert_eq!(prose("a `<b>` <c>").into_string(), "a <code>&lt;b&gt;</code> &lt;c&gt;");
    }
}
