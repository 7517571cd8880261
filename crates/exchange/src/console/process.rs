//! One process: how far it came, what it was given, what became of each message, and what a person can do.

use base::Wall;
use maud::{Markup, html};
use web::console::words as common;
use web::ui::moment::{duration, plain};
use web::ui::parts::{Stop, banner, card, empty, facts, id, id_link, stops, table};
use web::ui::{Column, Holds, Row, Text, Tone};
use web::{ApiError, Console, PageResult, PathOf, View};

use super::database::await_text;
use super::parties::Parties;
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
    let (given, replies) = lists(&console, &process).await?;
    let failed = process.state == ProcessState::Failed;
    let content = html! {
        div.stack #process data-live {
            (trouble(&console, &process))
            @if process.state == ProcessState::Unknown { (resolve::both(&console, &process)) }
            (card(console.say(&words::COURSE), html! {}, course(&console, &process)))
            (about(&console, &process))
            // The journal says which file it is, and what the disk answered.
            @if failed { (past) }
            (given)
            (replies)
            @if !failed { (past) }
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
    let mut all = vec![(
        console.say(&common::STATE),
        html! { span #state { (state::of_process(console, process.state, process.outcome.as_deref())) } },
    )];
    if process.state != ProcessState::Ended {
        all.push((console.say(&words::AWAITED), await_text(console, process.state, since, rules)));
    }
    all.push((console.say(&words::LASTS), html! { (took) }));
    if !process.message.is_empty() {
        all.push((console.say(&words::SAID), html! { bdi { (process.message) } }));
    }
    all.extend([
        (console.say(&words::DATABASE), id_link(&database_page(console, &process.db), &process.db)),
        (console.say(&words::PROCESS), id(&process.id)),
    ]);
    card(console.say(&words::PROCESS), html! {}, facts(&all))
}

/// What it was given, and what it replied.
async fn lists(console: &Console, process: &ProcessView) -> Result<(Markup, Markup), ApiError> {
    let (given, replies) = (Listed::all(process.given.as_ref()), Listed::all(process.replies.as_ref()));
    let names: Vec<_> = given.iter().chain(&replies).filter_map(|one| one.name.as_ref()).collect();
    let parties = Parties::of(console, &names).await?;
    let sender = |name: &FileName| parties.link(console, &name.from);
    let receiver = |name: &FileName| parties.link(console, &name.to);
    Ok((
        list(console, (&words::GIVEN_MESSAGES, &words::NONE_GIVEN), (&words::SENDER, &sender), &given),
        list(console, (&words::REPLIES, &words::NONE_REPLIED), (&words::RECEIVER, &receiver), &replies),
    ))
}

/// A message of a process, and what the name of its file says as long as there is one.
struct Listed<'a> {
    view: &'a GivenView,
    name: Option<FileName>,
}

impl<'a> Listed<'a> {
    fn all(views: Option<&'a Vec<GivenView>>) -> Vec<Self> {
        let one = |view: &'a GivenView| Self { view, name: view.name.as_deref().and_then(FileName::read) };
        views.into_iter().flatten().map(one).collect()
    }
}

/// The other end of a message: what it is called, and who it is.
type End<'a> = (&'a Text, &'a dyn Fn(&FileName) -> Markup);

fn list(console: &Console, (title, none): (&Text, &Text), end: End<'_>, messages: &[Listed<'_>]) -> Markup {
    let is_judged = messages.iter().any(|one| one.view.result.is_some());
    let result = is_judged.then(|| Column(console.say(&words::RESULT), Holds::Text));
    let columns: Vec<_> = [
        Column(console.say(&words::MESSAGE), Holds::Text),
        Column(console.say(end.0), Holds::Text),
        Column(console.say(&words::MADE), Holds::Text),
        Column(console.say(&words::LIES_IN), Holds::Text),
    ]
    .into_iter()
    .chain(result)
    .collect();
    let rows: Vec<_> = messages.iter().map(|one| row(console, end, one)).collect();
    let content = match rows.is_empty() {
        true => empty(console.say(none), html! {}),
        false => table(console.say(title), &columns, &rows),
    };
    let aside = html! { (console.language().number(i64::try_from(messages.len()).unwrap_or(i64::MAX))) };
    card(console.say(title), aside, content)
}

fn row(console: &Console, end: End<'_>, Listed { view, name }: &Listed<'_>) -> Row {
    let message = match &view.name {
        Some(name) => id_link(&message_page(console, name), &view.id),
        None => html! { code { (view.id) } },
    };
    Row::of(vec![
        message,
        html! { @if let Some(name) = name { (end.1(name)) } },
        html! { @if let Some(name) = name { (when(console, Some(name.at))) } },
        html! { @match &view.place { Some(place) => (state::of_place(place)), None => (console.say(&words::NO_LONGER)) } },
        html! {
            @if let Some(result) = &view.result { (state::of_result(console, result)) }
            (messages::error(view.error_code, view.error_text.as_deref()))
        },
    ])
    .key(&view.id)
    .tone((view.result.as_deref() == Some("PROCESSED_INCORRECT")).then_some(Tone::Bad))
}
