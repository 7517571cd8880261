//! A refusal as a page: what happened, and what to do.

use axum::http::header::{HeaderName, RETRY_AFTER};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use base::{OpError, codes};
use kernel::namespaces::FIRST;
use maud::html;

use super::enter::remembered;
use super::preferences::{Preferences, going};
use super::refusals::meaning;
use super::{start, words};
use crate::app::Shared;
use crate::error::Failure;
use crate::ui::form::link;
use crate::ui::{self, Head, Text};

/// Says of a navigation where it began; only browsers can say it.
const CAME_FROM: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Marks what the script fetches again by itself.
const AGAIN: HeaderName = HeaderName::from_static("fastness-again");

/// Seconds between two looks whether a page can be shown by now.
const AGAIN_S: u32 = 5;

/// Turns a refusal of a page's request into a page; anything else passes.
pub(crate) fn refused(shared: &Shared, headers: &HeaderMap, uri: &Uri, response: Response) -> Response {
    let Some(failure) = response.extensions().get::<Failure>().cloned() else { return response };
    if headers.contains_key(AGAIN) {
        return response;
    }
    if response.status() == 401 && headers.get(CAME_FROM).is_some_and(|from| from == "cross-site") {
        return from_here(shared, Preferences::of(headers));
    }
    if response.status() == 401 {
        let here = uri.path_and_query().map(|here| here.as_str()).filter(|here| here.starts_with("/console/"));
        return going(&link("/console/_login", &[("next", here)]));
    }
    let mut page = page(shared, headers, uri, &crate::error::as_told(&failure.0));
    *page.status_mut() = response.status();
    page.extensions_mut().insert(failure);
    if let Some(after) = response.headers().get(RETRY_AFTER) {
        page.headers_mut().insert(RETRY_AFTER, after.clone());
    }
    page
}

/// Whoever follows a link from elsewhere, a mail perhaps, shows no cookie though they may be logged in: browsers keep a strict one back
/// then. Asked for once more from a page of ours, it comes along.
fn from_here(shared: &Shared, wanted: Preferences) -> Response {
    let title = wanted.language.say(&words::ON_THE_WAY);
    let head = Head {
        title,
        server: &shared.config().name,
        language: wanted.language,
        theme: wanted.theme,
        refresh_s: None,
        script: true,
        csrf: None,
        live: None,
    };
    let body = html! { body.front data-once-more { main #content { h1 { (title) } } } };
    ui::page(head.around(&body).into())
}

fn page(shared: &Shared, headers: &HeaderMap, uri: &Uri, error: &OpError) -> Response {
    let wanted = Preferences::of(headers);
    let language = wanted.language;
    let (title, passes) = (language.say(headline(error)), error.code.passes());
    let head = Head {
        title,
        server: &shared.config().name,
        language,
        theme: wanted.theme,
        refresh_s: passes.then_some(AGAIN_S),
        script: true,
        csrf: None,
        live: None,
    };
    ui::page(
        head.around(&html! {
            body.front data-again=[passes.then_some(AGAIN_S)] {
                main #content {
                    p.eyebrow { (language.say(&words::ERROR_CODE)) " " code { (error.code.name) } }
                    h1 { (title) }
                    @if let Some(meaning) = meaning(error.code.name) { p.lead { (language.say(meaning)) } }
                    p.hint { (error.message) }
                    @if passes { p.hint { (language.say(&words::NOT_NOW_HINT)) } }
                    (ways(shared, headers, uri, error))
                }
            }
        })
        .into(),
    )
}

/// Whether it is the namespace of the page that is not there.
fn is_homeless(error: &OpError, namespace: &str, shared: &Shared) -> bool {
    error.code == codes::NNAMESPACE && shared.kernel().namespace(namespace).is_err()
}

fn headline(error: &OpError) -> &'static Text {
    match error.code.letter() {
        _ if error.code == codes::NNAMESPACE => &words::NO_SUCH_NAMESPACE,
        'N' => &words::NO_SUCH_PAGE,
        'S' => &words::NOT_FOR_YOU,
        'X' | 'C' | 'O' | 'T' => &words::NOT_NOW,
        'B' => &words::OUR_FAULT,
        _ => &words::WRONG_REQUEST,
    }
}

fn ways(shared: &Shared, headers: &HeaderMap, uri: &Uri, error: &OpError) -> maud::Markup {
    let language = Preferences::of(headers).language;
    let namespace = super::below(uri.path()).and_then(|rest| rest.split('/').nth(1)).unwrap_or_default();
    let is_gone = is_homeless(error, namespace, shared);
    // From a namespace that is gone no page of it leads on.
    let to = if is_gone { first_known(shared, headers) } else { namespace };
    let overview = format!("/console/{}/", ui::form::encoded(to));
    html! {
        p.ways {
            @if is_gone { a.button.primary href=(start::PAGE.replace("{ns}", to)) { (language.say(&start::START)) } }
            a.button href=(overview) { (language.say(&words::TO_OVERVIEW)) }
            @if error.code.letter() == 'S' {
                a.button href=(link("/console/_login", &[("next", Some(uri.path()))])) { (language.say(&words::ANOTHER_ACCOUNT)) }
            }
        }
    }
}

/// The namespace that one was in before, or the first one.
fn first_known<'a>(shared: &Shared, headers: &'a HeaderMap) -> &'a str {
    remembered(headers).filter(|name| shared.kernel().namespace(name).is_ok()).unwrap_or(FIRST)
}
