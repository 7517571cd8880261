//! The OpenAPI 3.1 document (KER-38), made from the route table. What the table does not say is said here once.

mod operation;

use std::collections::BTreeMap;

use base::Stamp;
use base::limits::IDEMPOTENCY_KEY_MAX;
use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};

use crate::app::AppConfig;
use crate::auth::COOKIE_NAME;
use crate::error::ErrorBody;
use crate::route::{AnswerKind, RouteInfo, SchemaOf, Table};
use operation::operation;

/// The whole document.
///
/// # Panics
/// Two different schemas have one name: a bug of a service.
pub(crate) fn document(table: &Table, config: &AppConfig) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": config.name,
            "version": config.version,
            "description": INTRODUCTION,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "tags": tags(table).into_iter().map(|tag| json!({ "name": tag })).collect::<Vec<_>>(),
        "paths": paths(table),
        "components": {
            "schemas": schemas(table),
            "parameters": parameters(),
            "headers": headers(),
            "securitySchemes": {
                "key": { "type": "http", "scheme": "bearer", "description": "An access key of the namespace." },
                "session": {
                    "type": "apiKey", "in": "cookie", "name": COOKIE_NAME,
                    "description": "A login of a person; changes must carry its token as X-CSRF-Token.",
                },
            },
        },
    })
}

const INTRODUCTION: &str = "Everything below `/v1/{ns}/` belongs to one namespace and needs one of its keys: \
    `Authorization: Bearer <key>`. Unknown fields are refused by name. Errors are JSON; their code decides, the status \
    helps proxies. Whatever changes something takes an `Idempotency-Key`: a repeat gives the first answer.";

/// Headings in the table's order.
pub(crate) fn tags(table: &Table) -> Vec<&'static str> {
    let mut tags = Vec::new();
    for route in table.iter() {
        if !tags.contains(&route.tag) {
            tags.push(route.tag);
        }
    }
    tags
}

fn paths(table: &Table) -> Value {
    let mut paths: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for route in table.iter() {
        let item = paths.entry(documented_path(route)).or_default();
        item.insert(route.method.as_str().to_ascii_lowercase(), operation(route));
    }
    json!(paths)
}

/// The path as OpenAPI writes it: a part that takes the rest is a part like any other.
pub(crate) fn documented_path(route: &RouteInfo) -> String {
    route.path.replace("{*", "{")
}

fn schemas(table: &Table) -> Map<String, Value> {
    let mut all = Map::new();
    let error = SchemaOf::of::<ErrorBody>();
    let described = table.iter().flat_map(|route| route.input.iter().chain(route.answer.schema()));
    for (name, schema) in described.chain([&error]).flat_map(|schema| &schema.parts) {
        add(&mut all, name, schema);
    }
    all
}

fn add(all: &mut Map<String, Value>, name: &str, schema: &RefOr<Schema>) {
    let schema = serde_json::to_value(schema).unwrap_or_default();
    let before = all.insert(name.to_owned(), schema.clone());
    assert!(before.is_none_or(|before| before == schema), "two different schemas are called {name}");
}

impl AnswerKind {
    fn schema(&self) -> Option<&SchemaOf> {
        match self {
            Self::Json(schema) => Some(schema),
            Self::Nothing | Self::Text(_) => None,
        }
    }
}

fn parameters() -> Value {
    json!({
        "Namespace": {
            "name": "ns", "in": "path", "required": true,
            "description": "The namespace.",
            "schema": { "type": "string", "pattern": "^[a-z0-9]{1,16}$" }, "example": "main",
        },
        "IdempotencyKey": {
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description": "A repeat with the same key and body gives the first answer; kept for 24 hours.",
            "schema": { "type": "string", "minLength": 1, "maxLength": IDEMPOTENCY_KEY_MAX, "pattern": "^[!-~]+$" },
        },
        "OpTime": {
            "name": "Fastness-Op-Time", "in": "header", "required": false,
            "description": "When the caller asked, a stamp yyMMddHHmmssSSS in UTC; refused if it lies ahead of our \
                            clock or is older than 24 hours.",
            "schema": {
                "type": "integer", "format": "int64",
                "minimum": Stamp::MIN.number(), "maximum": Stamp::MAX.number(),
            },
        },
        "Auth": {
            "name": "Fastness-Auth", "in": "header", "required": false,
            "description": "What the application says of itself: a JSON object of the texts `account`, `key` and `admin`, which \
                            own operations read and check.",
            "schema": { "type": "string", "example": "{\"account\":\"anna\"}" },
        },
        "Build": {
            "name": "Fastness-Build", "in": "header", "required": false,
            "description": "Build of the client; too old ones are refused.",
            "schema": { "type": "integer", "format": "int64", "minimum": 0 },
        },
    })
}

fn headers() -> Value {
    json!({
        "Version": {
            "description": "The version under which it was committed, a stamp.",
            "schema": { "type": "integer", "format": "int64" },
        },
        "IdempotencyReplayed": {
            "description": "`true` if this is the stored answer of an earlier call.",
            "schema": { "type": "string", "const": "true" },
        },
        "RetryAfter": {
            "description": "Seconds after which another try is worth it.",
            "schema": { "type": "integer", "minimum": 1 },
        },
    })
}
