//! The way in: `/console` leads to the namespace that one was in, or to `main`.

use axum::extract::State;
use axum::http::HeaderMap;
use kernel::namespaces::FIRST;
use serde::Deserialize;

use super::page::{Page, PageResult};
use super::preferences::{back, going};
use crate::app::Shared;
use crate::params::QueryOf;

pub(super) fn pages() -> Vec<Page> {
    vec![
        Page::new("/console", first).public(),
        Page::new("/console/", first).public(),
        Page::new("/console/_enter", enter).public(),
    ]
}

async fn first(_: HeaderMap) -> PageResult {
    Ok(going(&format!("/console/{FIRST}/")))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entered {
    namespace: String,
    next: Option<String>,
}

/// After a login: to the page that was asked for if the session reaches it, else to the first page of the session's namespace.
async fn enter(State(shared): State<Shared>, QueryOf(entered): QueryOf<Entered>) -> PageResult {
    let everywhere = entered.namespace == shared.kernel().config().admin_namespace;
    let home = if everywhere { FIRST } else { &entered.namespace };
    let next = back(entered.next.as_deref());
    let own = format!("/console/{}/", entered.namespace);
    let reachable = next.starts_with(&own) || (everywhere && next.starts_with("/console/"));
    Ok(going(if reachable { next.to_owned() } else { first_page(home) }.as_str()))
}

fn first_page(namespace: &str) -> String {
    format!("/console/{namespace}/")
}
