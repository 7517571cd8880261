//! One actor: its queues, its flow, what holds for it.

use maud::{Markup, html};
use web::console::words as common;
use web::ui::form::link;
use web::ui::moment::duration;
use web::ui::parts::{banner, card, empty, facts, stats, table};
use web::ui::{Column, Field, Form, Holds, Kind, Row, Stat, Text, Tone};
use web::{ApiError, Console, PageResult, PathOf, View};

use super::actors::{block, flow, is_left_alone};
use super::{ACTORS, IdPath, PROCESSES, above, as_usual, at_most, moment_of, nothing, state, when, words};
use crate::actors::{ACTOR, ActorState, ActorView, QueueView};
use crate::codes::AWORKFLOW;
use crate::names::queue;
use crate::routes::check_service;

pub(super) async fn page(console: Console, PathOf(IdPath { id }): PathOf<IdPath>) -> PageResult {
    check_service(&console)?;
    let above = above(&console, ACTORS, &words::ACTORS);
    let actor = match console.read(&ACTOR, id.clone()).await {
        Ok(actor) => actor.out,
        Err(ApiError(error)) if error.code == AWORKFLOW => {
            return nothing(&console, &id, &above, &words::NO_SUCH_ACTOR, &words::NO_SUCH_ACTOR_HINT);
        }
        Err(error) => return Err(error),
    };
    let content = html! {
        div.stack #actor data-live {
            (trouble(&console, &actor))
            (numbers(&console, &actor))
            div.columns { (about(&console, &actor)) (settings(&console, &actor)) }
            (card(console.say(&words::QUEUES), html! {}, queues(&console, &actor)))
        }
    };
    let actions = html! { div.page-actions #actor-actions data-live { (change(&console, &actor)) (reset(&console, &actor)) (block(&console, &actor)) } };
    Ok(console.show(View { title: &actor.settings.actor, above: &above, actions, content }))
}

fn trouble(console: &Console, actor: &ActorView) -> Markup {
    let shown = |tone, text: &Text| banner(tone, html! { p { (console.say(text)) } });
    match (actor.state, is_left_alone(actor)) {
        (ActorState::Blocked, _) => shown(Tone::Bad, &words::BLOCKED_BANNER),
        (ActorState::Silent, true) => shown(Tone::Warn, &words::SILENT_BANNER),
        (ActorState::Silent, false) | (ActorState::Active, _) => html! {},
    }
}

fn numbers(console: &Console, actor: &ActorView) -> Markup {
    let tile = |label: &Text, value: String, hint: Markup, tone| Stat {
        label: console.say(label).to_owned(),
        value,
        hint,
        tone,
        href: None,
    };
    let number = |count: i64| console.language().number(count);
    let errors = |count: i64| html! { @if count > 0 { (console.count(&words::N_ERRORS, count)) } };
    let late = if is_left_alone(actor) { Tone::Warn } else { Tone::Quiet };
    let oldest = actor.oldest_waiting_ms.map_or("—".to_owned(), |ms| duration(console.language(), ms));
    stats(&[
        tile(&words::WAITING, at_most(console, actor.waiting), html! {}, late),
        tile(&words::OLDEST, oldest, html! {}, late),
        tile(&words::GIVEN_HOUR, number(actor.hour.given), html! {}, Tone::Quiet),
        tile(&words::DONE_HOUR, number(actor.hour.done), errors(actor.hour.errors), Tone::Quiet),
        tile(&words::GIVEN_DAY, number(actor.day.given), html! {}, Tone::Quiet),
        tile(&words::DONE_DAY, number(actor.day.done), errors(actor.day.errors), Tone::Quiet),
    ])
}

