//! One client: where it is told, of which sensors, and how each notification went.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;
use web::console::words as common;
use web::ui::form::link;
use web::ui::parts::{banner, card, empty, facts, id, pager, progress};
use web::ui::{Field, Form, Kind, Text, Tone};
use web::{ApiError, Console, PageResult, PathOf, QueryOf, View};

use super::{CLIENTS, above, at_most, client_page, list, notices, state, when, words};
use crate::client::{ClientState, ClientView, SHOW_CLIENT};
use crate::codes::NCLIENT;
use crate::limits::COUNTED_MAX;
use crate::link::{LinkedOf, SENSORS_OF_CLIENT};
use crate::replay::{Phase, ReplayView};
use crate::routes::{ClientPath, check_client};
use crate::sensor::SensorView;
use crate::told::{NOTIFICATIONS, NotificationsOf};

/// Notifications of a page.
const NOTICES: u32 = 25;
/// Sensors of a page.
const SENSORS: u32 = 25;
const CHANGE: &str = "PATCH /v1/{ns}/sensor-clients/{id}";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    /// Notifications with lower numbers.
    after: Option<i64>,
    /// Sensors after this one.
    sensor: String,
}

pub(super) async fn page(
    console: Console,
    PathOf(ClientPath { id }): PathOf<ClientPath>,
    QueryOf(asked): QueryOf<Asked>,
) -> PageResult {
    check_client(&console, &id)?;
    let above = above(&console, CLIENTS, &words::CLIENTS);
    let client = match console.read(&SHOW_CLIENT, id.clone()).await {
        Ok(client) => client.out,
        Err(ApiError(error)) if error.code == NCLIENT => {
            let hint = html! { p { (console.say(&words::NO_SUCH_CLIENT_HINT)) } };
            let content = html! { div #client data-live { (empty(console.say(&words::NO_SUCH_CLIENT), hint)) } };
            return Ok(console.show(View { title: &id, above: &above, actions: html! {}, content }));
        }
        Err(error) => return Err(error),
    };
    let content = html! {
        div.stack #client data-live {
            (trouble(&console, &client))
            @if let Some(replay) = &client.replay { (replayed(&console, replay)) }
            (about(&console, &client))
            (told(&console, &client, &asked).await?)
            (sensors(&console, &client, &asked).await?)
        }
    };
    let actions = html! { div.page-actions #client-actions data-live { (actions(&console, &client)) } };
    Ok(console.show(View { title: &client.name, above: &above, actions, content }))
}

fn trouble(console: &Console, client: &ClientView) -> Markup {
    let shown = |tone, text: &Text| {
        banner(
            tone,
            html! { p { (console.say(text)) } @if !client.reason.is_empty() { p.small { bdi { (client.reason) } } } },
        )
    };
    match client.state {
        ClientState::Active => html! {},
        ClientState::Failing => shown(Tone::Bad, &words::FAILING_BANNER),
        ClientState::Disabled => shown(Tone::Warn, &words::DISABLED_BANNER),
    }
}

fn about(console: &Console, client: &ClientView) -> Markup {
    let group = match client.group_lost {
        0 => console.say(&words::ONE_BY_ONE).to_owned(),
        many => console.fill(&words::TOGETHER_FROM, &[("n", &many)]),
    };
    let left = facts(&[
        (console.say(&common::STATE), state::of_client(console, client.state)),
        ("URL", html! { bdi { (client.url) } }),
        (console.say(&words::SENSORS), html! { (at_most(console, client.sensors, COUNTED_MAX)) }),
        (console.say(&words::WAITING), html! { (at_most(console, client.waiting, COUNTED_MAX)) }),
    ]);
    let right = facts(&[
        (console.say(&words::LAST_NUMBER), html! { (console.language().number(client.seq)) }),
        (console.say(&words::GROUP_LOST), html! { (group) }),
        (
            console.say(&words::SECRET),
            html! { (console.say(if client.rotating { &words::TWO_SECRETS } else { &words::ONE_SECRET })) },
        ),
        (console.say(&common::CREATED), when(console, Some(&client.created_at))),
        (console.say(&words::ID), id(&client.id)),
    ]);
    html! { div.columns {
        (card(console.say(&words::CLIENT), html! {}, left))
        (card(console.say(&common::DETAILS), html! {}, right))
    } }
}

async fn told(console: &Console, client: &ClientView, asked: &Asked) -> Result<Markup, ApiError> {
    let wanted = NotificationsOf { client: client.id.clone(), before: asked.after, limit: NOTICES + 1 };
    let mut events = console.read(&NOTIFICATIONS, wanted).await?.out;
    let more = events.len() > NOTICES as usize;
    events.truncate(NOTICES as usize);
    let at = |seq: i64| link(&client_page(console, &client.id), &[("after", Some(&seq.to_string()))]);
    let next = events.last().filter(|_| more).map(|last| at(last.seq));
    let first = asked.after.map(|_| client_page(console, &client.id));
    let told = notices::of_one(console, &client.id, &events).await?;
    let content = html! {
        (notices::of_client(console, &told))
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
    };
    Ok(card(console.say(&words::NOTIFICATIONS), html! { (replaying(console, client)) }, content))
}

async fn sensors(console: &Console, client: &ClientView, asked: &Asked) -> Result<Markup, ApiError> {
    let wanted = LinkedOf { client: client.id.clone(), after: asked.sensor.clone(), limit: SENSORS + 1 };
    let mut links = console.read(&SENSORS_OF_CLIENT, wanted).await?.out;
    let more = links.len() > SENSORS as usize;
    links.truncate(SENSORS as usize);
    let at = |id: &str| link(&client_page(console, &client.id), &[("sensor", Some(id))]);
    let next = links.last().filter(|_| more).map(|last| at(&last.sensor.id));
    let first = (!asked.sensor.is_empty()).then(|| client_page(console, &client.id));
    let sensors: Vec<SensorView> = links.into_iter().map(|link| link.sensor).collect();
    let none = || empty(console.say(&words::NO_LINKED), html! { p { (console.say(&words::NO_LINKED_HINT)) } });
    let content = html! {
        @if sensors.is_empty() { (none()) } @else { (list::rows(console, &sensors)) }
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
    };
    Ok(card(console.say(&words::LINKED_SENSORS), html! { (linking(console, client)) }, content))
}

fn linking(console: &Console, client: &ClientView) -> Form {
    let field = Field::new("sensor_id", console.say(&words::SENSOR), Kind::Text).in_path().required();
    console
        .form("PUT /v1/{ns}/sensor-clients/{id}/sensors/{sensor_id}", &words::LINK)
        .with("id", &client.id)
        .field(field.hint(console.say(&words::ID_HINT)))
        .in_dialog(console.say(&words::LINK_SENSOR))
}

fn actions(console: &Console, client: &ClientView) -> Markup {
    let of = |label: &str, text: &Text| console.form(label, text).with("id", &client.id);
    let wish = |state: &str, text: &Text| of(CHANGE, text).field(Field::hidden("state", &json!(state)));
    html! {
        @match client.state {
            ClientState::Active => (wish("disabled", &words::DISABLE).confirm(console.say(&words::DISABLE_SURE))),
            ClientState::Failing | ClientState::Disabled => (wish("active", &words::ENABLE).tone(Tone::Good)),
        }
        (change(console, client))
        (of("POST /v1/{ns}/sensor-clients/{id}/rotate", &words::ROTATE)
            .confirm(console.say(&words::ROTATE_SURE))
            .show("secret", console.say(&words::SECRET_ONCE)))
        (of("DELETE /v1/{ns}/sensor-clients/{id}", &common::DELETE)
            .tone(Tone::Bad)
            .confirm(console.fill(&words::DELETE_CLIENT_SURE, &[("name", &client.name)]))
            .go(console.at(CLIENTS)))
    }
}

fn change(console: &Console, client: &ClientView) -> Form {
    console
        .form(CHANGE, &common::SAVE)
        .with("id", &client.id)
        .field(Field::new("name", console.say(&common::NAME), Kind::Text).value(&client.name).required())
        .field(Field::new("url", "URL", Kind::Text).value(&client.url).hint(console.say(&words::URL_HINT)).required())
        .field(
            Field::new("group_lost", console.say(&words::GROUP_LOST), Kind::Number)
                .value(client.group_lost.to_string())
                .hint(console.say(&words::GROUP_LOST_HINT)),
        )
        .in_dialog(console.say(&words::CHANGE))
}

fn replaying(console: &Console, client: &ClientView) -> Form {
    console
        .form("POST /v1/{ns}/sensor-clients/{id}/replay", &words::REPLAY)
        .with("id", &client.id)
        .field(
            Field::new("from", console.say(&common::FROM), Kind::Moment)
                .required()
                .hint(console.say(&words::REPLAY_HINT)),
        )
        .field(Field::new("to", console.say(&common::TO), Kind::Moment))
        .in_dialog(console.say(&words::REPLAY))
        .allowed(client.state != ClientState::Disabled)
}

/// How far the last replay is.
fn replayed(console: &Console, replay: &ReplayView) -> Markup {
    let (tone, text) = match replay.state {
        Phase::Running => (Tone::Info, &words::REPLAY_RUNNING),
        Phase::Done => (Tone::Good, &words::REPLAY_DONE),
        Phase::Failed => (Tone::Bad, &words::REPLAY_FAILED),
    };
    let (done, of) = (u64::try_from(replay.seq).unwrap_or(0), u64::try_from(replay.until).unwrap_or(0));
    let counts = console.fill(&words::REPLAY_COUNTS, &[("sent", &replay.sent), ("left", &replay.left_out)]);
    let content = html! {
        (progress(tone, console.say(&words::REPLAY), (done, of), html! { (console.say(text)) "; " (counts) }))
        @if !replay.reason.is_empty() { p.small { bdi { (replay.reason) } } }
    };
    // One that was asked for without an end has one that nobody lives to see.
    let to = base::Wall::parse_rfc3339(&replay.to).filter(|to| *to <= console.now());
    let aside = html! { (when(console, Some(&replay.from))) @if let Some(to) = to { " – " (console.moment(to)) } };
    card(console.say(&words::REPLAY), aside, content)
}
