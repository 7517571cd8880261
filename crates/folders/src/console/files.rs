//! The files of a directory, folder by folder.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::link;
use web::ui::parts::{badge, card, empty, facts, id, pager, table};
use web::ui::{Column, Holds, Row, Text, Tone};
use web::{ApiError, Console, PageResult, PathOf, QueryOf, View};

use super::{
    IdPath, PAGE, above, actions, called, directories, directory, directory_page, file_page, folder_page, size, views,
    when, words,
};
use crate::care::{DirectoryView, FileView, FilesPage, TREE, TreeOf};
use crate::codes::NFILE;
use crate::desk::Right;
use crate::form::Kind;
use crate::names::is_conflict;
use crate::routes::who_in;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    /// The folder; empty: the top.
    path: String,
    /// After this one.
    after: String,
}

pub(super) async fn page(
    console: Console,
    PathOf(IdPath { id }): PathOf<IdPath>,
    QueryOf(asked): QueryOf<Asked>,
) -> PageResult {
    let directory = directory(&console, &id).await?;
    let of = TreeOf {
        who: who_in(&console, &id)?,
        directory: id.clone(),
        path: asked.path.clone(),
        deleted: false,
        after: asked.after.clone(),
        limit: PAGE,
    };
    let found = match console.read(&TREE, of).await {
        Ok(found) => Some(found.out),
        Err(ApiError(error)) if error.code == NFILE => None,
        Err(error) => return Err(error),
    };
    let content = html! {
        (views(&console, &id, ""))
        div.stack #files data-live {
            (way(&console, &id, &asked.path))
            (listed(&console, &id, &asked, found.as_ref()))
            @if asked.path.is_empty() { (about(&console, &directory)) }
        }
    };
    let actions = actions::of_directory(&console, &directory);
    Ok(console.show(View { title: called(&directory), above: &above(&console), actions, content }))
}

/// The folders that lead here.
fn way(console: &Console, directory: &str, path: &str) -> Markup {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let step = |end: usize| (folder_page(console, directory, &parts[..end].join("/")), parts[end - 1].to_owned());
    let steps: Vec<(String, String)> = (1..=parts.len()).map(step).collect();
    html! {
        @if !steps.is_empty() {
            nav.crumbs aria-label=(console.say(&common::WAY)) {
                ol {
                    li { a href=(directory_page(console, directory, "")) { (console.say(&words::TOP)) } }
                    @for (href, name) in &steps { li { a href=(href) { bdi { (name) } } } }
                }
            }
        }
    }
}

fn listed(console: &Console, directory: &str, asked: &Asked, found: Option<&FilesPage>) -> Markup {
    let at = |after: Option<&str>| {
        link(&directory_page(console, directory, ""), &[("path", Some(asked.path.as_str())), ("after", after)])
    };
    let nothing = |title: &Text, hint: &Text| empty(console.say(title), html! { p { (console.say(hint)) } });
    match found {
        None => nothing(&words::NO_FOLDER, &words::NO_FOLDER_HINT),
        Some(page) if page.files.is_empty() => nothing(&words::EMPTY_FOLDER, &words::EMPTY_FOLDER_HINT),
        Some(page) => html! {
            (rows(console, directory, &page.files))
            (pager(
                (console.say(&common::FIRST_PAGE), (!asked.after.is_empty()).then(|| at(None))),
                (console.say(&common::NEXT_PAGE), page.next.as_deref().map(|next| at(Some(next)))),
            ))
        },
    }
}

pub(super) fn rows(console: &Console, directory: &str, files: &[FileView]) -> Markup {
    let columns = [
        Column(console.say(&common::NAME), Holds::Text),
        Column(console.say(&common::KIND), Holds::Text),
        Column(console.say(&common::SIZE), Holds::Numbers),
        Column(console.say(&common::VERSION), Holds::Numbers),
        Column(console.say(&words::CHANGED), Holds::Text),
        Column(console.say(&words::HISTORY), Holds::Text),
    ];
    let row = |file: &FileView| Row::of(cells(console, directory, file)).key(&file.id).tone(tone(file));
    let rows: Vec<Row> = files.iter().map(row).collect();
    table(console.say(&words::FILES), &columns, &rows)
}

fn tone(file: &FileView) -> Option<Tone> {
    (!file.deleted && is_conflict(&file.name)).then_some(Tone::Warn)
}

fn cells(console: &Console, directory: &str, file: &FileView) -> Vec<Markup> {
    let is_folder = file.kind == Kind::Folder && !file.deleted;
    let href = if is_folder { folder_page(console, directory, &file.path) } else { file_page(console, &file.id) };
    vec![
        html! { a href=(href) { bdi { (file.name) @if is_folder { "/" } } } },
        kind(console, file.kind),
        html! { @if file.kind == Kind::File && !file.deleted { (size(console, file.size)) } },
        html! { (file.version) },
        when(console, &file.changed_at),
        html! { a href=(file_page(console, &file.id)) { (console.say(&words::HISTORY)) } },
    ]
}

pub(super) fn kind(console: &Console, kind: Kind) -> Markup {
    let (tone, text) = match kind {
        Kind::File => (Tone::Quiet, &words::FILE),
        Kind::Folder => (Tone::Info, &words::FOLDER),
        Kind::Symlink => (Tone::Quiet, &words::SYMLINK),
    };
    badge(tone, console.say(text))
}

fn about(console: &Console, directory: &DirectoryView) -> Markup {
    let anyone = actions::right_text(Right::of_word(&directory.anyone));
    let facts = facts(&[
        (console.say(&words::USED), html! { (directories::used(console, directory)) }),
        (console.say(&words::NAMES), html! { (console.say(directories::names(directory))) }),
        (console.say(&words::ANYONE), html! { (console.say(anyone)) }),
        (console.say(&words::COMMITS), html! { (directory.seq) }),
        (console.say(&common::CREATED), when(console, &directory.created_at)),
        (console.say(&common::ID), id(&directory.id)),
    ]);
    card(console.say(&words::DIRECTORY), html! {}, facts)
}
