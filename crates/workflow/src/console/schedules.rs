//! Starts by the calendar (WFL-29): when next, what becomes of missed ones; added, paused, deleted.

use maud::{Markup, html};
use serde_json::json;
use web::console::{cron_in_words, words as common};
use web::ui::form::encoded;
use web::ui::moment::plain;
use web::ui::parts::{badge, card, empty, id_link, table};
use web::ui::{Column, Field, Form, Holds, Kind, Row, Text, Tone};
use web::{ApiError, Console, PageResult, PathOf, QueryOf, View};

use super::actors::Asked;
use super::{IdPath, OVERVIEW, SCHEDULES, above, moment_of, nothing, number, part, process_page, views, when, words};
use crate::codes::NFLOWJOB;
use crate::routes::check_service;
use crate::schedules::{CreateSchedule, Missed, SCHEDULE, SCHEDULES as READ, ScheduleView};

const CHANGE: &str = "PATCH /v1/{ns}/workflow/schedules/{id}";

/// What can become of missed runs.
const POLICIES: [(Missed, &str, &Text); 3] = [
    (Missed::Once, "once", &words::MISSED_ONCE),
    (Missed::Skip, "skip", &words::MISSED_SKIP),
    (Missed::All, "all", &words::MISSED_ALL),
];

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_service(&console)?;
    let all = console.read(&READ, ()).await?.out;
    let (found, pager) = part(&console, SCHEDULES, all, &asked.after, |one| &one.id);
    let content = html! {
        (views(&console, SCHEDULES))
        div #schedules data-live {
            @if found.is_empty() { (empty(console.say(&words::NO_SCHEDULE), html! { p { (console.say(&words::NO_SCHEDULE_HINT)) } })) } @else { (rows(&console, &found)) }
            (pager)
        }
    };
    let actions = html! { div.page-actions #schedule-actions data-live { (create(&console)) } };
    let above = above(&console, OVERVIEW, &words::WORKFLOW);
    Ok(console.show(View { title: console.say(&words::SCHEDULES), above: &above, actions, content }))
}

/// One schedule, to be changed. Not in the list: what its processes begin with may be large, and a list of many would hold it all.
pub(super) async fn one(console: Console, PathOf(IdPath { id }): PathOf<IdPath>) -> PageResult {
    check_service(&console)?;
    let above = above(&console, SCHEDULES, &words::SCHEDULES);
    let one = match console.read(&SCHEDULE, id.clone()).await {
        Ok(one) => one.out,
        Err(ApiError(error)) if error.code == NFLOWJOB => {
            return nothing(&console, &id, &above, &words::NO_SUCH_SCHEDULE, &words::NO_SUCH_SCHEDULE_HINT);
        }
        Err(error) => return Err(error),
    };
    let content = card(console.say(&words::CHANGE_SCHEDULE), html! {}, html! { (change(&console, &one)) });
    Ok(console.show(View { title: &one.wish.start.kind, above: &above, actions: html! {}, content }))
}

/// What a new one begins with.
const EXAMPLE: &str = "{\n  \"actor\": \"report#1\",\n  \"method\": \"begin\",\n  \"args\": []\n}";

fn create(console: &Console) -> Form {
    let form = console.form("POST /v1/{ns}/workflow/schedules", &common::CREATE);
    filled(console, form, None).tone(Tone::Good).in_dialog(console.say(&words::NEW_SCHEDULE))
}

fn change(console: &Console, one: &ScheduleView) -> Form {
    let form = console.form(CHANGE, &common::SAVE).with("id", &one.id).go(console.at(SCHEDULES));
    filled(console, form, Some(&one.wish)).tone(Tone::Good)
}

