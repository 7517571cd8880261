//! One file: what it is, and all its versions, each to be downloaded or brought back.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::{encoded, link};
use web::ui::parts::{badge, card, digest, facts, id, pager, table};
use web::ui::{Column, Holds, Row, Text, Tone};
use web::{Console, PageResult, PathOf, QueryOf, View};

use super::{IdPath, PAGE, above_in, actions, directory, file_page, files, folder_page, size, when, words};
use crate::care::{DirectoryView, FILE, FileView, OfFile};
use crate::desk::Right;
use crate::form::Kind;
use crate::past::{HISTORY, HistoryOf, VersionView};
use crate::routes::{hidden, who_of_file};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    /// Only versions before this one.
    before: Option<u64>,
}

pub(super) async fn page(
    console: Console,
    PathOf(IdPath { id: file }): PathOf<IdPath>,
    QueryOf(asked): QueryOf<Asked>,
) -> PageResult {
    let (who, directory_id) = who_of_file(&console, &file).await?;
    let of = OfFile { who, directory: directory_id.clone(), file: file.clone() };
    let shown = console.read(&FILE, of.clone()).await.map_err(|error| hidden(error, &file))?.out;
    let directory = directory(&console, &directory_id).await.map_err(|error| hidden(error, &file))?;
    let wanted = HistoryOf { of, before: asked.before.unwrap_or(u64::MAX), limit: PAGE + 1 };
    let mut versions = console.read(&HISTORY, wanted).await?.out;
    let has_more = versions.len() > PAGE as usize;
    versions.truncate(PAGE as usize);
    let next = versions.last().filter(|_| has_more).map(|last| last.file.version.to_string());
    let at = |before: Option<&str>| link(&file_page(&console, &file), &[("before", before)]);
    let content = html! {
        div.stack #file data-live {
            (about(&console, &directory, &shown))
            (card(console.say(&words::HISTORY), html! {}, rows(&console, &directory, &shown, &versions)))
            (pager(
                (console.say(&common::FIRST_PAGE), asked.before.map(|_| at(None))),
                (console.say(&common::NEXT_PAGE), next.as_deref().map(|next| at(Some(next)))),
            ))
        }
    };
    Ok(console.show(View { title: &shown.name, above: &above_in(&console, &directory), actions: html! {}, content }))
}

fn about(console: &Console, directory: &DirectoryView, file: &FileView) -> Markup {
    let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (tone, state) = if file.deleted { (Tone::Bad, &words::IS_DELETED) } else { (Tone::Good, &words::IS_THERE) };
    let mut lines = vec![
        (console.say(&words::PATH), html! { bdi { (file.path) } }),
        (
            console.say(&words::FOLDER),
            html! { a href=(folder_page(console, &directory.id, folder)) { bdi { "/" (folder) } } },
        ),
        (console.say(&common::KIND), files::kind(console, file.kind)),
        (console.say(&common::STATE), badge(tone, console.say(state))),
        (console.say(&common::VERSION), html! { (file.version) }),
        (console.say(&words::CHANGED), when(console, &file.changed_at)),
    ];
    if file.kind == Kind::File && !file.deleted {
        lines.push((console.say(&common::SIZE), html! { (size(console, file.size)) }));
    }
    if let Some(sha) = &file.sha256 {
        lines.push(("SHA-256", digest(sha)));
    }
    if let Some(target) = &file.target {
        lines.push((console.say(&words::TARGET), html! { bdi { (target) } }));
    }
    if file.executable == Some(true) {
        lines.push((console.say(&words::RUNS), html! { (console.say(&common::YES)) }));
    }
    lines.push((console.say(&common::ID), id(&file.id)));
    card(console.say(&words::FILE), html! {}, facts(&lines))
}

fn rows(console: &Console, directory: &DirectoryView, file: &FileView, versions: &[VersionView]) -> Markup {
    let columns = [
        Column(console.say(&common::VERSION), Holds::Numbers),
        Column(console.say(&words::WHAT), Holds::Text),
        Column(console.say(&words::PATH), Holds::Text),
        Column(console.say(&common::SIZE), Holds::Numbers),
        Column(console.say(&words::BY_DEVICE), Holds::Text),
        Column(console.say(&words::CHANGED), Holds::Text),
        Column(console.say(&common::ACTIONS), Holds::Actions),
    ];
    let row =
        |version: &VersionView| Row::of(cells(console, directory, file, version)).key(version.file.version.to_string());
    let rows: Vec<Row> = versions.iter().map(row).collect();
    table(console.say(&words::HISTORY), &columns, &rows)
}

fn cells(console: &Console, directory: &DirectoryView, file: &FileView, version: &VersionView) -> Vec<Markup> {
    let then = &version.file;
    let is_newest = then.version == file.version;
    let has_bytes = then.kind == Kind::File && !then.deleted;
    let may_restore = directory.role >= Right::Write && !is_newest && !then.deleted;
    let (tone, what) = what(then);
    vec![
        html! { (then.version) @if is_newest { " " (badge(Tone::Good, console.say(&words::NEWEST))) } },
        badge(tone, console.say(what)),
        html! { bdi { (then.path) } },
        html! { @if has_bytes { (size(console, then.size)) } },
        html! { bdi { (version.device) } },
        when(console, &then.changed_at),
        html! {
            @if has_bytes { a.button href=(download(console, then)) download=(then.name) { (console.say(&words::DOWNLOAD)) } }
            @if may_restore { (actions::restoring(console, then)) }
        },
    ]
}

fn what(then: &FileView) -> (Tone, &'static Text) {
    match (then.deleted, then.content_version == then.version) {
        (true, _) => (Tone::Bad, &words::IS_DELETED),
        (false, true) => (Tone::Info, &words::NEW_CONTENT),
        (false, false) => (Tone::Quiet, &words::NEW_PLACE),
    }
}

fn download(console: &Console, then: &FileView) -> String {
    let path = format!("/v1/{}/folders/files/{}/content", encoded(&console.namespace().name), encoded(&then.id));
    link(&path, &[("version", Some(&then.version.to_string()))])
}