fn about(console: &Console, actor: &ActorView) -> Markup {
    let searched =
        |state: &str| link(&console.at(PROCESSES), &[("actor", Some(&actor.settings.actor)), ("state", Some(state))]);
    let facts = facts(&[
        (console.say(&common::STATE), html! { span #state { (state::of_actor(console, actor.state)) } }),
        (console.say(&words::LAST_POLL), when(console, moment_of(actor.last_poll_at.as_deref()))),
        (console.say(&words::LAST_HOUR), flow(console, actor.hour)),
        (
            console.say(&words::PROCESSES),
            html! { span.words { a href=(searched("ACTIVE")) { (console.say(&words::ACTIVE)) } a href=(searched("BROKEN")) { (console.say(&words::BROKEN)) } } },
        ),
    ]);
    card(console.say(&words::ACTOR), html! {}, facts)
}

fn settings(console: &Console, actor: &ActorView) -> Markup {
    let set = &actor.settings;
    let flag = |yes: bool| html! { (console.say(if yes { &common::YES } else { &common::NO })) };
    let span = |ms: i64| html! { @if ms == 0 { (console.say(&words::FOR_EVER)) } @else { (duration(console.language(), ms)) } };
    let facts = facts(&[
        (console.say(&words::WORK_TIMEOUT), span(set.work_timeout_ms)),
        (console.say(&words::RESTART_AFTER_SILENCE), flag(set.restart_after_work_timeout)),
        (console.say(&words::TASK_TIMEOUT), span(set.task_timeout_ms)),
        (console.say(&words::FORCE_FINISH), flag(set.force_finish_after_task_timeout)),
        (console.say(&words::ACCEPT_FIRST), flag(set.accept_first)),
    ]);
    card(console.say(&words::SETTINGS), html! {}, facts)
}

fn change(console: &Console, actor: &ActorView) -> Form {
    let set = &actor.settings;
    let ms = |name: &'static str, text: &Text, value: i64, hint: &Text| {
        Field::new(name, console.fill(&words::IN_MS, &[("what", &console.say(text))]), Kind::Number)
            .value(value.to_string())
            .hint(console.say(hint))
    };
    let flag = |name: &'static str, text: &Text, value: bool| {
        Field::new(name, console.say(text), Kind::Flag).value(value.to_string())
    };
    console
        .form("PATCH /v1/{ns}/workflow/actors/{id}", &common::SAVE)
        .with("id", &set.actor)
        .field(ms("work_timeout_ms", &words::WORK_TIMEOUT, set.work_timeout_ms, &words::WORK_TIMEOUT_HINT).required())
        .field(flag("restart_after_work_timeout", &words::RESTART_AFTER_SILENCE, set.restart_after_work_timeout))
        .field(ms("task_timeout_ms", &words::TASK_TIMEOUT, set.task_timeout_ms, &words::TASK_TIMEOUT_HINT).required())
        .field(flag("force_finish_after_task_timeout", &words::FORCE_FINISH, set.force_finish_after_task_timeout))
        .field(flag("accept_first", &words::ACCEPT_FIRST, set.accept_first))
        .in_dialog(console.say(&words::CHANGE_SETTINGS))
}

/// All as usual again; blocked stays blocked.
fn reset(console: &Console, actor: &ActorView) -> Form {
    let name = &actor.settings.actor;
    let fields = [
        "work_timeout_ms",
        "restart_after_work_timeout",
        "task_timeout_ms",
        "force_finish_after_task_timeout",
        "accept_first",
    ];
    let form = console.form("PATCH /v1/{ns}/workflow/actors/{id}", &words::RESET).with("id", name);
    as_usual(form, &fields).confirm(console.fill(&words::RESET_SURE, &[("name", name)]))
}

fn queues(console: &Console, actor: &ActorView) -> Markup {
    if actor.queues.is_empty() {
        return empty(console.say(&words::NO_QUEUE), html! { p { (console.say(&words::NO_QUEUE_HINT)) } });
    }
    let columns = [
        Column(console.say(&words::QUEUE), Holds::Text),
        Column(console.say(&words::WAITING), Holds::Numbers),
        Column(console.say(&words::OLDEST), Holds::Numbers),
        Column(console.say(&words::LAST_POLL), Holds::Text),
    ];
    let row = |one: &QueueView| {
        let oldest = one.oldest_waiting_ms.map(|ms| duration(console.language(), ms));
        let name = queue(&actor.settings.actor, one.task_list.as_deref().unwrap_or_default());
        Row::of(vec![
            html! { code { (name) } },
            html! { (at_most(console, one.waiting)) },
            html! { @if let Some(oldest) = oldest { (oldest) } @else { "—" } },
            when(console, moment_of(one.last_poll_at.as_deref())),
        ])
        .key(name)
    };
    table(console.say(&words::QUEUES), &columns, &actor.queues.iter().map(row).collect::<Vec<_>>())
}
