//! Imports: files that were taken, and how far each is.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::link;
use web::ui::parts::{card, empty, id_link, pager, progress, table};
use web::ui::{Column, Field, Form, Holds, Kind, Row, Text, Tone};
use web::{Console, PageResult, QueryOf, View};

use super::{BULK, MAP, PAGE, above, views, when, words};
use crate::import::{IMPORTS, ImportKind, ImportState, ImportView, ImportsOf, SHOW_IMPORT};
use crate::routes::check_unbound;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    /// One of them, with its rejected lines.
    id: String,
    after: String,
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_unbound(&console)?;
    let content = if asked.id.is_empty() { all(&console, &asked).await? } else { one(&console, &asked.id).await? };
    let content = html! { (views(&console, BULK, false)) p.hint { (console.say(&words::IMPORTS_LEAD)) } (content) };
    let actions = html! {
        (upload(&console, "POST /v1/{ns}/sensors/import", &words::IMPORT_SENSORS, &words::IMPORT_SENSORS_HINT).tone(Tone::Good))
        (upload(&console, "POST /v1/{ns}/sensor-links/import", &words::IMPORT_LINKS, &words::IMPORT_LINKS_HINT))
    };
    let above = above(&console, MAP, &words::SENSORS);
    Ok(console.show(View { title: console.say(&words::IMPORTS), above: &above, actions, content }))
}

fn upload(console: &Console, route: &str, title: &Text, hint: &Text) -> Form {
    let file = Field::new("file", console.say(&words::FILE), Kind::File).sent_as("text/csv").required();
    console.form(route, title).field(file.hint(console.say(hint))).in_dialog(console.say(title))
}

async fn all(console: &Console, asked: &Asked) -> Result<Markup, web::ApiError> {
    let mut found = console.read(&IMPORTS, ImportsOf { after: asked.after.clone(), limit: PAGE + 1 }).await?.out;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let next = found.last().filter(|_| more).map(|last| link(&console.at(BULK), &[("after", Some(&last.id))]));
    let first = (!asked.after.is_empty()).then(|| console.at(BULK));
    Ok(html! {
        div #imports data-live {
            @if found.is_empty() { (nothing(console)) } @else { (rows(console, &found)) }
            (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
        }
    })
}

fn nothing(console: &Console) -> Markup {
    let command = console.command("sensors import sensors doors.csv");
    let hint = html! { p { (console.say(&words::NO_IMPORTS_HINT)) } (console.terminal(&[command])) };
    empty(console.say(&words::NO_IMPORTS), hint)
}

async fn one(console: &Console, id: &str) -> Result<Markup, web::ApiError> {
    let import = console.read(&SHOW_IMPORT, id.to_owned()).await?.out;
    let columns = [Column(console.say(&words::LINE), Holds::Numbers), Column(console.say(&words::REASON), Holds::Text)];
    let row = |line: &crate::import::RejectedLine| {
        Row::of(vec![html! { (console.language().number(line.line)) }, html! { bdi.text { (line.reason) } }])
            .key(line.line.to_string())
    };
    let lines: Vec<_> = import.rejected_lines.iter().map(row).collect();
    let rejected = html! {
        p.hint { (console.say(&words::REJECTED_LINES_HINT)) }
        (table(console.say(&words::REJECTED_LINES), &columns, &lines))
    };
    Ok(html! { div.stack #import data-live {
        (rows(console, std::slice::from_ref(&import)))
        @if !lines.is_empty() { (card(console.say(&words::REJECTED_LINES), html! {}, rejected)) }
    } })
}

fn rows(console: &Console, imports: &[ImportView]) -> Markup {
    let columns = [
        Column(console.say(&words::BEGUN), Holds::Text),
        Column(console.say(&common::KIND), Holds::Text),
        Column(console.say(&words::PROGRESS), Holds::Text),
        Column(console.say(&words::CREATED), Holds::Numbers),
        Column(console.say(&words::CHANGED), Holds::Numbers),
        Column(console.say(&words::UNCHANGED), Holds::Numbers),
        Column(console.say(&words::REJECTED_LINES), Holds::Numbers),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let rows: Vec<_> = imports.iter().map(|import| row(console, import)).collect();
    table(console.say(&words::IMPORTS), &columns, &rows)
}

fn row(console: &Console, import: &ImportView) -> Row {
    let number = |count: i64| html! { (console.language().number(count)) };
    let kind = match import.kind {
        ImportKind::Sensors => &words::OF_SENSORS,
        ImportKind::Links => &words::OF_LINKS,
    };
    let cells = vec![
        html! { (id_link(&link(&console.at(BULK), &[("id", Some(&import.id))]), &import.id)) span.sub { (when(console, Some(&import.begun_at))) } },
        html! { (console.say(kind)) },
        far(console, import),
        number(import.created),
        number(import.changed),
        number(import.unchanged),
        number(import.rejected),
        html! { (ending(console, import)) },
    ];
    Row::of(cells).key(&import.id).tone((import.state == ImportState::Failed).then_some(Tone::Bad))
}

fn far(console: &Console, import: &ImportView) -> Markup {
    let (tone, text) = match import.state {
        ImportState::Running => (Tone::Info, &words::RUNNING),
        ImportState::Done => (Tone::Good, &words::DONE),
        ImportState::Failed => (Tone::Bad, &words::FAILED),
        ImportState::Cancelled => (Tone::Quiet, &words::CANCELLED),
    };
    let lines = console.fill(&words::LINES, &[("n", &console.language().number(import.lines))]);
    html! {
        (progress(tone, console.say(&words::PROGRESS), (import.done, import.size), html! { (console.say(text)) "; " (lines) }))
        @if !import.reason.is_empty() { span.sub { bdi { (import.reason) } } }
    }
}

fn ending(console: &Console, import: &ImportView) -> Form {
    console
        .form("DELETE /v1/{ns}/sensor-imports/{import_id}", &words::END)
        .with("import_id", &import.id)
        .tone(Tone::Bad)
        .confirm(console.say(&words::END_SURE))
        .allowed(import.state == ImportState::Running)
}
