//! Actors (WFL-21): who polls, what waits for them, what they get and bring.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::link;
use web::ui::moment::duration;
use web::ui::parts::{empty, pager, table};
use web::ui::{Column, Field, Form, Holds, Row, Text, Tone};
use web::{Console, PageResult, QueryOf, View};

use super::{ACTORS, OVERVIEW, PAGE, above, actor_link, moment_of, state, views, when, words};
use crate::actors::{ActorState, ActorView, ActorsOf, LENGTH_LISTED_MAX, LISTED, Rate};
use crate::routes::check_service;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    pub(super) after: String,
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_service(&console)?;
    let page = ActorsOf { after: web::given(Some(asked.after.clone())), limit: PAGE + 1 };
    let mut found = console.read(&LISTED, page).await?.out;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let at = |after: &str| link(&console.at(ACTORS), &[("after", Some(after))]);
    let next = found.last().filter(|_| more).map(|last| at(&last.settings.actor));
    let first = (!asked.after.is_empty()).then(|| console.at(ACTORS));
    let content = html! {
        (views(&console, ACTORS))
        div #actors data-live {
            @if found.is_empty() { (empty(console.say(&words::NO_ACTOR), html! { p { (console.say(&words::NO_ACTOR_HINT)) } })) } @else { (rows(&console, &found, Offers::Blocking)) }
            (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
        }
    };
    let above = above(&console, OVERVIEW, &words::WORKFLOW);
    Ok(console.show(View { title: console.say(&words::ACTORS), above: &above, actions: html! {}, content }))
}

/// What a list of actors offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offers {
    /// To block them and let them work again.
    Blocking,
    /// Nothing: it is looked at.
    Nothing,
}

/// Actors as lines of a table.
pub(super) fn rows(console: &Console, actors: &[ActorView], offers: Offers) -> Markup {
    let columns = [
        Column(console.say(&words::ACTOR), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&words::WAITING), Holds::Numbers),
        Column(console.say(&words::OLDEST), Holds::Numbers),
        Column(console.say(&words::HOUR_IN_OUT), Holds::Numbers),
        Column(console.say(&words::DAY_IN_OUT), Holds::Numbers),
        Column(console.say(&words::LAST_POLL), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let row = |actor: &ActorView| {
        let oldest = actor.oldest_waiting_ms.map(|ms| duration(console.language(), ms));
        Row::of(vec![
            actor_link(console, &actor.settings.actor),
            state::of_actor(console, actor.state),
            html! { (waiting(console, actor)) },
            html! { @if let Some(oldest) = oldest { (oldest) } @else { "—" } },
            flow(console, actor.hour),
            flow(console, actor.day),
            when(console, moment_of(actor.last_poll_at.as_deref())),
            html! { (block(console, actor)) },
        ])
        .key(&actor.settings.actor)
        .tone(tone(actor))
    };
    let (mut columns, mut rows) = (columns.to_vec(), actors.iter().map(row).collect::<Vec<_>>());
    if offers == Offers::Nothing {
        columns.pop();
        rows.iter_mut().for_each(|row| drop(row.cells.pop()));
    }
    table(console.say(&words::ACTORS), &columns, &rows)
}

/// What waits, as far as each of its queues was counted: `1,000+`.
fn waiting(console: &Console, actor: &ActorView) -> String {
    let more = actor.queues.iter().any(|queue| queue.waiting >= LENGTH_LISTED_MAX);
    format!("{}{}", console.language().number(actor.waiting), if more { "+" } else { "" })
}

/// Work waits, and nobody comes for it.
pub(super) fn is_left_alone(actor: &ActorView) -> bool {
    actor.waiting > 0 && actor.state != ActorState::Active
}

fn tone(actor: &ActorView) -> Option<Tone> {
    match (is_left_alone(actor), actor.state) {
        (true, ActorState::Blocked) => Some(Tone::Bad),
        (true, _) => Some(Tone::Warn),
        (false, _) => None,
    }
}

/// What was given and what was brought, with errors.
pub(super) fn flow(console: &Console, rate: Rate) -> Markup {
    let number = |count: i64| console.language().number(count);
    html! {
        (number(rate.given)) " / " (number(rate.done))
        @if rate.errors > 0 { span.sub { (console.count(&words::N_ERRORS, rate.errors)) } }
    }
}

/// Blocks an actor, or lets it work again.
pub(super) fn block(console: &Console, actor: &ActorView) -> Form {
    let set = |blocked: bool, text: &Text| {
        console
            .form("PATCH /v1/{ns}/workflow/actors/{id}", text)
            .with("id", &actor.settings.actor)
            .field(Field::hidden("blocked", &serde_json::json!(blocked)))
    };
    if actor.settings.blocked {
        return set(false, &words::UNBLOCK).tone(Tone::Good);
    }
    set(true, &words::BLOCK)
        .tone(Tone::Bad)
        .confirm(console.fill(&words::BLOCK_SURE, &[("name", &actor.settings.actor)]))
}
