//! How it went: operations and tasks over time.

use futures_util::future::join_all;
use kernel::counters::rates::{RATES, Rates, RatesPage, Span};
use kernel::counters::{OPERATION, TASK};
use maud::{Markup, html};

use super::{Seen, words};
use crate::console::rates::rates_chart;
use crate::console::visit::Console;
use crate::ui::Text;
use crate::ui::form::link;
use crate::ui::parts::card;

pub(super) async fn shown(console: &Console, seen: &[Seen], span: Span) -> Markup {
    let operations = drawn(console, seen, (OPERATION, &words::OPERATIONS), span).await;
    let tasks = drawn(console, seen, (TASK, &words::TASKS), span).await;
    let charts = html! { div #rates data-live { div.columns { (operations) (tasks) } } };
    card(console.say(&words::RATES), spans(console, span), charts)
}

fn spans(console: &Console, chosen: Span) -> Markup {
    let text = |span| match span {
        Span::TenMinutes => &words::SPAN_10M,
        Span::Day => &words::SPAN_24H,
        Span::Week => &words::SPAN_7D,
    };
    html! {
        nav.choices aria-label=(console.say(&words::SPAN)) {
            @for span in Span::ALL {
                a href=(link(&console.at(""), &[("span", Some(span.word()))])) aria-current=[(span == chosen).then_some("true")] {
                    (console.say(text(span)))
                }
            }
        }
    }
}

/// One chart, of all namespaces that are seen together.
async fn drawn(console: &Console, seen: &[Seen], (kind, title): (&str, &Text), span: Span) -> Markup {
    let all: Vec<Rates> =
        join_all(seen.iter().map(|seen| counted(console, seen, kind, span))).await.into_iter().flatten().collect();
    rates_chart(console, title, &all, (&words::DONE, &words::ERRORS))
}

async fn counted(console: &Console, seen: &Seen, kind: &str, span: Span) -> Option<Rates> {
    let now = console.now();
    match span {
        Span::TenMinutes => Some(seen.ns.watched.counters.rates(kind, now)),
        Span::Day | Span::Week if seen.work.is_none() => None,
        Span::Day | Span::Week => {
            let page = RatesPage { kind: kind.to_owned(), span, now };
            console.within(&seen.ns).read(&RATES, page).await.ok().map(|rates| rates.out)
        }
    }
}
