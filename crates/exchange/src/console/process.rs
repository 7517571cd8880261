//! One process: how far it came, what it was given, what became of each message, and what a person can do.

use base::Wall;
use maud::{Markup, html};
use web::console::words as common;
use web::ui::moment::{duration, plain};
use web::ui::parts::{Stop, banner, card, empty, facts, id, id_link, stops, table};
use web::ui::{Column, Holds, Row, Text, Tone};
use web::{ApiError, Console, PageResult, PathOf, View};

use super::database::await_text;
use super::{
    IdPath, PROCESSES, above, database_page, message_page, messages, moment_of, nothing, past, resolve, state, when,
    words,
};
use crate::codes::NPROCESS;
use crate::message::name::FileName;
use crate::process::{GivenView, ProcessOf, ProcessState, ProcessView, SHOW_PROCESS};
use crate::routes::check_unbound;
use crate::rules::Rules;

pub(super) async fn page(console: Console, PathOf(IdPath { id }): PathOf<IdPath>) -> PageResult {
    check_unbound(&console)?;
    let above = above(&console, PROCESSES, &words::PROCESSES);
    let process = match console.read(&SHOW_PROCESS, ProcessOf { id: id.clone(), db: None }).await {
        Ok(process) => process.out,
        Err(ApiError(error)) if error.code == NPROCESS => {
            return nothing(&console, &id, &above, &words::NO_SUCH_PROCESS, &words::NO_SUCH_PROCESS_HINT);
        }
        Err(error) => return Err(error),
    };
    let past = past::of(&console, &process.db, Some(&process.id)).await?;
    let content = html! {
        div.stack #process data-live {
            (trouble(&console, &process))
            @if process.state == ProcessState::Unknown { (resolve::both(&console, &process)) }
            (card(console.say(&words::COURSE), html! {}, course(&console, &process)))
            (about(&console, &process))
            (list(&console, &words::GIVEN_MESSAGES, &words::NONE_GIVEN, process.given.as_deref().unwrap_or_default()))
            (list(&console, &words::REPLIES, &words::NONE_REPLIED, process.replies.as_deref().unwrap_or_default()))
            (past)
        }
    };
    let actions = html! { div.page-actions #process-actions data-live { (actions(&console, &process)) } };
    let title = console.fill(&words::PROCESS_OF, &[("db", &process.db)]);
    Ok(console.show(View { title: &title, above: &above, actions, content }))
}

fn trouble(console: &Console, process: &ProcessView) -> Markup {
    let shown = |tone, text: &Text| banner(tone, html! { p { (console.say(text)) } });
    match process.state {
        ProcessState::Failed => shown(Tone::Bad, &words::FAILED_WHY),
        ProcessState::Unknown => shown(Tone::Warn, &words::UNKNOWN_WHY),
        _ => html! {},
    }
}

fn actions(console: &Console, process: &ProcessView) -> Markup {
    let of = |label: &str, text: &Text| console.form(label, text).with("id", &process.id);
    match process.state {
        ProcessState::Failed => html! {
            (of("POST /v1/{ns}/exchange/processes/{id}/resume", &words::RESUME).tone(Tone::Good).done(console.say(&words::RESUMED)))
        },
        ProcessState::Started => html! { (resolve::interrupt(console, process)) },
        _ => html! {},
    }
}

/// The way of a process: what it has passed, where it stands, what is still to come.
fn course(console: &Console, process: &ProcessView) -> Markup {
    let at = |text: Option<&str>| moment_of(text);
    let (started, ready, ended) =
        (at(Some(&process.started_at)), at(process.ready_at.as_deref()), at(process.ended_at.as_deref()));
    let mut all = vec![stop(console, Tone::Good, &words::STARTED, started)];
    match (ready, process.state) {
        (Some(_), ProcessState::ReadyToCommit) => all.push(stop(console, Tone::Info, &words::READY, ready)),
        (Some(_), _) => all.push(stop(console, Tone::Good, &words::READY, ready)),
        (None, ProcessState::Ended) => {}
        (None, _) => {
            all[0].tone = Tone::Info;
            all.push(stop(console, Tone::Quiet, &words::READY, None));
        }
    }
    match process.state {
        ProcessState::Started | ProcessState::ReadyToCommit => {
            all.push(stop(console, Tone::Quiet, &words::CLEANUP, None))
        }
        ProcessState::Cleanup => all.push(stop(console, Tone::Info, &words::CLEANUP, None)),
        ProcessState::Failed => all.push(stop(console, Tone::Bad, &words::FAILED, None)),
        ProcessState::Unknown => all.push(stop(console, Tone::Warn, &words::UNKNOWN_OUTCOME, None)),
        ProcessState::Ended => {}
    }
    all.push(end(console, process, ended));
    stops(console.say(&words::COURSE), &all)
}

