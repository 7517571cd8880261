//! What needs a person: parked tasks with the reason and the button, open alerts, what is stuck. At the administrators' namespace each says
//! where it is.

use std::fmt::Display;

use kernel::alerts::list::{AlertInfo, AlertPage, AlertState, LIST_ALERTS};
use kernel::overview::Overview;
use kernel::tasks::{self, Search, State, Task};
use maud::{Markup, Render, html};

use super::{Seen, words};
use crate::console::tasks::counted;
use crate::console::visit::Console;
use crate::console::watch::alerts::reason;
use crate::console::words as common;
use crate::error::ApiError;
use crate::ui::form::link;
use crate::ui::parts::{badge, banner, card, empty, lamp, table};
use crate::ui::{Column, Holds, Row, Tone};

/// Rows of each kind.
const SHOWN: u32 = 5;

pub(super) async fn shown(console: &Console, seen: &[Seen]) -> Markup {
    let (mut rows, mut known) = (vec![], seen.iter().all(|seen| seen.work.is_some()));
    for (seen, work) in seen.iter().filter_map(|seen| Some((seen, seen.work.as_ref()?))) {
        for found in [parked(console, seen, work).await, alerts(console, seen, work).await] {
            known &= found.is_ok();
            rows.extend(found.unwrap_or_default());
        }
    }
    let notes: Vec<Markup> = seen.iter().flat_map(|seen| notes(console, seen)).collect();
    if rows.is_empty() && notes.is_empty() {
        return html! { @if known {
            section.card.well { (lamp(Tone::Good)) p { b { (console.say(&words::ALL_WELL)) } " " span.soft { (console.say(&words::ALL_WELL_HINT)) } } }
        } };
    }
    html! {
        @for note in &notes { (note) }
        @if !rows.is_empty() { (card(console.say(&words::ATTENTION), more(console, seen), listed(console, &rows))) }
    }
}

fn listed(console: &Console, rows: &[Row]) -> Markup {
    let mut columns = vec![
        Column(console.say(&words::WHAT), Holds::Text),
        Column(console.say(&words::WHY), Holds::Text),
        Column(console.say(&words::SINCE), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    if console.at_administration() {
        columns.insert(0, Column(console.say(&common::NAMESPACE), Holds::Text));
    }
    if rows.is_empty() { empty("", html! {}) } else { table(console.say(&words::ATTENTION), &columns, rows) }
}

fn at(seen: &Seen, page: &str) -> String {
    format!("/console/{}/{page}", seen.ns.name)
}

/// A row with its namespace in front, where several are seen together.
fn row(console: &Console, seen: &Seen, mut cells: Vec<Markup>, id: impl Display) -> Row {
    let name = &seen.ns.name;
    if console.at_administration() {
        cells.insert(0, html! { a href=(at(seen, "")) { (name) } });
    }
    Row::of(cells).key(format!("{name}.{id}"))
}

/// A text that says of which namespace it is, where several are seen together.
fn named(console: &Console, seen: &Seen, text: String) -> Markup {
    html! { @if console.at_administration() { b { (seen.ns.name) } " " } (text) }
}

async fn parked(console: &Console, seen: &Seen, work: &Overview) -> Result<Vec<Row>, ApiError> {
    if work.tasks.parked == 0 {
        return Ok(vec![]);
    }
    let search = Search { state: Some(State::Parked), limit: SHOWN, ..Search::default() };
    let found = console.within(&seen.ns).read(&tasks::LIST, search).await?;
    Ok(found.out.iter().map(|task| task_row(console, seen, task)).collect())
}

fn task_row(console: &Console, seen: &Seen, task: &Task) -> Row {
    let href = at(seen, &format!("tasks/{}", task.id));
    let report = task.report.as_deref().and_then(|report| report.lines().next()).unwrap_or_default();
    let run = console
        .form_in(&seen.ns.name, "POST /v1/{ns}/tasks/{id}/run", &words::RUN_AGAIN)
        .with("id", &task.id.to_string())
        .tone(Tone::Good);
    let cells = vec![
        html! { (badge(Tone::Bad, console.say(&words::PARKED_TASK))) " " a href=(href) { (task.op) } @if !task.info.is_empty() { span.sub { (task.info) } } },
        html! { @if let Some(code) = &task.exc { code { (code) } " " } (report) },
        console.moment(task.created_at),
        html! { (run) },
    ];
    row(console, seen, cells, task.id)
}

async fn alerts(console: &Console, seen: &Seen, work: &Overview) -> Result<Vec<Row>, ApiError> {
    if work.alerts.open == 0 {
        return Ok(vec![]);
    }
    let page = AlertPage { after: String::new(), limit: SHOWN, state: Some(AlertState::Open), kind: None };
    let found = console.within(&seen.ns).read(&LIST_ALERTS, page).await?;
    Ok(found.out.alerts.iter().map(|alert| alert_row(console, seen, alert)).collect())
}

fn alert_row(console: &Console, seen: &Seen, alert: &AlertInfo) -> Row {
    let acknowledge = console
        .form_in(&seen.ns.name, "POST /v1/{ns}/alerts/{id}/acknowledge", &words::ACKNOWLEDGE)
        .with("id", &alert.id);
    let cells = vec![
        html! { (badge(Tone::Warn, console.say(&words::ALERT))) " " a href=(at(seen, "alerts")) { (alert.kind) } span.sub { (alert.key) } },
        html! { (alert.message) },
        console.moment(alert.opened_at),
        html! { (acknowledge) },
    ];
    row(console, seen, cells, &alert.id)
}

/// What is no row: stuck things, suspended queues, channels that do not work.
fn notes(console: &Console, seen: &Seen) -> Vec<Markup> {
    let Some(work) = &seen.work else { return vec![] };
    let note = |tone, text: String, page: &str| {
        banner(tone, html! { (named(console, seen, text)) " " a href=(at(seen, page)) { (console.say(&words::LOOK)) } })
    };
    let mut notes = vec![];
    if work.stuck.unwanted() > 0 {
        let text = console.fill(&words::STUCK_NOW, &[("count", &work.stuck.unwanted())]);
        notes.push(note(Tone::Bad, text, "stuck"));
    }
    if work.stuck.suspended > 0 {
        let text = console.fill(&words::SUSPENDED_NOW, &[("count", &work.stuck.suspended)]);
        notes.push(note(Tone::Warn, text, "queues"));
    }
    for message in &work.alerts.banner {
        let reason = reason(console, message);
        notes.push(note(Tone::Bad, console.fill(&words::CHANNEL, &[("reason", &reason)]), "alerts"));
    }
    notes
}

/// Links to all that is parked or open where not all is shown.
fn more(console: &Console, seen: &[Seen]) -> Markup {
    let works = seen.iter().filter_map(|seen| Some((seen, seen.work.as_ref()?)));
    let of_each = works.flat_map(|(seen, work)| {
        let parked = link(&at(seen, "tasks"), &[("state", Some("parked"))]);
        let parked = (&words::MORE_PARKED, work.tasks.parked, parked);
        let alerts = (&words::MORE_ALERTS, work.alerts.open, at(seen, "alerts"));
        [parked, alerts].map(|of_kind| (seen, of_kind))
    });
    html! {
        @for (seen, (text, count, href)) in of_each.filter(|(_, (_, count, _))| *count > i64::from(SHOWN)) {
            a href=(href) { (named(console, seen, console.fill(text, &[("count", &counted(console, count))]))) } " "
        }
    }
    .render()
}
