//! All namespaces side by side, at the administrators' own.

use maud::{Markup, html};

use super::store::health;
use super::{Seen, words};
use crate::console::visit::Console;
use crate::overview::engine_word;
use crate::ui::moment::bytes;
use crate::ui::parts::{card, table};
use crate::ui::{Column, Holds, Row, Tone};

pub(super) fn shown(console: &Console, seen: &[Seen]) -> Markup {
    let columns = [
        Column(console.say(&crate::console::words::NAME), Holds::Text),
        Column(console.say(&words::HEALTH), Holds::Text),
        Column(console.say(&words::ENGINE), Holds::Text),
        Column(console.say(&words::DUE), Holds::Numbers),
        Column(console.say(&words::RUNNING), Holds::Numbers),
        Column(console.say(&words::PARKED), Holds::Numbers),
        Column(console.say(&words::ALERTS), Holds::Numbers),
        Column(console.say(&words::STUCK), Holds::Numbers),
        Column(console.say(&words::DATA), Holds::Numbers),
    ];
    let rows: Vec<Row> = seen.iter().map(|seen| row(console, seen)).collect();
    card(console.say(&words::NAMESPACES), html! {}, table(console.say(&words::NAMESPACES), &columns, &rows))
}

fn row(console: &Console, seen: &Seen) -> Row {
    let number = |number: Option<i64>| html! { @if let Some(number) = number { (console.language().number(number)) } @else { "–" } };
    let work = seen.work.as_ref();
    let stuck = work.map(|work| i64::try_from(work.stuck.unwanted()).unwrap_or(i64::MAX));
    let needs = work.is_none_or(|work| work.tasks.parked + work.alerts.open > 0 || work.stuck.unwanted() > 0);
    let data = seen.ns.store.figures().data_bytes;
    Row::of(vec![
        html! { a href={ "/console/" (seen.ns.name) "/" } { (seen.ns.name) } },
        health(console, &seen.ns),
        html! { (engine_word(seen.ns.store.engine())) },
        number(work.map(|work| work.tasks.due)),
        number(work.map(|work| work.tasks.running)),
        number(work.map(|work| work.tasks.parked)),
        number(work.map(|work| work.alerts.open)),
        number(stuck),
        html! { @if let Some(data) = data { (bytes(console.language(), data)) } @else { "–" } },
    ])
    .tone(needs.then_some(Tone::Warn))
}
