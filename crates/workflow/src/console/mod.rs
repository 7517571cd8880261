//! The console's pages of the workflow (CON-4): processes with search, one process as a picture, broken tasks by group, operators' jobs,
//! actors, types, schedules.
//!
//! Invariant: nothing that a worker or an application wrote is markup, nor a part of an address unless it is encoded (CON-9). A page costs
//! what it shows, however many processes there are.

mod actor;
mod actors;
mod broken;
mod group;
mod job;
mod job_forms;
mod jobs;
mod kinds;
mod overview;
mod past;
mod picture;
mod process;
mod process_actions;
mod processes;
mod reads;
mod saved;
mod schedules;
mod search;
mod spans;
mod state;
mod task;
mod tasks;
mod types;
mod verdict;
mod words;

pub(crate) use kinds::{ACTIONS, KINDS};
pub(crate) use reads::STATEMENTS;

use base::Wall;
use kernel::Role;
use maud::{Markup, html};
use web::console::words as common;
use web::console::{Group, Nav};
use web::ui::form::{encoded, link};
use web::ui::parts::{data, empty, pager, tabs};
use web::ui::{Field, Form, Text};
use web::{Console, ConsolePage, PageResult, View};

use reads::Stands;

/// Who may look; a worker's key may not.
const READERS: &[Role] = &[Role::Operator, Role::Reader];
/// Rows of a page.
const PAGE: u32 = 50;
/// Rows of a page of what is read whole: types, schedules.
const PART: usize = 200;
/// Where counting ends.
const COUNTED_MAX: i64 = 10_000;
/// Letters of a value that are shown.
const VALUE_MAX: usize = 20_000;
/// A box that leads to two others.
const BRANCHES: &str = "M1 6h4v4H1zM11 1h4v4h-4zM11 11h4v4h-4zM5 7.300h2V2.300h4v1.400H8.400v8.600H11v1.400H7V8.700H5z";

const OVERVIEW: &str = "workflow";
const PROCESSES: &str = "workflow/processes";
const BROKEN: &str = "workflow/broken";
const JOBS: &str = "workflow/jobs";
const ACTORS: &str = "workflow/actors";
const TYPES: &str = "workflow/types";
const SCHEDULES: &str = "workflow/schedules";

pub(crate) fn pages() -> Vec<ConsolePage> {
    let nav = Nav { group: Group::Services, place: 7, text: &words::WORKFLOW, icon: BRANCHES };
    let pages = [
        ConsolePage::new("/console/{ns}/workflow", overview::page).nav(nav),
        ConsolePage::new("/console/{ns}/workflow/processes", processes::page),
        ConsolePage::new("/console/{ns}/workflow/processes/{id}", process::page),
        ConsolePage::new("/console/{ns}/workflow/processes/{id}/tasks", tasks::page),
        ConsolePage::new("/console/{ns}/workflow/broken", broken::page),
        ConsolePage::new("/console/{ns}/workflow/broken/tasks", group::page),
        ConsolePage::new("/console/{ns}/workflow/jobs", jobs::page),
        ConsolePage::new("/console/{ns}/workflow/jobs/{id}", job::page),
        ConsolePage::new("/console/{ns}/workflow/actors", actors::page),
        ConsolePage::new("/console/{ns}/workflow/actors/{id}", actor::page),
        ConsolePage::new("/console/{ns}/workflow/types", types::page),
        ConsolePage::new("/console/{ns}/workflow/schedules", schedules::page),
    ];
    let changes = ConsolePage::new("/console/{ns}/workflow/schedules/{id}", schedules::one).roles(&[Role::Operator]);
    pages.into_iter().map(|page| page.roles(READERS)).chain([changes]).collect()
}

/// What a page of one thing is asked for.
#[derive(serde::Deserialize)]
struct IdPath {
    id: String,
}

/// The views of the workflow.
fn views(console: &Console, here: &str) -> Markup {
    let view = |page: &str, text: &Text| (console.at(page), console.say(text).to_owned(), here == page);
    tabs(
        console.say(&words::VIEWS),
        &[
            view(OVERVIEW, &words::OVERVIEW),
            view(PROCESSES, &words::PROCESSES),
            view(BROKEN, &words::BROKEN_TASKS),
            view(JOBS, &words::JOBS),
            view(ACTORS, &words::ACTORS),
            view(TYPES, &words::TYPES),
            view(SCHEDULES, &words::SCHEDULES),
        ],
    )
}