/// The fields of a schedule, as it is now.
fn filled(console: &Console, form: Form, now: Option<&CreateSchedule>) -> Form {
    let choices = POLICIES.map(|(_, word, text)| (word.to_owned(), console.say(text).to_owned())).to_vec();
    let missed = POLICIES.iter().find(|(known, ..)| now.is_some_and(|now| now.missed == *known));
    let task = now.and_then(|now| serde_json::to_string_pretty(&now.start.start).ok());
    let custom_id = now.and_then(|now| now.start.custom_id.as_deref()).unwrap_or_default();
    form.field(
        Field::new("cron", console.say(&words::CRON), Kind::Text)
            .value(now.map_or("", |now| &now.cron))
            .required()
            .hint(console.say(&words::CRON_HINT)),
    )
    .field(
        Field::new("start.type", console.say(&words::TYPE), Kind::Text)
            .value(now.map_or("", |now| &now.start.kind))
            .required(),
    )
    .field(Field::new("start.custom_id", console.say(&words::CUSTOM_ID), Kind::Text).value(custom_id))
    .field(
        Field::new("start.start", console.say(&words::START_TASK), Kind::Json)
            .value(task.unwrap_or_else(|| EXAMPLE.to_owned()))
            .required(),
    )
    .field(
        Field::new("missed", console.say(&words::MISSED), Kind::Text)
            .choices(choices)
            .value(missed.map_or("", |(_, word, _)| word)),
    )
    .field(
        Field::new("missed_max", console.say(&words::MISSED_MAX), Kind::Number)
            .value(now.map_or(10, |now| now.missed_max).to_string()),
    )
}

fn rows(console: &Console, schedules: &[ScheduleView]) -> Markup {
    let columns = [
        Column(console.say(&words::SCHEDULE), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&words::NEXT_DATES), Holds::Text),
        Column(console.say(&words::MISSED), Holds::Text),
        Column(console.say(&words::RUNS), Holds::Numbers),
        Column(console.say(&words::LAST), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    table(console.say(&words::SCHEDULES), &columns, &schedules.iter().map(|one| row(console, one)).collect::<Vec<_>>())
}

fn row(console: &Console, one: &ScheduleView) -> Row {
    let (tone, text) = if one.paused { (Tone::Warn, &words::JOB_PAUSED) } else { (Tone::Good, &words::SCHEDULE_ON) };
    let policy =
        POLICIES.iter().find(|(known, ..)| *known == one.wish.missed).map_or(&words::MISSED_ONCE, |(.., text)| *text);
    let last = moment_of(one.last_at.as_deref());
    Row::of(vec![
        html! { code { (one.wish.cron) } @if let Some(words) = in_words(console, one) { span.sub { (words) } } span.sub { bdi { (one.wish.start.kind) @if let Some(id) = &one.wish.start.custom_id { " " (id) } } " · " (one.wish.start.start.actor) } },
        badge(tone, console.say(text)),
        dates(console, &one.next),
        html! { (console.say(policy)) @if one.missed_times > 0 { span.sub { (console.fill(&words::MISSED_TIMES, &[("n", &one.missed_times)])) } } },
        number(console, one.runs),
        html! {
            @if last.is_some() { (when(console, last)) }
            @if let Some(process) = &one.last_process { span.sub { (id_link(&process_page(console, process), process)) } }
        },
        actions(console, one),
    ])
    .key(&one.id)
}

/// When, in words; nothing where the text cannot be read any more.
fn in_words(console: &Console, one: &ScheduleView) -> Option<String> {
    one.wish.cron.parse().ok().map(|cron| cron_in_words(console.language(), &cron))
}

/// The next dates: the first as people say it, the others as they are.
fn dates(console: &Console, next: &[String]) -> Markup {
    let all: Vec<_> = next.iter().filter_map(|at| moment_of(Some(at))).collect();
    html! {
        @match all.split_first() {
            Some((first, rest)) => { (console.moment(*first)) @for at in std::iter::once(first).chain(rest) { span.sub { (plain(*at)) } } }
            None => "—"
        }
    }
}

fn actions(console: &Console, one: &ScheduleView) -> Markup {
    let pause = |paused: bool, text: &Text| {
        console.form(CHANGE, text).with("id", &one.id).field(Field::hidden("paused", &json!(paused)))
    };
    let delete = console
        .form("DELETE /v1/{ns}/workflow/schedules/{id}", &common::DELETE)
        .with("id", &one.id)
        .tone(Tone::Bad)
        .confirm(console.say(&words::DELETE_SCHEDULE_SURE));
    html! {
        @if one.paused { (pause(false, &words::RESUME).tone(Tone::Good)) } @else { (pause(true, &words::PAUSE)) }
        @if console.may(CHANGE) {
            a.button href=(console.at(&format!("{SCHEDULES}/{}", encoded(&one.id)))) { (console.say(&words::CHANGE_SCHEDULE)) }
        }
        (delete)
    }
}
