//! Processes by anything that somebody knows of them (WFL-18), saved searches, and what can be done with all that a search finds.

use maud::{Markup, html};
use web::console::words as common;
use web::ui::moment::duration;
use web::ui::parts::{empty, id, id_link, pager, table};
use web::ui::{Column, Field, Form, Holds, Kind, Row, Tone};
use web::{Console, PageResult, QueryOf, View};

use super::search::{self, Asked};
use super::{
    OVERVIEW, PAGE, PROCESSES, above, actor_link, job_forms, moment_of, process_page, saved, state, views, when, words,
};
use crate::actors::TYPES as ALL_TYPES;
use crate::routes::check_service;
use crate::search::{Found, PROCESSES as READ, ProcessLine, ProcessesOf};

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_service(&console)?;
    let types = console.read(&ALL_TYPES, ()).await?.out;
    let wanted = asked.search()?;
    let page = ProcessesOf {
        search: wanted.clone(),
        order: asked.order(),
        after: web::given(Some(asked.after.clone())),
        limit: PAGE,
        now: console.now(),
    };
    let found = console.read(&READ, page).await?.out;
    let saved = saved::shown(&console, &asked, &wanted).await?;
    let content = html! {
        (views(&console, PROCESSES))
        (search::form(&console, &asked, &types))
        (saved)
        div #processes data-live { (listed(&console, &asked, &found)) }
    };
    let actions = html! { div.page-actions #processes-actions data-live { (job_forms::with_all(&console, &asked, &wanted)) (start(&console)) } };
    let above = above(&console, OVERVIEW, &words::WORKFLOW);
    Ok(console.show(View { title: console.say(&words::PROCESSES), above: &above, actions, content }))
}

/// Starts a process by hand, as a program would.
fn start(console: &Console) -> Form {
    console
        .form("POST /v1/{ns}/workflow/processes", &words::START)
        .field(Field::new("type", console.say(&words::TYPE), Kind::Text).required())
        .field(Field::new("custom_id", console.say(&words::CUSTOM_ID), Kind::Text))
        .field(Field::new("key", console.say(&words::START_KEY), Kind::Text).hint(console.say(&words::START_KEY_HINT)))
        .field(
            Field::new("start", console.say(&words::START_TASK), Kind::Json)
                .value("{\n  \"actor\": \"report#1\",\n  \"method\": \"begin\",\n  \"args\": []\n}")
                .required(),
        )
        .tone(Tone::Good)
        .go(console.at(&format!("{PROCESSES}/{{answer.process_id}}")))
        .in_dialog(console.say(&words::START_PROCESS))
}

fn listed(console: &Console, asked: &Asked, found: &Found) -> Markup {
    let next = found.next.as_deref().map(|next| asked.at(console, Some(next)));
    let first = (!asked.after.is_empty()).then(|| asked.at(console, None));
    let next_text = if found.processes.is_empty() { &words::LOOK_FURTHER } else { &common::NEXT_PAGE };
    html! {
        @if found.processes.is_empty() { (nothing(console, asked, found)) } @else { (rows(console, &found.processes)) }
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(next_text), next)))
    }
}

fn nothing(console: &Console, asked: &Asked, found: &Found) -> Markup {
    let (title, hint) = match (asked.is_all() && asked.after.is_empty(), &found.next) {
        (true, _) => (&words::NO_PROCESS, &words::NO_PROCESS_HINT),
        // A page looks at a bounded number of processes.
        (false, Some(_)) => (&words::NONE_SO_FAR, &words::NONE_SO_FAR_HINT),
        (false, None) => (&words::NONE_FOUND, &words::NONE_FOUND_HINT),
    };
    empty(console.say(title), html! { p { (console.say(hint)) } })
}

/// Processes as lines of a table.
pub(super) fn rows(console: &Console, processes: &[ProcessLine]) -> Markup {
    let columns = [
        Column(console.say(&words::PROCESS), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&words::STARTER), Holds::Text),
        Column(console.say(&words::STARTED), Holds::Text),
        Column(console.say(&words::LASTS), Holds::Numbers),
        Column(console.say(&words::UNCHANGED), Holds::Numbers),
    ];
    table(console.say(&words::PROCESSES), &columns, &processes.iter().map(|one| row(console, one)).collect::<Vec<_>>())
}

fn row(console: &Console, process: &ProcessLine) -> Row {
    let span = |ms: i64| html! { (duration(console.language(), ms)) };
    let page = process_page(console, &process.process_id);
    let name = match &process.custom_id {
        Some(custom_id) => {
            html! { a href=(page) { bdi { (process.kind) " " (custom_id) } } span.sub { (id(&process.process_id)) } }
        }
        None => html! { (id_link(&page, &process.process_id)) span.sub { bdi { (process.kind) } } },
    };
    let error = html! {
        @if let Some(class) = &process.error_class { span.sub { bdi { (class) @if let Some(text) = &process.error { ": " (short(text)) } } } }
    };
    Row::of(vec![
        name,
        html! { (state::of_process(console, &process.state)) (error) },
        actor_link(console, &process.starter),
        when(console, moment_of(Some(&process.started_at))),
        span(process.duration_ms),
        span(process.unchanged_ms),
    ])
    .key(&process.process_id)
    .tone((process.state == "BROKEN").then_some(Tone::Bad))
}

fn short(text: &str) -> String {
    text.chars().take(160).collect()
}
