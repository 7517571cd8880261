//! All databases: what waits for each, what it is doing, and whether somebody must act.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::link;
use web::ui::parts::{banner, card, empty, id_link, pager, stats, table};
use web::ui::{Column, Field, Form, Holds, Kind, Row, Stat, Text, Tone};
use web::{Console, PageResult, QueryOf, View};

use super::reads::{DATABASES, DatabaseLine, TOTALS, Totals};
use super::{
    DEVICES, OVERVIEW, PAGE, PROCESSES, at_most, companies, database_page, in_folder, ledger, no_company, process_page,
    state, views, when, words,
};
use crate::registry::CompanyView;
use crate::routes::check_unbound;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    after: String,
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_unbound(&console)?;
    let totals = console.read(&TOTALS, ()).await?.out;
    let mut found = console.read(&DATABASES, (asked.after.clone(), PAGE + 1)).await?.out;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let known = companies::choices(&console).await?;
    let next = found.last().filter(|_| more).map(|last| link(&console.at(OVERVIEW), &[("after", Some(&last.id))]));
    let first = (!asked.after.is_empty()).then(|| console.at(OVERVIEW));
    let content = html! {
        (views(&console, OVERVIEW))
        div.stack #exchange data-live {
            (trouble(&console, totals))
            (numbers(&console, totals))
            @if found.is_empty() { (nothing(&console, &asked, &known)) } @else { (card(console.say(&words::DATABASES), html! { (at_most(&console, totals.databases)) }, rows(&console, &found))) }
            (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
        }
    };
    let actions = html! { div.page-actions #exchange-actions data-live { (create(&console, &known)) } };
    Ok(console.show(View { title: console.say(&words::EXCHANGE), above: &[], actions, content }))
}

/// What waits for a person.
fn trouble(console: &Console, totals: Totals) -> Markup {
    let shown = |tone, text: &Text, count: i64, state: &str| {
        let href = link(&console.at(PROCESSES), &[("state", Some(state))]);
        banner(
            tone,
            html! { p { (console.fill(text, &[("n", &at_most(console, count))])) " " a href=(href) { (console.say(&words::LOOK)) } } },
        )
    };
    html! {
        @if totals.unknown > 0 { (shown(Tone::Warn, &words::UNKNOWN_BANNER, totals.unknown, "unknown")) }
        @if totals.failed > 0 { (shown(Tone::Bad, &words::FAILED_BANNER, totals.failed, "failed")) }
    }
}

fn numbers(console: &Console, totals: Totals) -> Markup {
    let tile = |label: &Text, value: String, tone, href: Option<String>| Stat {
        label: console.say(label).to_owned(),
        value,
        hint: html! {},
        tone,
        href,
    };
    let whole = |count: i64| console.language().number(count);
    let of_state = |state: &str| Some(link(&console.at(PROCESSES), &[("state", Some(state))]));
    let bad = |count: i64, tone| if count > 0 { tone } else { Tone::Good };
    let going = if totals.active > 0 { Tone::Info } else { Tone::Quiet };
    stats(&[
        tile(&words::DEVICES, at_most(console, totals.devices), Tone::Quiet, Some(console.at(DEVICES))),
        tile(&words::QUEUED, whole(totals.queued), Tone::Quiet, None),
        tile(&words::ACTIVE_PROCESSES, at_most(console, totals.active), going, of_state("active")),
        tile(&words::IN_ERROR, whole(totals.error), bad(totals.error, Tone::Warn), None),
        tile(
            &words::UNKNOWN_OUTCOMES,
            at_most(console, totals.unknown),
            bad(totals.unknown, Tone::Warn),
            of_state("unknown"),
        ),
        tile(&words::FILES_STUCK, at_most(console, totals.failed), bad(totals.failed, Tone::Bad), of_state("failed")),
    ])
}

fn nothing(console: &Console, asked: &Asked, known: &[CompanyView]) -> Markup {
    if !asked.after.is_empty() {
        return empty(console.say(&words::NONE_HERE), html! { p { (console.say(&words::NONE_HERE_HINT)) } });
    }
    if known.is_empty() {
        return no_company(console);
    }
    empty(console.say(&words::NO_DATABASE), html! { p { (console.say(&words::NO_DATABASE_HINT)) } })
}

/// Registers a database.
fn create(console: &Console, known: &[CompanyView]) -> Form {
    console
        .form("POST /v1/{ns}/exchange/databases", &common::CREATE)
        .field(Field::new("id", console.say(&words::DBID), Kind::Text).required().hint(console.say(&words::DBID_HINT)))
        .field(companies::company_field(console, known, ""))
        .show("key", console.say(&words::KEY_ONCE))
        .tone(Tone::Good)
        .in_dialog(console.say(&words::NEW_DATABASE))
        .allowed(!known.is_empty())
}

fn rows(console: &Console, databases: &[DatabaseLine]) -> Markup {
    let columns = [
        Column(console.say(&words::DATABASE), Holds::Text),
        Column(console.say(&words::LEDGER), Holds::Text),
        Column(console.say(&words::QUEUED), Holds::Numbers),
        Column(console.say(&words::ACTIVE_PROCESS), Holds::Text),
        Column(console.say(&words::IN_LOG), Holds::Numbers),
        Column(console.say(&words::IN_ERROR), Holds::Numbers),
        Column(console.say(&words::IN_UNKNOWN), Holds::Numbers),
        Column(console.say(&words::LAST_CONTACT), Holds::Text),
    ];
    let row = |database: &DatabaseLine| {
        Row::of(vec![
            html! { (id_link(&database_page(console, &database.id), &database.id)) span.sub { (database.company) } },
            html! { (ledger::line(console, database)) span.sub { (console.fill(&words::RECEIVED_N, &[("n", &console.language().number(database.received))])) } },
            in_folder(console, &database.id, "Messages", database.queued),
            active(console, database),
            in_folder(console, &database.id, "Log", database.log),
            in_folder(console, &database.id, "Error", database.error),
            in_folder(console, &database.id, "Unknown", database.unknown),
            when(console, database.contact_at),
        ])
        .key(&database.id)
        .tone(tone(database))
    };
    table(console.say(&words::DATABASES), &columns, &databases.iter().map(row).collect::<Vec<_>>())
}

fn tone(database: &DatabaseLine) -> Option<Tone> {
    match (database.received != database.sum(), database.unknown > 0) {
        (true, _) => Some(Tone::Bad),
        (false, true) => Some(Tone::Warn),
        (false, false) => None,
    }
}

fn active(console: &Console, database: &DatabaseLine) -> Markup {
    html! {
        @match &database.active {
            Some(active) => {
                a href=(process_page(console, &active.id)) { (state::of_process(console, active.state, None)) }
                span.sub { (console.moment(active.since)) }
            }
            None => span.sub-text { (console.say(&words::AT_REST)) }
        }
    }
}
