//! How it went: operations and tasks over time.

use futures_util::future::join_all;
use kernel::counters::rates::{RATES, Rates, RatesPage, Span};
use kernel::counters::{OPERATION, TASK};
use maud::{Markup, html};

use super::{Seen, words};
use crate::console::visit::Console;
use crate::ui::chart::{Chart, Line};
use crate::ui::form::link;
use crate::ui::moment::relative;
use crate::ui::parts::card;
use crate::ui::{Text, Tone};

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
    let Some(first) = all.first() else { return html! {} };
    let per_second = |count: i64| rate(count, first.unit_s);
    // The last step is not over: its rate would always look low.
    let steps = first.points.len().saturating_sub(1);
    let line = |of: fn(&kernel::counters::rates::Point) -> i64| -> Vec<f64> {
        (0..steps).map(|step| per_second(all.iter().map(|rates| of(&rates.points[step])).sum())).collect()
    };
    let (done, errors) = (line(|point| point.processed), line(|point| point.errors));
    let from = relative(console.language(), console.now(), first.from.plus_ms(-first.unit_s * 1_000));
    let chart = Chart {
        title: console.say(title),
        unit: console.say(&words::PER_SECOND),
        from_to: (from, console.say(&words::NOW).to_owned()),
        lines: vec![
            Line { name: console.say(&words::DONE), tone: Tone::Info, values: &done },
            Line { name: console.say(&words::ERRORS), tone: Tone::Bad, values: &errors },
        ],
    };
    chart.draw(console.language())
}

fn rate(count: i64, unit_s: i64) -> f64 {
    f64::from(i32::try_from(count).unwrap_or(i32::MAX)) / f64::from(i32::try_from(unit_s.max(1)).unwrap_or(1))
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
