//! The overview of a namespace, or of the whole server at the administrators' (CON-2): first what needs a person, then how much
//! there is, then how it went, then what it runs on.
//!
//! Everything on it is live. A part whose numbers cannot be read now says so and leaves the others standing.

mod attention;
mod namespaces;
mod rates;
mod store;
mod tiles;
mod words;

use std::sync::Arc;

use futures_util::future::join_all;
use kernel::counters::rates::Span;
use kernel::overview::{Look, OVERVIEW, Overview};
use kernel::{Namespace, Role};
use maud::{Markup, html};
use serde::Deserialize;
use tokio::time::timeout;

use super::nav::{Group, Nav};
use super::page::{Page, PageResult};
use super::start;
use super::visit::{Console, View};
use crate::params::QueryOf;
use crate::seen::{PATIENCE, seen_from};
use crate::ui::Tone;
use crate::ui::parts::banner;

const ICON: &str = "M1 9h4v6H1zM6 4h4v11H6zM11 1h4v14h-4z";

pub(super) fn pages() -> Vec<Page> {
    let nav = Nav { group: Group::Overview, place: 0, text: &words::OVERVIEW, icon: ICON };
    vec![Page::new("/console/{ns}/", overview).roles(&[Role::Operator, Role::Reader]).nav(nav)]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// How far back the charts go.
    span: Option<String>,
}

/// A namespace with what was read of it; nothing if it cannot be read now.
struct Seen {
    ns: Arc<Namespace>,
    work: Option<Overview>,
}

async fn overview(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    let span = asked.span.as_deref().map_or(Ok(Span::TenMinutes), Span::from_word)?;
    let seen = join_all(seen_from(&console).into_iter().map(|ns| looked_at(&console, ns))).await;
    let content = html! {
        div.stack {
            div #invitation data-live { (start::invitation(&console, here(&console, &seen))) }
            div #attention data-live { (unread(&console, &seen)) (attention::shown(&console, &seen).await) }
            div #tiles data-live { (tiles::shown(&console, &seen)) }
            (rates::shown(&console, &seen, span).await)
            @if console.at_administration() { div #namespaces data-live { (namespaces::shown(&console, &seen)) } }
            div #store data-live { (store::shown(&console, &seen)) }
        }
    };
    Ok(console.show(View { title: console.say(&words::OVERVIEW), above: &[], actions: html! {}, content }))
}

/// What was read of this namespace itself.
fn here<'a>(console: &Console, seen: &'a [Seen]) -> Option<&'a Overview> {
    seen.iter().find(|seen| seen.ns.name == console.namespace().name)?.work.as_ref()
}

/// A store that hangs must not hold the page: what comes too late is shown as away.
async fn looked_at(console: &Console, ns: Arc<Namespace>) -> Seen {
    let within = console.within(&ns);
    let read = within.read(&OVERVIEW, Look::at(console.kernel()));
    let work = timeout(PATIENCE, read).await.ok().and_then(Result::ok).map(|work| work.out);
    Seen { ns, work }
}

/// Says which stores cannot be read now.
fn unread(console: &Console, seen: &[Seen]) -> Markup {
    let away: Vec<_> = seen.iter().filter(|seen| seen.work.is_none()).map(|seen| seen.ns.name.clone()).collect();
    html! {
        @if !away.is_empty() {
            (banner(Tone::Bad, html! { (console.fill(&words::STORE_AWAY, &[("names", &away.join(", "))])) }))
        }
    }
}
