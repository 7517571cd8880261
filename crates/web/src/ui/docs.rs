//! The readable page of the API (KER-38), made from the same table and document as `/openapi.json`.

mod basics;

use std::sync::Arc;

use maud::{Markup, html};
use serde_json::Value;

use super::Frame;
use super::example::curl;
use super::schema::{parameters, prose, resolve, rows, table};
use crate::app::AppConfig;
use crate::openapi::{documented_path, tags};
use crate::route::{Access, RouteInfo, Table};

/// What the parts of the page draw from.
struct Source<'a> {
    table: &'a Table,
    document: &'a Value,
    public_url: &'a str,
}

/// The page of the whole API.
pub(crate) fn docs_page(table: &Table, document: &Value, config: &AppConfig) -> String {
    let source = Source { table, document, public_url: &config.public_url };
    let (server, version) = (config.name.as_str(), config.version.as_str());
    let frame = Frame { title: "API", server, version, here: "/docs", refresh_s: None };
    frame.around(&html! {
        div.split {
            nav.side aria-label="Contents" { (contents(&source)) }
            main {
                details.contents { summary { "Contents" } (contents(&source)) }
                h1 { "API" }
                p.lead { "Every route of this server, as it runs now. For programs: " a href="/openapi.json" { "openapi.json" } "." }
                (basics::sections(config))
                @for tag in tags(table) { (section(&source, tag)) }
            }
        }
    })
}

fn routes_of<'a>(source: &Source<'a>, tag: &'static str) -> impl Iterator<Item = &'a Arc<RouteInfo>> {
    source.table.iter().filter(move |route| route.tag == tag)
}

fn contents(source: &Source<'_>) -> Markup {
    html! {
        ul {
            li {
                a.group href="#basics" { "Basics" }
                ul { @for (id, name) in basics::CONTENTS { li { a href={ "#" (id) } { (name) } } } }
            }
            @for tag in tags(source.table) {
                li {
                    a.group href={ "#" (anchor(tag)) } { (tag) }
                    ul {
                        @for route in routes_of(source, tag) {
                            li { a href={ "#" (anchor(&route.label())) } { (method(route)) span { (route.summary) } } }
                        }
                    }
                }
            }
        }
    }
}

fn section(source: &Source<'_>, tag: &'static str) -> Markup {
    html! {
        section.group id=(anchor(tag)) {
            h2 { (tag) }
            @for route in routes_of(source, tag) { (article(source, route)) }
        }
    }
}

fn article(source: &Source<'_>, route: &RouteInfo) -> Markup {
    let id = anchor(&route.label());
    html! {
        article.route id=(id) {
            header {
                h3 { a.permanent href={ "#" (id) } { (route.summary) } }
                p.call { (method(route)) code.path { (path(route.path)) } }
                p.roles { (roles(route)) }
            }
            @if !route.about.is_empty() { p { (prose(route.about)) } }
            (particulars(source, route))
            h4 { "Example" }
            pre tabindex="0" { code { (curl(source.document, route, source.public_url)) } }
        }
    }
}

/// Parameters, body, answer and errors, as the document has them.
fn particulars(source: &Source<'_>, route: &RouteInfo) -> Markup {
    let document = source.document;
    let operation = &document["paths"][documented_path(route)][route.method.as_str().to_ascii_lowercase()];
    let all = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    let own = |parameter: &&Value| parameter["$ref"].is_null();
    let fields = parameters(document, all.iter().filter(own));
    let json = |value: &Value| value["content"]["application/json"]["schema"].clone();
    let (body, answer) = (json(&operation["requestBody"]), json(&operation["responses"][route.status.to_string()]));
    html! {
        @if !fields.is_empty() { h4 { "Parameters" } (rows(&fields)) }
        @if !body.is_null() { h4 { "Body" } (described(document, &body)) }
        h4 { "Answer " span.status { (route.status) } }
        @if answer.is_null() { p.hint { (other_answer(operation, route)) } } @else { (described(document, &answer)) }
        (errors(&operation["responses"], route.status))
    }
}

fn described(document: &Value, schema: &Value) -> Markup {
    let about = resolve(document, schema)["description"].as_str().unwrap_or_default();
    html! {
        @if !about.is_empty() { p.hint { (prose(about)) } }
        (table(document, schema))
    }
}

fn other_answer(operation: &Value, route: &RouteInfo) -> String {
    let content = operation["responses"][route.status.to_string()]["content"].as_object();
    content.and_then(|content| content.keys().next()).map_or_else(|| "No body.".into(), Clone::clone)
}

fn errors(responses: &Value, good: u16) -> Markup {
    let responses = responses.as_object().into_iter().flatten();
    let errors: Vec<_> = responses.filter(|(status, _)| **status != good.to_string() && *status != "default").collect();
    html! {
        @if !errors.is_empty() {
            h4 { "Errors" }
            ul.errors {
                @for (status, response) in errors {
                    li {
                        span.status { (status) }
                        @for code in response["description"].as_str().unwrap_or_default().split(", ") { code { (code) } " " }
                    }
                }
            }
        }
    }
}

fn method(route: &RouteInfo) -> Markup {
    let word = route.method.as_str();
    html! { span.method.(word.to_ascii_lowercase()) { (word) } }
}

/// The path with its varying parts marked.
fn path(path: &str) -> Markup {
    html! {
        @for (at, part) in path.split_inclusive('/').enumerate() {
            @let name = part.trim_end_matches('/');
            @if at > 0 && name.starts_with('{') { var { (name) } @if part.ends_with('/') { "/" } } @else { (part) }
        }
    }
}

fn roles(route: &RouteInfo) -> Markup {
    html! {
        @if route.access == Access::Public {
            span.role.public { "no key needed" }
        } @else {
            @for role in route.access.roles() { span.role { (role.word()) } " " }
        }
    }
}

/// A name for the part of the page.
fn anchor(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}
