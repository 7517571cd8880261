//! One sensor: how it is, what it said, who is told of it and how that went.

use base::Wall;
use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::moment::duration;
use web::ui::parts::{banner, card, empty, facts, id, id_link, table};
use web::ui::{Column, Holds, Row, Tone};
use web::{ApiError, Console, PageResult, PathOf, QueryOf, View};

use super::over_time::{Span, spans};
use super::reads::{CLIENT_NAMES, ClientName, EVENTS_OF_SENSOR};
use super::{MAP, above, client_page, list, notices, over_time, sensor_actions, state, when, words};
use crate::client::ClientState;
use crate::codes::NSENSOR;
use crate::id::SensorId;
use crate::link::{CLIENTS_OF_SENSOR, ClientLink};
use crate::routes::{SensorPath, check_unbound};
use crate::sensor::{SHOW_SENSOR, SensorState, SensorView};

/// Clients that can be chosen from; where there are more, their ids are typed.
const CHOICES: u32 = 100;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    /// How far back the chart reaches.
    span: String,
}

pub(super) async fn page(
    console: Console,
    PathOf(SensorPath { id }): PathOf<SensorPath>,
    QueryOf(asked): QueryOf<Asked>,
) -> PageResult {
    check_unbound(&console)?;
    let id = SensorId::given(&id)?;
    let span = Span::of(&asked.span)?;
    let sensor = match console.read(&SHOW_SENSOR, id).await {
        Ok(sensor) => Some(sensor.out),
        Err(ApiError(error)) if error.code == NSENSOR => None,
        Err(error) => return Err(error),
    };
    let history = over_time::read(&console, id, span).await?;
    let content = match &sensor {
        Some(sensor) => known(&console, sensor, span, &history).await?,
        None => html! { div.stack #sensor data-live { (gone(&console)) (over_time::lines(&console, id, &history)) } },
    };
    let actions = html! { div.page-actions #sensor-actions data-live { @if let Some(sensor) = &sensor { (sensor_actions::of_sensor(&console, sensor)) } } };
    let above = above(&console, MAP, &words::SENSORS);
    Ok(console.show(View { title: id.as_str(), above: &above, actions, content }))
}

async fn known(
    console: &Console,
    sensor: &SensorView,
    span: Span,
    history: &over_time::Past,
) -> Result<Markup, ApiError> {
    let id = SensorId::given(&sensor.id)?;
    let links = console.read(&CLIENTS_OF_SENSOR, id).await?.out;
    let clients = console.read(&CLIENT_NAMES, CHOICES + 1).await?.out;
    let ids: Vec<String> = links.iter().map(|link| link.client.clone()).collect();
    let events = console.read(&EVENTS_OF_SENSOR, (sensor.id.clone(), ids)).await?.out;
    let told = notices::with_tries(console, events).await?;
    let chart = over_time::drawn(console, sensor, span, history);
    Ok(html! {
        div.stack #sensor data-live {
            (lost(console, sensor))
            (card(console.say(&words::OVER_TIME), spans(console, &sensor.id, span), chart))
            div.columns { (about(console, sensor)) (linked(console, sensor, &links, &clients)) }
            (card(console.say(&words::NOTIFICATIONS), html! {}, notices::of_sensor(console, &told, &links)))
            (over_time::lines(console, id, history))
        }
    })
}

fn lost(console: &Console, sensor: &SensorView) -> Markup {
    let since = sensor.lost_since.as_deref().and_then(Wall::parse_rfc3339);
    html! { @if let Some(since) = since {
        (banner(Tone::Bad, html! { p { (console.say(&words::LOST_BANNER)) " " (console.moment(since)) } }))
    } }
}

fn about(console: &Console, sensor: &SensorView) -> Markup {
    let silence = duration(console.language(), sensor.silence_s * 1_000);
    let said = sensor.data.map(|data| state::mark(console, state::of_data(data == 1)));
    let facts = facts(&[
        (
            console.say(&common::STATE),
            html! { span #state { (state::mark(console, sensor.state)) } " " (when(console, list::since(sensor))) },
        ),
        (
            console.say(&words::SAID_LAST),
            html! { @match said { Some(said) => (said), None => (console.say(&words::NOTHING_SAID)) } },
        ),
        (console.say(&words::ADDRESS), html! { bdi { (sensor.address) } }),
        (
            console.say(&words::LAST_HEARD),
            html! { @match &sensor.seen_at { Some(at) => (when(console, Some(at))), None => (console.say(&common::NEVER)) } },
        ),
        (console.say(&words::CONTACT), contact(console, sensor)),
        (console.say(&words::SILENCE), html! { (console.fill(&words::LOST_AFTER, &[("time", &silence)])) }),
        (console.say(&words::CHANGES), html! { (console.language().number(sensor.changes)) }),
        (console.say(&words::REGISTERED), when(console, Some(&sensor.registered_at))),
        (console.say(&words::ID), id(&sensor.id)),
    ]);
    card(console.say(&words::SENSOR), html! {}, facts)
}

fn contact(console: &Console, sensor: &SensorView) -> Markup {
    html! {
        @match sensor.state {
            SensorState::Lost => (console.say(&words::CONTACT_LOST)),
            SensorState::Never => (console.say(&words::CONTACT_NEVER)),
            SensorState::Open | SensorState::Closed => (console.say(&words::CONTACT_GOOD)),
        }
    }
}

fn linked(console: &Console, sensor: &SensorView, links: &[ClientLink], clients: &[ClientName]) -> Markup {
    let all = clients.len() <= CHOICES as usize;
    let others: Vec<_> =
        clients.iter().filter(|client| !links.iter().any(|link| link.client == client.id)).cloned().collect();
    let aside = html! { (sensor_actions::linking(console, &sensor.id, &others, all)) };
    let columns = [
        Column(console.say(&words::CLIENT), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&words::LINKED), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let row = |link: &ClientLink| {
        Row::of(vec![
            id_link(&client_page(console, &link.client), &link.name),
            state::of_client(console, client_state(&link.state)),
            when(console, Some(&link.linked_at)),
            html! { (sensor_actions::unlinking(console, &sensor.id, &link.client, &link.name)) },
        ])
        .key(&link.client)
    };
    let rows: Vec<_> = links.iter().map(row).collect();
    let hint = html! { p { (console.say(if clients.is_empty() { &words::NO_CLIENTS_HINT } else { &words::NOBODY_TOLD_HINT })) }
    @if clients.is_empty() { p { a.button href=(console.at(super::CLIENTS)) { (console.say(&words::CLIENTS)) } } } };
    let content = match rows.is_empty() {
        true => empty(console.say(&words::NOBODY_TOLD), hint),
        false => table(console.say(&words::LINKED_CLIENTS), &columns, &rows),
    };
    card(console.say(&words::LINKED_CLIENTS), aside, content)
}

fn client_state(word: &str) -> ClientState {
    match word {
        "active" => ClientState::Active,
        "failing" => ClientState::Failing,
        _ => ClientState::Disabled,
    }
}

fn gone(console: &Console) -> Markup {
    empty(console.say(&words::NO_SUCH_SENSOR), html! { p { (console.say(&words::NO_SUCH_SENSOR_HINT)) } })
}
