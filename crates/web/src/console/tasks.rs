//! Tasks (CON-8, KER-22): the list, and the page of one task, which says in words why it does not go on and what to do.
//!
//! At the administrators' namespace the list shows the tasks of all namespaces; each is changed, and has its page, in its own.
//!
//! Invariant: a page costs the same among a hundred thousand tasks as among ten: lists walk an index and look at a bounded
//! number of tasks, counts end at 10,000.

mod cron;
mod failure;
mod gone;
mod headline;
mod history;
mod list;
mod new;
mod one;
mod search;
pub(super) mod words;

pub use cron::in_words as cron_in_words;
use kernel::Role;
use kernel::tasks::{State, Task};
use maud::{Markup, html};

use super::nav::{Group, Nav};
use super::page::Page;
use super::visit::Console;
use crate::seen::{Missed, Unseen};
use crate::ui::form::encoded;
use crate::ui::parts::{badge, banner};
use crate::ui::{Form, Tone};

/// A list with a tick.
const ICON: &str = "M1 2h3v3H1zM6 3h9v1.5H6zM1 7h3v3H1zM6 8h9v1.5H6zM1 12h3v3H1zM6 13h9v1.5H6z";

pub(super) fn pages() -> Vec<Page> {
    let nav = Nav { group: Group::Work, place: 0, text: &words::TASKS, icon: ICON };
    vec![
        Page::new("/console/{ns}/tasks", list::list).roles(WATCHERS).nav(nav),
        Page::new("/console/{ns}/tasks/{id}", one::one).roles(WATCHERS),
    ]
}

pub(super) const WATCHERS: &[Role] = &[Role::Operator, Role::Reader];

/// The page of a task, which is always in its own namespace.
pub(super) fn address(namespace: &str, id: impl std::fmt::Display) -> String {
    format!("/console/{}/tasks/{}", encoded(namespace), encoded(&id.to_string()))
}

/// What a state is called, and whether it is good.
pub(super) fn state_badge(console: &Console, state: State) -> Markup {
    let (tone, text) = match state {
        State::Waiting => (Tone::Quiet, &words::WAITING),
        State::Behind => (Tone::Quiet, &words::BEHIND),
        State::Running => (Tone::Info, &words::RUNNING),
        State::Parked => (Tone::Bad, &words::PARKED),
    };
    badge(tone, console.say(text))
}

/// Says which namespaces could not be looked at.
pub(super) fn not_seen(console: &Console, missed: &Missed) -> Markup {
    let said = |Unseen { namespace, code }: &Unseen| {
        console.fill(&words::NOT_SEEN, &[("namespace", namespace), ("code", code)])
    };
    html! { @for one in &missed.unseen { (banner(Tone::Warn, html! { (said(one)) })) } }
}

/// How a queue is called: its number, with a word for those that every server has.
pub(super) fn queue_name(console: &Console, queue: i64) -> String {
    let word = match queue {
        0 => &words::QUEUE_QUICK,
        1 => &words::QUEUE_STANDARD,
        2 => &words::QUEUE_BACKGROUND,
        3 => &words::QUEUE_TELLING,
        _ => return queue.to_string(),
    };
    format!("{queue}\u{a0}{}", console.say(word))
}

/// A count, which may have ended before the end.
pub(super) fn counted(console: &Console, count: i64) -> String {
    let number = console.language().number(count);
    if count >= kernel::tasks::COUNT_MAX { format!("{number}+") } else { number }
}

/// Starts a task that waits, or begins a parked one anew: the same call, in the words of its state. Nothing for one that runs,
/// or that starts by itself anyway.
fn run_form(console: &Console, namespace: &str, task: &Task) -> Markup {
    let (text, tone) = match task.state() {
        State::Parked => (&words::RUN_AGAIN, Tone::Good),
        State::Waiting if task.start_at > console.now() => (&words::RUN_NOW, Tone::Quiet),
        State::Waiting | State::Behind | State::Running => return html! {},
    };
    let form = console.form_in(namespace, "POST /v1/{ns}/tasks/{id}/run", text);
    html! { (form.with("id", &task.id.to_string()).tone(tone).done(console.say(&words::WILL_RUN))) }
}

/// Whether the server made it for itself.
fn of_server(console: &Console, task: &Task) -> bool {
    console.kernel().chores().has(task)
}

/// Nothing for one that the server needs: one of its own is deleted only when it is parked.
fn delete_form(console: &Console, namespace: &str, task: &Task) -> Option<Form> {
    if of_server(console, task) && !task.is_parked() {
        return None;
    }
    let question = match task.state() {
        State::Running => &words::DELETE_RUNNING,
        State::Waiting | State::Behind | State::Parked => &words::DELETE_SURE,
    };
    let form = console.form_in(namespace, "DELETE /v1/{ns}/tasks/{id}", &super::words::DELETE);
    let form = form.with("id", &task.id.to_string()).tone(Tone::Bad);
    Some(form.confirm(console.fill(question, &[("op", &task.op)])).done(console.say(&words::DELETED)))
}
