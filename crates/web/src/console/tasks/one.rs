//! The page of one task: why it does not go on, what happened, what can be done about it (KER-22).

use axum::response::Response;
use base::{Id, codes};
use kernel::journal::search::Found;
use kernel::tasks::{AROUND, Around, Cron, State, Task};
use maud::{Markup, html};
use serde::Deserialize;

use super::super::page::PageResult;
use super::super::visit::{Console, View};
use super::headline::{Headline, Sight};
use super::{cron, delete_form, failure, gone, history, of_server, queue_name, run_form, state_badge, words};
use crate::error::ApiError;
use crate::params::PathOf;
use crate::ui::moment::{bytes, plain};
use crate::ui::parts::{badge, banner, card, data, facts, id as id_part};
use crate::ui::{Field, Kind, Tone};

/// A line of the journal may be a little older than what it is about: another transaction's calendar.
const EARLIER_MS: i64 = 60_000;
/// Runs of a repeated task that are foretold.
const FORETOLD: usize = 3;
/// Bytes of a parameter that are shown.
const SHOWN_MAX: usize = 64 * 1024;

#[derive(Deserialize)]
pub(super) struct TaskPath {
    id: String,
}

pub(super) async fn one(console: Console, PathOf(path): PathOf<TaskPath>) -> PageResult {
    let no_id = |_| ApiError::refused(codes::NTASK, "no task has such an id");
    let id: Id = path.id.parse().map_err(no_id)?;
    let around = match console.read(&AROUND, id).await {
        Ok(around) => around.out,
        Err(error) if error.0.code == codes::NTASK => return gone::page(&console, id).await,
        Err(error) => return Err(error),
    };
    let from = around.task.created_at.plus_ms(-EARLIER_MS);
    let lines = history::lines(&console, &id.to_string(), Some(from)).await?;
    Ok(page(&console, &around, &lines))
}

fn page(console: &Console, around: &Around, lines: &Found) -> Response {
    let task = &around.task;
    let content = html! {
        div #headline data-live { (headline(console, around)) }
        div.stack #task data-live {
            div.columns {
                (card(console.say(&words::FACTS), state_badge(console, task.state()), about(console, around)))
                div.stack {
                    (happened(console, task))
                    (card(console.say(&words::PARAMETER), html! {}, shortened(console, &task.param)))
                    @if let Some(checkpoint) = &task.checkpoint {
                        (card(console.say(&words::CHECKPOINT), html! { span.hint { (console.say(&words::CHECKPOINT_HINT)) } }, shortened(console, checkpoint)))
                    }
                }
            }
            (history::shown(console, &task.id.to_string(), lines))
        }
    };
    let above = [(console.at("tasks"), console.say(&words::TASKS).to_owned())];
    let actions = html! { div #task-actions data-live { (actions(console, task)) } };
    console.show(View { title: &task.op, above: &above, actions, content })
}

fn headline(console: &Console, around: &Around) -> Markup {
    let Headline { tone, sentence, hint, link } = Headline::of(&Sight::of(console), around);
    let words = html! {
        p { strong { (sentence) } @if let Some((href, text)) = link { " " a href=(href) { (text) } } }
        @if let Some(hint) = hint { p { (hint) } }
    };
    banner(tone, words)
}

fn actions(console: &Console, task: &Task) -> Markup {
    let namespace = &console.namespace().name;
    html! {
        (run_form(console, namespace, task))
        (move_form(console, task))
        (done_form(console, task))
        @if let Some(form) = delete_form(console, namespace, task) { (form.go(console.at("tasks"))) }
    }
}

fn move_form(console: &Console, task: &Task) -> Markup {
    if task.state() == State::Running {
        return html! {};
    }
    let when = Field::new("start_at", console.say(&words::MOVE_WHEN), Kind::Moment).required();
    let form = console
        .form("POST /v1/{ns}/tasks/{id}/move", &words::MOVE)
        .with("id", &task.id.to_string())
        .field(when.hint(console.say(&words::MOVE_HINT)))
        .done(console.say(&words::MOVED))
        .in_dialog(console.say(&words::MOVE_TO));
    html! { (form) }
}

