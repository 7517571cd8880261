//! The way in: `/console` leads to the namespace that one was in, or to `main`.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{HeaderValue, SET_COOKIE};
use kernel::namespaces::FIRST;
use serde::Deserialize;

use super::page::{Page, PageResult};
use super::preferences::{back, cookie, going};
use crate::app::Shared;
use crate::params::QueryOf;

/// The cookie that remembers the namespace of the last login.
const NAMESPACE: &str = "fastness_namespace";

pub(super) fn pages() -> Vec<Page> {
    vec![
        Page::new("/console", first).public(),
        Page::new("/console/", first).public(),
        Page::new("/console/_enter", enter).public(),
    ]
}

async fn first(headers: HeaderMap) -> PageResult {
    Ok(going(&first_page(remembered(&headers).unwrap_or(FIRST))))
}

/// The namespace of the last login, which may be gone by now.
pub(super) fn remembered(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, NAMESPACE).filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric()))
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
    let mut response = going(if reachable { next.to_owned() } else { first_page(home) }.as_str());
    let known = shared.kernel().namespace(home).is_ok();
    let cookie = format!("{NAMESPACE}={home}; Path=/console; Max-Age=31536000; SameSite=Lax; HttpOnly");
    // A name of a namespace is always a header's value.
    let cookie = HeaderValue::from_str(&cookie).ok().filter(|_| known);
    cookie.into_iter().for_each(|cookie| drop(response.headers_mut().insert(SET_COOKIE, cookie)));
    Ok(response)
}

fn first_page(namespace: &str) -> String {
    format!("/console/{namespace}/")
}