fn end(console: &Console, process: &ProcessView, ended: Option<Wall>) -> Stop {
    let (tone, text) = match process.outcome.as_deref() {
        None => (Tone::Quiet, &words::ENDED),
        Some("committed") => (Tone::Good, &words::COMMITTED),
        Some("rolled_back") => (Tone::Warn, &words::ROLLED_BACK),
        Some("interrupted") => (Tone::Warn, &words::INTERRUPTED),
        Some("forgotten") => (Tone::Bad, &words::FORGOTTEN),
        Some(_) => (Tone::Warn, &words::TIMED_OUT),
    };
    stop(console, tone, text, ended)
}

fn stop(console: &Console, tone: Tone, text: &Text, at: Option<Wall>) -> Stop {
    let words = html! { @if let Some(at) = at { (console.moment(at)) span.sub { (plain(at)) } } };
    Stop { tone, label: console.say(text).to_owned(), words }
}

fn about(console: &Console, process: &ProcessView) -> Markup {
    let started = moment_of(Some(&process.started_at));
    let since = moment_of(process.ready_at.as_deref()).or(started).unwrap_or(console.now());
    let until = moment_of(process.ended_at.as_deref()).unwrap_or(console.now());
    let took = duration(console.language(), started.map_or(0, |started| until.0 - started.0));
    let rules = console.kernel().common::<Rules>().get();
    let facts = facts(&[
        (
            console.say(&common::STATE),
            html! { span #state { (state::of_process(console, process.state, process.outcome.as_deref())) } },
        ),
        (console.say(&words::AWAITED), await_text(console, process.state, since, rules)),
        (console.say(&words::LASTS), html! { (took) }),
        (
            console.say(&words::SAID),
            html! { @if process.message.is_empty() { (console.say(&words::NOTHING_SAID)) } @else { bdi { (process.message) } } },
        ),
        (console.say(&words::DATABASE), id_link(&database_page(console, &process.db), &process.db)),
        (console.say(&words::PROCESS), id(&process.id)),
    ]);
    card(console.say(&words::PROCESS), html! {}, facts)
}

fn list(console: &Console, title: &Text, none: &Text, given: &[GivenView]) -> Markup {
    let columns = [
        Column(console.say(&words::MESSAGE), Holds::Text),
        Column(console.say(&words::SENDER), Holds::Text),
        Column(console.say(&words::RECEIVER), Holds::Text),
        Column(console.say(&words::MADE), Holds::Text),
        Column(console.say(&words::RESULT), Holds::Text),
        Column(console.say(&words::LIES_IN), Holds::Text),
    ];
    let rows: Vec<_> = given.iter().map(|one| row(console, one)).collect();
    let content = match rows.is_empty() {
        true => empty(console.say(none), html! {}),
        false => table(console.say(title), &columns, &rows),
    };
    let aside = html! { (console.language().number(i64::try_from(given.len()).unwrap_or(i64::MAX))) };
    card(console.say(title), aside, content)
}

fn row(console: &Console, one: &GivenView) -> Row {
    let name = one.name.as_deref().and_then(FileName::read);
    let message = match &one.name {
        Some(name) => id_link(&message_page(console, name), &one.id),
        None => html! { code { (one.id) } },
    };
    Row::of(vec![
        message,
        html! { @if let Some(name) = &name { code { (name.from) } } },
        html! { @if let Some(name) = &name { code { (name.to) } } },
        html! { @if let Some(name) = &name { (when(console, Some(name.at))) } },
        html! {
            @if let Some(result) = &one.result { (state::of_result(console, result)) }
            (messages::error(one.error_code, one.error_text.as_deref()))
        },
        html! { @match &one.place { Some(place) => (state::of_place(place)), None => (console.say(&words::NO_LONGER)) } },
    ])
    .key(&one.id)
    .tone((one.result.as_deref() == Some("PROCESSED_INCORRECT")).then_some(Tone::Bad))
}
