//! What there was to tell, and how that went: each try with its time, status and what was wrong.

use base::Wall;
use maud::{Markup, html};
use web::ui::moment::duration;
use web::ui::parts::{badge, empty, id, id_link, table};
use web::ui::{Column, Holds, Row, Text, Tone};
use web::{ApiError, Console};

use super::reads::EventLine;
use super::{client_page, sensor_page, words};
use crate::codes::XHISTORY;
use crate::history::{self, Tries, TryRow};
use crate::link::ClientLink;
use crate::told::Notification;

/// An event with its tries, the last first; `None` where they cannot be read.
pub(super) struct Told {
    event: EventLine,
    tries: Option<Vec<TryRow>>,
}

/// Events of one client that follow each other, newest first, with their tries.
pub(super) async fn of_one(console: &Console, client: &str, found: &[Notification]) -> Result<Vec<Told>, ApiError> {
    let (Some(newest), Some(oldest)) = (found.first(), found.last()) else { return Ok(vec![]) };
    let tries = tries_of(console, client, (oldest.seq, newest.seq)).await?;
    let told = |one: &Notification| {
        let of_it = |tries: &Vec<TryRow>| tries.iter().filter(|row| row.seq == one.seq).cloned().collect();
        Told { event: EventLine::of(client, one), tries: tries.as_ref().map(of_it) }
    };
    Ok(found.iter().map(told).collect())
}

/// Events of several clients with their tries.
pub(super) async fn with_tries(console: &Console, events: Vec<EventLine>) -> Result<Vec<Told>, ApiError> {
    let mut told = Vec::with_capacity(events.len());
    for event in events {
        let tries = tries_of(console, &event.client, (event.seq, event.seq)).await?;
        told.push(Told { event, tries });
    }
    Ok(told)
}

/// The last first; nothing where the archive does not answer.
async fn tries_of(
    console: &Console,
    client: &str,
    (first_seq, last_seq): (i64, i64),
) -> Result<Option<Vec<TryRow>>, ApiError> {
    match history::tries(console, Tries { client_id: client.to_owned(), first_seq, last_seq }).await {
        Ok(mut tries) => {
            tries.reverse();
            Ok(Some(tries))
        }
        Err(ApiError(error)) if error.code == XHISTORY => Ok(None),
        Err(error) => Err(error),
    }
}

impl EventLine {
    fn of(client: &str, one: &Notification) -> Self {
        Self {
            client: client.to_owned(),
            seq: one.seq,
            id: one.webhook_id.clone(),
            sensor: one.sensor_id.clone(),
            what: one.what.clone(),
            at: Wall::parse_rfc3339(&one.at).unwrap_or(Wall(0)),
            state: one.state.clone(),
            ended_at: one.ended_at.as_deref().and_then(Wall::parse_rfc3339),
            superseded_by: one.superseded_by,
        }
    }
}

/// Of a sensor, to all its clients.
pub(super) fn of_sensor(console: &Console, told: &[Told], links: &[ClientLink]) -> Markup {
    let name = |client: &str| links.iter().find(|link| link.client == client).map_or("", |link| &link.name).to_owned();
    rows(console, told, &words::CLIENT, |event| id_link(&client_page(console, &event.client), name(&event.client)))
}

/// Of a client, of all its sensors.
pub(super) fn of_client(console: &Console, told: &[Told]) -> Markup {
    rows(console, told, &words::SENSOR, |event| {
        html! {
            @if event.sensor.is_empty() { (console.say(&words::SEVERAL)) }
            @else { (id_link(&sensor_page(console, &event.sensor), &event.sensor)) }
        }
    })
}

fn rows(console: &Console, told: &[Told], whose: &Text, who: impl Fn(&EventLine) -> Markup) -> Markup {
    if told.is_empty() {
        return empty(console.say(&words::NOTHING_TOLD), html! { p { (console.say(&words::NOTHING_TOLD_HINT)) } });
    }
    let columns = [
        Column("№", Holds::Numbers),
        Column(console.say(&words::WHAT), Holds::Text),
        Column(console.say(whose), Holds::Text),
        Column(console.say(&words::HAPPENED), Holds::Text),
        Column(console.say(&words::HOW_IT_ENDED), Holds::Text),
        Column(console.say(&words::TRIES), Holds::Text),
    ];
    let row = |told: &Told| {
        let event = &told.event;
        Row::of(vec![
            html! { (console.language().number(event.seq)) },
            html! { (what(console, &event.what)) span.sub { (id(&event.id)) } },
            who(event),
            console.moment(event.at),
            ended(console, event),
            tries(console, told),
        ])
        .key(format!("{}-{}", event.client, event.seq))
        .tone((event.state == "failed").then_some(Tone::Bad))
    };
    let rows: Vec<_> = told.iter().map(row).collect();
    table(console.say(&words::NOTIFICATIONS), &columns, &rows)
}

fn what(console: &Console, what: &str) -> Markup {
    let (tone, text) = match what {
        "sensor.opened" => (Tone::Info, &words::TOLD_OPENED),
        "sensor.closed" => (Tone::Good, &words::TOLD_CLOSED),
        "sensor.lost" => (Tone::Bad, &words::TOLD_LOST),
        "sensor.restored" => (Tone::Good, &words::TOLD_RESTORED),
        other => return badge(Tone::Quiet, other),
    };
    badge(tone, console.say(text))
}

fn ended(console: &Console, event: &EventLine) -> Markup {
    let (tone, text) = match event.state.as_str() {
        "sent" => (Tone::Good, &words::SENT),
        "failed" => (Tone::Bad, &words::FAILED),
        "superseded" => (Tone::Quiet, &words::SUPERSEDED),
        "unlinked" => (Tone::Quiet, &words::UNLINKED),
        "disabled" => (Tone::Quiet, &words::NOT_TOLD),
        _ => (Tone::Info, &words::WAITS),
    };
    html! {
        (badge(tone, console.say(text)))
        @if let Some(newer) = event.superseded_by { span.sub { (console.fill(&words::BY_NEWER, &[("n", &newer)])) } }
        @if let Some(at) = event.ended_at { " " span.sub { (console.moment(at)) } }
    }
}

fn tries(console: &Console, told: &Told) -> Markup {
    let Some(tries) = &told.tries else { return html! { span.soft { (console.say(&words::HISTORY_AWAY)) } } };
    html! {
        @if let Some((last, earlier)) = tries.split_first() {
            (one(console, last))
            @if !earlier.is_empty() {
                details.fold { summary { (console.fill(&words::EARLIER_TRIES, &[("n", &earlier.len())])) }
                    @for try_ in earlier { (one(console, try_)) }
                }
            }
        }
    }
}

fn one(console: &Console, tried: &TryRow) -> Markup {
    let is_good = tried.status.is_some_and(|status| (200..300).contains(&status));
    let under_way = tried.status.is_none() && tried.error.is_none();
    html! {
        div {
            span.soft { (tried.number) "." } " "
            @if let Some(status) = tried.status { (badge(if is_good { Tone::Good } else { Tone::Bad }, status)) " " }
            @if under_way { (badge(Tone::Info, console.say(&words::UNDER_WAY))) " " }
            (console.moment(tried.at))
            @if let Some(ms) = tried.latency_ms { " " span.soft { (duration(console.language(), ms)) } }
            @if let Some(error) = &tried.error { span.sub { bdi { (error) } } }
        }
    }
}
