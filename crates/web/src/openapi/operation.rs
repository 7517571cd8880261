//! One route as an OpenAPI operation.

use std::collections::BTreeMap;

use base::{Code, codes};
use serde_json::{Map, Value, json};

use crate::route::{Access, AnswerKind, RouteInfo};

/// The operation object of a route.
pub(super) fn operation(route: &RouteInfo) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "tags": [route.tag],
        "parameters": parameters(route),
        "responses": responses(route),
        "security": if route.access == Access::Public { json!([]) } else { json!([{ "key": [] }, { "session": [] }]) },
    });
    let mut add =
        |name: &str, value: Value| operation.as_object_mut().map(|object| object.insert(name.to_owned(), value));
    if !route.about.is_empty() {
        add("description", json!(route.about));
    }
    if route.access != Access::Public {
        add("x-roles", route.access.roles().into_iter().map(kernel::Role::word).collect());
    }
    if let Some(input) = &route.input {
        let content = json!({ "application/json": { "schema": input.reference() } });
        add("requestBody", json!({ "required": true, "content": content }));
    }
    if route.takes_bytes {
        add("requestBody", json!({ "required": true, "content": { "*/*": {} } }));
    }
    operation
}

/// Method and path as one word: `delete_keys_id`.
fn operation_id(route: &RouteInfo) -> String {
    let path = route.path.strip_prefix("/v1/{ns}").unwrap_or(route.path);
    let words = path.split(['/', '{', '}', '*', '.', '-']).filter(|word| !word.is_empty());
    let method = route.method.as_str().to_ascii_lowercase();
    words.fold(method, |id, word| format!("{id}_{word}"))
}

fn parameters(route: &RouteInfo) -> Vec<Value> {
    let reference = |name: &str| json!({ "$ref": format!("#/components/parameters/{name}") });
    let mut parameters: Vec<_> = path_parts(route.path)
        .map(|name| match name {
            "ns" => reference("Namespace"),
            name => path_parameter(route, name),
        })
        .collect();
    parameters.extend(route.query.iter().map(|parameter| serde_json::to_value(parameter).unwrap_or_default()));
    if route.path.starts_with("/v1/") {
        let ours =
            if route.changes() { &["IdempotencyKey", "OpTime", "Build", "Auth"][..] } else { &["OpTime", "Build"] };
        parameters.extend(ours.iter().map(|name| reference(name)));
    }
    parameters
}

/// Names of the parts that vary: `ns` and `id` of `/v1/{ns}/keys/{id}`.
fn path_parts(path: &str) -> impl Iterator<Item = &str> {
    let inner = |part: &'_ str| part.starts_with('{').then_some(());
    path.split('/').filter(move |part| inner(part).is_some()).map(|part| part.trim_matches(['{', '}', '*']))
}

fn path_parameter(route: &RouteInfo, name: &str) -> Value {
    let meaning = route.params.iter().find(|(param, _)| *param == name).map_or("", |(_, meaning)| meaning);
    json!({
        "name": name, "in": "path", "required": true, "description": meaning, "schema": { "type": "string" },
    })
}

fn responses(route: &RouteInfo) -> Value {
    let mut responses = Map::new();
    responses.insert(route.status.to_string(), good(route));
    for (status, codes) in errors(route) {
        responses.insert(status.to_string(), error(&codes.join(", "), status == 503 || status == 429));
    }
    if route.path.starts_with("/v1/") {
        responses.insert("default".into(), error("Any other error", false));
    }
    Value::Object(responses)
}

fn good(route: &RouteInfo) -> Value {
    let content = match &route.answer {
        AnswerKind::Nothing => return json!({ "description": "Done", "headers": good_headers(route) }),
        AnswerKind::Json(schema) => json!({ "application/json": { "schema": schema.reference() } }),
        AnswerKind::Text("application/json") => json!({ "application/json": {} }),
        AnswerKind::Text(media_type) => json!({ *media_type: { "schema": { "type": "string" } } }),
    };
    json!({ "description": "Good", "headers": good_headers(route), "content": content })
}

fn good_headers(route: &RouteInfo) -> Value {
    if !(route.changes() && route.path.starts_with("/v1/")) {
        return json!({});
    }
    json!({
        "Fastness-Version": { "$ref": "#/components/headers/Version" },
        "Idempotency-Replayed": { "$ref": "#/components/headers/IdempotencyReplayed" },
    })
}

fn error(description: &str, passes: bool) -> Value {
    let headers =
        if passes { json!({ "Retry-After": { "$ref": "#/components/headers/RetryAfter" } }) } else { json!({}) };
    let content = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } });
    json!({ "description": description, "headers": headers, "content": content })
}

/// Names of the codes that a route may answer with, by status.
fn errors(route: &RouteInfo) -> BTreeMap<u16, Vec<&'static str>> {
    let mut by_status: BTreeMap<u16, Vec<&'static str>> = BTreeMap::new();
    for code in common(route).iter().chain(&route.errors) {
        let names = by_status.entry(code.status).or_default();
        if !names.contains(&code.name) {
            names.push(code.name);
        }
    }
    by_status
}

/// Codes that follow from what kind of route it is.
fn common(route: &RouteInfo) -> Vec<Code> {
    if !route.path.starts_with("/v1/") {
        return vec![];
    }
    let mut common =
        vec![codes::AHEADER, codes::AOPTIME, codes::DBUILD, codes::NNAMESPACE, codes::XBUSY, codes::XSTORE];
    if route.access != Access::Public {
        common.extend([codes::SKEY, codes::SROLE]);
    }
    if route.access != Access::Public && !route.is_got() {
        common.push(codes::SCSRF);
    }
    if !route.is_got() {
        common.extend([codes::ABODY, codes::ASLOW, codes::ATOOBIG]);
    }
    if route.changes() {
        common.extend([codes::AKEYREUSED, codes::CSERIAL, codes::XDISK]);
    }
    if route.input.is_some() {
        common.push(codes::ATYPE);
    }
    if !route.query.is_empty() {
        common.push(codes::ABODY);
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_path_that_vary() {
        let parts = |path| path_parts(path).collect::<Vec<_>>();
        assert_eq!(parts("/v1/{ns}/keys/{id}"), ["ns", "id"]);
        assert_eq!(parts("/v1/{ns}/resources/{*path}"), ["ns", "path"]);
        assert!(parts("/healthz").is_empty());
    }
}