/// A target may have done what it could not say.
fn done_form(console: &Console, task: &Task) -> Markup {
    if task.target.is_none() || task.attempt == 0 {
        return html! {};
    }
    let attempt = Field::new("attempt", console.say(&words::ATTEMPT), Kind::Number).value(task.attempt.to_string());
    let form = console
        .form("POST /v1/{ns}/tasks/{id}/done", &words::REPORT_DONE)
        .with("id", &task.id.to_string())
        .field(attempt.required().hint(console.say(&words::REPORT_DONE_HINT)))
        .in_dialog(console.say(&words::REPORT_DONE_TITLE));
    html! { (form) }
}

fn about(console: &Console, Around { task, run, .. }: &Around) -> Markup {
    let number = |number: i64| html! { (console.language().number(number)) };
    let mut rows: Vec<(&str, Markup)> = vec![(console.say(&words::ID), id_part(task.id))];
    let mut row = |text, value: Option<Markup>| rows.extend(value.map(|value| (console.say(text), value)));
    let servers = html! { @if of_server(console, task) { span.sub { (console.say(&words::SERVERS_HINT)) } } };
    row(&words::OPERATION, Some(html! { code { (task.op) } (servers) }));
    row(&words::INFO, (!task.info.is_empty()).then(|| html! { (task.info) }));
    row(&words::STARTS, (!task.is_parked()).then(|| console.whole_moment(task.start_at)));
    row(&words::STARTED, task.start_time.map(|at| console.whole_moment(at)));
    row(&words::NODE, run.as_ref().map(|run| html! { (run.node) }));
    row(&words::NODE_SEEN, run.as_ref().and_then(|run| run.seen_at).map(|at| console.moment(at)));
    row(&words::QUEUE, Some(html! { a href=(console.at("queues")) { (queue_name(console, task.queue)) } }));
    row(&words::LANE, task.lane.as_ref().map(|lane| html! { (lane) }));
    row(&words::TARGET, task.target.as_ref().map(|target| html! { code { (target) } }));
    row(&words::CRON, task.cron.as_ref().map(|cron| repeats(console, cron)));
    row(&words::STANDING, task.standing.as_ref().map(|standing| html! { code { (standing) } }));
    row(&words::ATTEMPT, Some(number(task.attempt)));
    row(&words::FAILED_RUNS, Some(number(task.retry)));
    row(&words::CREATED, Some(console.whole_moment(task.created_at)));
    facts(&rows)
}

/// When it runs again and again, in words, and the next times.
fn repeats(console: &Console, repeat: &Cron) -> Markup {
    let next = std::iter::successors(Some(repeat.next_after(console.now())), |at| Some(repeat.next_after(*at)));
    html! {
        code { (repeat) } " " (cron::in_words(console.language(), repeat))
        div.hint {
            (console.say(&words::NEXT_RUNS)) ": "
            @for (place, at) in next.take(FORETOLD).enumerate() {
                @if place > 0 { ", " }
                time datetime=(at.rfc3339()) { (plain(at)) }
            }
        }
    }
}

/// The last failure: its code, what that means, and all that is known.
fn happened(console: &Console, task: &Task) -> Markup {
    if task.exc.is_none() && task.report.is_none() {
        return html! {};
    }
    let aside = html! { @if let Some(code) = &task.exc { (badge(Tone::Bad, code)) } };
    let content = html! {
        @if let Some(text) = task.exc.as_deref().and_then(failure::meaning) { p { (console.say(text)) } }
        @if let Some(report) = &task.report { p.hint { (console.say(&words::REPORT)) } (data(report)) }
    };
    card(console.say(&words::LAST_FAILURE), aside, content)
}

/// Data, or the beginning of much of it.
fn shortened(console: &Console, text: &str) -> Markup {
    if text.len() <= SHOWN_MAX {
        return data(text);
    }
    let size = bytes(console.language(), text.len() as u64);
    html! {
        p.hint { (console.fill(&words::CUT, &[("size", &size)])) }
        (data(&text[..text.floor_char_boundary(SHOWN_MAX)]))
    }
}
