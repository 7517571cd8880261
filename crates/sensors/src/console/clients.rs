//! All clients: who is told, and how that goes.

use std::collections::HashMap;

use kernel::counters::list::{CounterInfo, CounterPage, LIST_COUNTERS};
use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::link;
use web::ui::parts::{empty, id_link, pager, table};
use web::ui::{Column, Field, Form, Holds, Kind, Row, Tone};
use web::{Console, PageResult, QueryOf, View};

use super::{CLIENTS, PAGE, at_most, client_page, state, when, words};
use crate::client::{CLIENTS as READ, ClientState, ClientView, ClientsOf};
use crate::limits::COUNTED_MAX;
use crate::notify::CLIENTS as COUNTED;
use crate::routes::check_unbound;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    after: String,
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_unbound(&console)?;
    let mut found = console.read(&READ, ClientsOf { after: asked.after.clone(), limit: PAGE + 1 }).await?.out;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let wanted = CounterPage {
        kind: Some(COUNTED.into()),
        name: None,
        after: (COUNTED.into(), asked.after.clone()),
        limit: PAGE,
    };
    let counters = console.read(&LIST_COUNTERS, wanted).await?.out;
    let counters = counters.into_iter().map(|counter| (counter.name.clone(), counter)).collect();
    let next = found.last().filter(|_| more).map(|last| link(&console.at(CLIENTS), &[("after", Some(&last.id))]));
    let first = (!asked.after.is_empty()).then(|| console.at(CLIENTS));
    let content = html! {
        p.hint { (console.say(&words::CLIENTS_LEAD)) }
        div #clients data-live {
            @if found.is_empty() { (nothing(&console)) } @else { (rows(&console, &found, &counters)) }
            (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
        }
    };
    let actions = html! { (create(&console)) };
    Ok(console.show(View { title: console.say(&words::CLIENTS), above: &[], actions, content }))
}

fn nothing(console: &Console) -> Markup {
    let body = r#"{"name": "Hotel Europa", "url": "https://hotel.example/doors"}"#;
    let call = console.curl("POST", "sensor-clients", body);
    let hint = html! { p { (console.say(&words::NO_CLIENTS_HINT)) } (console.terminal(&[call])) };
    empty(console.say(&words::NO_CLIENTS), hint)
}

fn create(console: &Console) -> Form {
    console
        .form("POST /v1/{ns}/sensor-clients", &common::CREATE)
        .field(Field::new("name", console.say(&common::NAME), Kind::Text).required())
        .field(Field::new("url", "URL", Kind::Text).required().hint(console.say(&words::URL_HINT)))
        .field(
            Field::new("group_lost", console.say(&words::GROUP_LOST), Kind::Number)
                .value("0")
                .hint(console.say(&words::GROUP_LOST_HINT)),
        )
        .show("secret", console.say(&words::SECRET_ONCE))
        .tone(Tone::Good)
        .in_dialog(console.say(&words::NEW_CLIENT))
}

fn rows(console: &Console, clients: &[ClientView], counters: &HashMap<String, CounterInfo>) -> Markup {
    let columns = [
        Column(console.say(&words::CLIENT), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column("URL", Holds::Text),
        Column(console.say(&words::SENSORS), Holds::Numbers),
        Column(console.say(&words::WAITING), Holds::Numbers),
        Column(console.say(&words::SENT_SO_FAR), Holds::Numbers),
        Column(console.say(&words::ERRORS_SO_FAR), Holds::Numbers),
        Column(console.say(&common::CREATED), Holds::Text),
    ];
    let count = |client: &ClientView, of: fn(&CounterInfo) -> i64| counters.get(&client.id).map_or(0, of);
    let row = |client: &ClientView| {
        let many = |count: i64| html! { (at_most(console, count, COUNTED_MAX)) };
        Row::of(vec![
            id_link(&client_page(console, &client.id), &client.name),
            html! { (state::of_client(console, client.state)) @if !client.reason.is_empty() { span.sub { bdi { (client.reason) } } } },
            html! { bdi.text { (client.url) } },
            many(client.sensors),
            many(client.waiting),
            html! { (console.language().number(count(client, |counter| counter.sent))) },
            html! { (console.language().number(count(client, |counter| counter.errors))) },
            when(console, Some(&client.created_at)),
        ])
        .key(&client.id)
        .tone((client.state == ClientState::Failing).then_some(Tone::Bad))
    };
    let rows: Vec<_> = clients.iter().map(row).collect();
    table(console.say(&words::CLIENTS), &columns, &rows)
}
