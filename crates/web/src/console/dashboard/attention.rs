//! What needs a person: parked tasks with the reason and the button, open alerts, what is stuck.

use kernel::alerts::list::{AlertInfo, AlertPage, AlertState, LIST_ALERTS};
use kernel::tasks::{self, Search, State, Task};
use maud::{Markup, Render, html};

use super::{Seen, words};
use crate::console::visit::Console;
use crate::ui::form::link;
use crate::ui::parts::{badge, banner, card, empty, lamp, table};
use crate::ui::{Column, Form, Holds, Row, Tone};

/// Rows of each kind.
const SHOWN: u32 = 5;

pub(super) async fn shown(console: &Console, seen: &[Seen]) -> Markup {
    let mut rows = vec![];
    for seen in seen {
        rows.extend(parked(console, seen).await);
        rows.extend(alerts(console, seen).await);
    }
    let notes: Vec<Markup> = seen.iter().flat_map(|seen| notes(console, seen)).collect();
    if rows.is_empty() && notes.is_empty() {
        return html! {
            section.card.well { (lamp(Tone::Good)) p { b { (console.say(&words::ALL_WELL)) } " " span.soft { (console.say(&words::ALL_WELL_HINT)) } } }
        };
    }
    html! {
        @for note in &notes { (note) }
        @if !rows.is_empty() { (card(console.say(&words::ATTENTION), more(console, seen), listed(console, &rows))) }
    }
}

fn listed(console: &Console, rows: &[Row]) -> Markup {
    let columns = [
        Column(console.say(&words::WHAT), Holds::Text),
        Column(console.say(&words::WHY), Holds::Text),
        Column(console.say(&words::SINCE), Holds::Text),
        Column(console.say(&crate::console::words::ACTIONS), Holds::Actions),
    ];
    if rows.is_empty() { empty("", html! {}) } else { table(console.say(&words::ATTENTION), &columns, rows) }
}

fn at(seen: &Seen, page: &str) -> String {
    format!("/console/{}/{page}", seen.ns.name)
}

async fn parked(console: &Console, seen: &Seen) -> Vec<Row> {
    let search = Search { state: Some(State::Parked), limit: SHOWN, ..Search::default() };
    let found = console.within(&seen.ns).read(&tasks::LIST, search).await;
    found.map(|found| found.out.iter().map(|task| task_row(console, seen, task)).collect()).unwrap_or_default()
}

fn task_row(console: &Console, seen: &Seen, task: &Task) -> Row {
    let href = at(seen, &format!("tasks/{}", task.id));
    let report = task.report.as_deref().and_then(|report| report.lines().next()).unwrap_or_default();
    let run = console
        .form("POST /v1/{ns}/tasks/{id}/run", &words::RUN_AGAIN)
        .with("id", &task.id.to_string())
        .tone(Tone::Good);
    let run = in_namespace(run, console, seen);
    Row::of(vec![
        html! { (badge(Tone::Bad, console.say(&words::PARKED_TASK))) " " a href=(href) { (task.op) } @if !task.info.is_empty() { span.sub { (task.info) } } },
        html! { @if let Some(code) = &task.exc { code { (code) } " " } (report) },
        console.moment(task.created_at),
        html! { (run) },
    ])
}

/// A form of this page's namespace, for another one.
fn in_namespace(form: Form, console: &Console, seen: &Seen) -> Form {
    form.moved(&format!("/v1/{}/", console.namespace().name), &format!("/v1/{}/", seen.ns.name))
}

async fn alerts(console: &Console, seen: &Seen) -> Vec<Row> {
    let page = AlertPage { after: String::new(), limit: SHOWN, state: Some(AlertState::Open), kind: None };
    let found = console.within(&seen.ns).read(&LIST_ALERTS, page).await;
    found
        .map(|found| found.out.alerts.iter().map(|alert| alert_row(console, seen, alert)).collect())
        .unwrap_or_default()
}

fn alert_row(console: &Console, seen: &Seen, alert: &AlertInfo) -> Row {
    let acknowledge = console.form("POST /v1/{ns}/alerts/{id}/acknowledge", &words::ACKNOWLEDGE).with("id", &alert.id);
    let acknowledge = in_namespace(acknowledge, console, seen);
    Row::of(vec![
        html! { (badge(Tone::Warn, console.say(&words::ALERT))) " " a href=(at(seen, "alerts")) { (alert.kind) } span.sub { (alert.key) } },
        html! { (alert.message) },
        console.moment(alert.opened_at),
        html! { (acknowledge) },
    ])
}

/// What is no row: stuck things, suspended queues, channels that do not work.
fn notes(console: &Console, seen: &Seen) -> Vec<Markup> {
    let Some(work) = &seen.work else { return vec![] };
    let note = |tone, text: String, page: &str| {
        banner(tone, html! { (text) " " a href=(at(seen, page)) { (console.say(&words::LOOK)) } })
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
    for reason in &work.alerts.banner {
        notes.push(note(Tone::Bad, console.fill(&words::CHANNEL, &[("reason", reason)]), "alerts"));
    }
    notes
}

/// Links to all that is parked or open where not all is shown.
fn more(console: &Console, seen: &[Seen]) -> Markup {
    let works = || seen.iter().filter_map(|seen| Some((seen, seen.work.as_ref()?)));
    html! {
        @for (seen, work) in works().filter(|(_, work)| work.tasks.parked > i64::from(SHOWN)) {
            a href=(link(&at(seen, "tasks"), &[("state", Some("parked"))])) {
                (console.fill(&words::MORE, &[("count", &work.tasks.parked)]))
            }
        }
    }
    .render()
}
