//! Types of processes, with what holds for them (WFL-10).

use maud::{Markup, html};
use web::console::words as common;
use web::ui::form::link;
use web::ui::moment::duration;
use web::ui::parts::{badge, empty, table};
use web::ui::{Column, Field, Form, Holds, Kind, Row, Text, Tone};
use web::{Console, PageResult, QueryOf, View};

use super::actors::Asked;
use super::{OVERVIEW, PROCESSES, TYPES, above, as_usual, part, views, words};
use crate::actors::{TYPES as READ, TypeSettings};
use crate::routes::check_service;

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_service(&console)?;
    let all = console.read(&READ, ()).await?.out;
    let (found, pager) = part(&console, TYPES, all, &asked.after, |one| &one.kind);
    let content = html! {
        (views(&console, TYPES))
        div #types data-live {
            @if found.is_empty() { (empty(console.say(&words::NO_TYPE), html! { p { (console.say(&words::NO_TYPE_HINT)) } })) } @else { (rows(&console, &found)) }
            (pager)
        }
    };
    let above = above(&console, OVERVIEW, &words::WORKFLOW);
    Ok(console.show(View { title: console.say(&words::TYPES), above: &above, actions: html! {}, content }))
}

fn rows(console: &Console, types: &[TypeSettings]) -> Markup {
    let columns = [
        Column(console.say(&words::TYPE), Holds::Text),
        Column(console.say(&words::PROCESS_TIMEOUT), Holds::Numbers),
        Column(console.say(&words::IDLE_TIMEOUT), Holds::Numbers),
        Column(console.say(&words::ON_INCONSISTENCY), Holds::Text),
        Column(console.say(&words::KEPT), Holds::Numbers),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let row = |one: &TypeSettings| {
        let page = link(&console.at(PROCESSES), &[("type", Some(&one.kind))]);
        let span = |ms: i64| html! { (duration(console.language(), ms)) };
        let (tone, policy) = policy(&one.on_inconsistency);
        Row::of(vec![
            html! { a.id href=(page) { (one.kind) } },
            span(one.process_timeout_ms),
            span(one.idle_timeout_ms),
            badge(tone, console.say(policy)),
            span(one.kept_ms),
            html! { (change(console, one)) " " (reset(console, one)) },
        ])
        .key(&one.kind)
    };
    table(console.say(&words::TYPES), &columns, &types.iter().map(row).collect::<Vec<_>>())
}

fn reset(console: &Console, one: &TypeSettings) -> Form {
    let fields = ["process_timeout_ms", "idle_timeout_ms", "on_inconsistency", "kept_ms"];
    let form = console.form("PATCH /v1/{ns}/workflow/types/{id}", &words::RESET).with("id", &one.kind);
    as_usual(form, &fields).confirm(console.fill(&words::RESET_SURE, &[("name", &one.kind)]))
}

fn policy(word: &str) -> (Tone, &'static Text) {
    if word == "restart" { (Tone::Info, &words::POLICY_RESTART) } else { (Tone::Quiet, &words::POLICY_BROKEN) }
}

fn change(console: &Console, one: &TypeSettings) -> Form {
    let ms = |name: &'static str, text: &Text, value: i64, hint: &Text| {
        Field::new(name, console.fill(&words::IN_MS, &[("what", &console.say(text))]), Kind::Number)
            .value(value.to_string())
            .required()
            .hint(console.say(hint))
    };
    let choice = |word: &str| (word.to_owned(), console.say(policy(word).1).to_owned());
    console
        .form("PATCH /v1/{ns}/workflow/types/{id}", &common::SAVE)
        .with("id", &one.kind)
        .field(ms("process_timeout_ms", &words::PROCESS_TIMEOUT, one.process_timeout_ms, &words::PROCESS_TIMEOUT_HINT))
        .field(ms("idle_timeout_ms", &words::IDLE_TIMEOUT, one.idle_timeout_ms, &words::IDLE_TIMEOUT_HINT))
        .field(
            Field::new("on_inconsistency", console.say(&words::ON_INCONSISTENCY), Kind::Text)
                .value(&one.on_inconsistency)
                .choices(vec![choice("broken"), choice("restart")])
                .hint(console.say(&words::ON_INCONSISTENCY_HINT)),
        )
        .field(ms("kept_ms", &words::KEPT, one.kept_ms, &words::KEPT_HINT))
        .in_dialog(console.say(&words::CHANGE))
}