fn process_page(console: &Console, id: &str) -> String {
    console.at(&format!("{PROCESSES}/{}", encoded(id)))
}

/// The tasks of a process as a list: of an actor, in a state.
fn process_tasks_page(console: &Console, id: &str, actor: Option<&str>, stands: Option<Stands>) -> String {
    let page = format!("{}/tasks", process_page(console, id));
    link(&page, &[("actor", actor), ("state", stands.map(state::key))])
}

/// A task on the page of its process.
fn task_page(console: &Console, process: &str, number: i64) -> String {
    format!("{}?task={number}#task", process_page(console, process))
}

/// A task by its id on the page of its process.
fn task_link(console: &Console, id: &str) -> Markup {
    match id.parse::<crate::names::TaskId>() {
        Ok(task) => html! { a.id href=(task_page(console, &task.process, task.number)) { (id) } },
        Err(()) => html! { code { (id) } },
    }
}

fn job_page(console: &Console, number: i64) -> String {
    console.at(&format!("{JOBS}/{number}"))
}

fn actor_page(console: &Console, actor: &str) -> String {
    console.at(&format!("{ACTORS}/{}", encoded(actor)))
}

/// An actor with the way to it; the server's own have no page.
fn actor_link(console: &Console, actor: &str) -> Markup {
    html! { @if crate::names::is_own(actor) { code { (actor) } } @else { a.id href=(actor_page(console, actor)) { (actor) } } }
}

/// The processes of a state.
fn of_state(console: &Console, state: &str) -> String {
    link(&console.at(PROCESSES), &[("state", Some(state))])
}

/// The way back to a view.
fn above(console: &Console, page: &str, text: &Text) -> Vec<(String, String)> {
    let first = (console.at(OVERVIEW), console.say(&words::WORKFLOW).to_owned());
    let second = (console.at(page), console.say(text).to_owned());
    if page == OVERVIEW { vec![first] } else { vec![first, second] }
}

fn when(console: &Console, at: Option<Wall>) -> Markup {
    html! { @match at { Some(at) => (console.moment(at)), None => (console.say(&web::console::words::NEVER)) } }
}

/// A moment that an answer holds as text.
fn moment_of(text: Option<&str>) -> Option<Wall> {
    text.and_then(Wall::parse_rfc3339)
}

fn number(console: &Console, count: i64) -> Markup {
    html! { (console.language().number(count)) }
}

/// A count that ends somewhere, and says so.
fn at_most(console: &Console, count: i64) -> String {
    let more = if count >= COUNTED_MAX { "+" } else { "" };
    format!("{}{more}", console.language().number(count))
}

/// A value that somebody sent, up to a bound.
fn value(console: &Console, text: &str) -> Markup {
    if text.len() <= VALUE_MAX {
        return data(text);
    }
    let beginning: String = text.chars().take(VALUE_MAX).collect();
    html! { (data(&beginning)) p.hint.small { (console.say(&words::ONLY_BEGINNING)) } }
}

/// A part of what was read whole, in the order of its keys: what comes behind `after`; and the way to the other parts.
fn part<T>(console: &Console, page: &str, all: Vec<T>, after: &str, key: fn(&T) -> &str) -> (Vec<T>, Markup) {
    let mut found: Vec<T> = all.into_iter().filter(|one| key(one) > after).collect();
    let more = found.len() > PART;
    found.truncate(PART);
    let first = (!after.is_empty()).then(|| console.at(page));
    let next = found.last().filter(|_| more).map(|last| link(&console.at(page), &[("after", Some(key(last)))]));
    let pager = pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next));
    (found, pager)
}

/// Lets these settings be as usual.
fn as_usual(form: Form, fields: &[&'static str]) -> Form {
    fields.iter().fold(form, |form, name| form.field(Field::hidden(*name, &serde_json::Value::Null)))
}

/// The page of something that is not there.
fn nothing(console: &Console, title: &str, above: &[(String, String)], what: &Text, hint: &Text) -> PageResult {
    let content = html! { div #gone data-live { (empty(console.say(what), html! { p { (console.say(hint)) } })) } };
    Ok(console.show(View { title, above, actions: html! {}, content }))
}
