//! The map of all doors: parts of addresses as tiles, each with how its sensors are, and the way further in.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::band::{band, shares};
use web::ui::form::{filters, link};
use web::ui::parts::{badge, empty, pager, stats};
use web::ui::{Field, Kind, Stat, Text, Tone};
use web::{Console, PageResult, QueryOf, View};

use super::reads::{PLACES, Place, Places, PlacesOf, TOTALS, Totals, parts};
use super::{CLIENTS, LIST, MAP, NOT_KNOWN, at_most, rates, sensor_actions, sensor_page, state, views, words};
use crate::routes::check_unbound;
use crate::sensor::SensorState;

/// Where counts end.
const MANY: i64 = 10_000;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    /// What addresses begin with.
    address: String,
    /// Parts after this one.
    after: String,
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_unbound(&console)?;
    let totals = console.read(&TOTALS, console.now()).await?.out;
    let wanted = PlacesOf { prefix: asked.address.clone(), after: asked.after.clone() };
    let places = console.read(&PLACES, wanted).await?.out;
    let top = asked.address.is_empty();
    let content = html! {
        (views(&console, MAP, false))
        div.stack {
            div #sensor-numbers data-live { (numbers(&console, totals, &places, top)) }
            @if totals.sensors > 0 { (find(&console, &asked.address)) }
            @if !top { (way(&console, &asked.address)) }
            div.stack #sensor-places data-live { (shown(&console, &asked, &places)) }
            @if top && totals.sensors > 0 { (rates::shown(&console)) }
        }
    };
    let actions = html! { (sensor_actions::registering(&console, "", None)) };
    Ok(console.show(View { title: console.say(&words::SENSORS), above: &[], actions, content }))
}

fn numbers(console: &Console, totals: Totals, places: &Places, top: bool) -> Markup {
    let here = if top { "" } else { console.say(&words::HERE) };
    let cut = places.next.is_some() || places.items.iter().any(|place| place.more);
    let sum = |of: fn(&Place) -> i64| -> String {
        let sum: i64 = places.items.iter().map(of).sum();
        format!("{}{}", console.language().number(sum), if cut { "+" } else { "" })
    };
    let tile = |label: &Text, value: String, tone, page: &str| Stat {
        label: console.say(label).to_owned(),
        value,
        hint: html! { @if [words::OPEN_HERE, words::CLOSED_HERE].contains(label) { (here) } },
        tone,
        href: Some(console.at(page)),
    };
    let bad = |count: i64, tone| if count > 0 { tone } else { Tone::Good };
    stats(&[
        tile(&words::SENSORS, at_most(console, totals.sensors, MANY), Tone::Quiet, LIST),
        tile(&words::OPEN_HERE, sum(|place| place.open), Tone::Info, "sensors/as-list?state=open"),
        tile(&words::CLOSED_HERE, sum(|place| place.closed), Tone::Good, "sensors/as-list?state=closed"),
        tile(
            &words::LOST,
            at_most(console, totals.lost, MANY),
            bad(totals.lost, Tone::Bad),
            "sensors/as-list?state=lost",
        ),
        tile(&words::UNKNOWN, at_most(console, totals.unknown, MANY), bad(totals.unknown, Tone::Warn), NOT_KNOWN),
        tile(&words::WAITING, at_most(console, totals.waiting, MANY), Tone::Quiet, CLIENTS),
    ])
}

/// Finds sensors by the beginning of an id or of an address.
fn find(console: &Console, address: &str) -> Markup {
    let fields = [
        Field::new("prefix", console.say(&words::ID_STARTS), Kind::Text),
        Field::new("address", console.say(&words::ADDRESS_STARTS), Kind::Text).value(address),
    ];
    filters(&console.at(LIST), &fields, console.say(&common::SEARCH))
}

/// The way from all addresses to where we are.
fn way(console: &Console, address: &str) -> Markup {
    let at = |address: &str| link(&console.at(MAP), &[("address", Some(address))]);
    html! {
        nav.crumbs aria-label=(console.say(&words::WAY)) {
            ol {
                li { a href=(console.at(MAP)) { (console.say(&words::EVERYWHERE)) } }
                @for (beginning, name) in parts(address) { li { a href=(at(beginning)) { bdi { (name) } } } }
            }
        }
    }
}

fn shown(console: &Console, asked: &Asked, places: &Places) -> Markup {
    if places.items.is_empty() {
        return nothing(console, asked);
    }
    let at = |after: Option<&str>| link(&console.at(MAP), &[("address", Some(&asked.address)), ("after", after)]);
    let first = (!asked.after.is_empty()).then(|| at(None));
    let next = places.next.as_deref().map(|next| at(Some(next)));
    html! {
        ul.places { @for place in &places.items {
            li data-key=(place.address) { (tile(console, &asked.address, place)) }
        } }
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
    }
}

fn nothing(console: &Console, asked: &Asked) -> Markup {
    if !asked.address.is_empty() {
        return empty(console.say(&words::NOTHING_THERE), html! { p { (console.say(&words::NOTHING_THERE_HINT)) } });
    }
    let address = r#"{"address": "Moscow, Russia, Svobody st. 23 fl 1 room 16"}"#;
    let sensor = console.curl("PUT", "sensors/xa7v9Dfadr7H", address);
    let signal = console.curl("POST", "signals", r#"{"sensor_id": "xa7v9Dfadr7H", "data": 1}"#);
    let command = console.command("sensors simulate --sensors 50 --minutes 5 --clean");
    let hint = html! {
        p { (console.say(&words::NO_SENSORS_HINT)) }
        (console.terminal(&[sensor, signal]))
        p { (console.say(&words::NO_SENSORS_TRY)) }
        (console.terminal(&[command]))
    };
    empty(console.say(&words::NO_SENSORS), hint)
}

fn tile(console: &Console, prefix: &str, place: &Place) -> Markup {
    let rest = place.address.get(prefix.len()..).unwrap_or_default().trim().trim_end_matches(',');
    // Whoever asks for a whole address is shown it.
    let name = if rest.is_empty() { place.address.trim().trim_end_matches(',') } else { rest };
    let counts = [
        (SensorState::Closed, place.closed),
        (SensorState::Open, place.open),
        (SensorState::Never, place.never),
        (SensorState::Lost, place.lost),
    ];
    let label =
        counts.iter().map(|(of, count)| format!("{} {count}", console.say(state::text(*of)))).collect::<Vec<_>>();
    let pieces = shares(&counts.map(|(of, count)| (state::tone(of), count)));
    let tone = if place.lost > 0 { Tone::Bad } else { Tone::Good };
    html! {
        a.place.(tone.class()) href=(further(console, place)) {
            span.place-head {
                span.place-name { (name) }
                span.place-count { (console.language().number(place.counted())) @if place.more { "+" } }
            }
            (band(&label.join(", "), &pieces))
            span.place-numbers {
                @for (of, count) in counts { @if count > 0 {
                    span class=[(of == SensorState::Lost).then_some("bad")] { (console.say(state::text(of))) " " (console.language().number(count)) }
                } }
                @if place.lost > 0 && place.lost == place.counted() { (badge(Tone::Bad, console.say(&words::SILENT))) }
            }
        }
    }
}

/// Where a tile leads: further in, to the sensors of one room, or to the only sensor there.
fn further(console: &Console, place: &Place) -> String {
    let address = [("address", Some(place.address.as_str()))];
    match (place.whole, place.counted()) {
        (false, _) => link(&console.at(MAP), &address),
        (true, 1) => sensor_page(console, &place.first),
        (true, _) => link(&console.at(LIST), &address),
    }
}
