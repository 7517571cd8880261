//! All directories that whoever looks may read.

use maud::{Markup, html};
use web::console::words as common;
use web::ui::form::link;
use web::ui::parts::{empty, pager, table};
use web::ui::{Column, Holds, Row};
use web::{Console, PageResult, QueryOf, View};

use super::{After, PAGE, actions, called, directory_page, size, when, words};
use crate::care::{DIRECTORIES, DirectoriesOf, DirectoryView};
use crate::routes::who;

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<After>) -> PageResult {
    let of = DirectoriesOf { who: who(&console)?, after: asked.after.clone(), limit: PAGE };
    let (items, next) = console.read(&DIRECTORIES, of).await?.out;
    let may = |view: &DirectoryView| console.caller().may("folder", &view.id);
    let items: Vec<DirectoryView> = items.into_iter().filter(may).collect();
    let at = |after: Option<&str>| link(&console.at("folders"), &[("after", after)]);
    let first = (!asked.after.is_empty()).then(|| at(None));
    let next = next.as_deref().map(|next| at(Some(next)));
    let content = html! {
        div #directories data-live {
            @if items.is_empty() && next.is_none() {
                (empty(console.say(&words::NO_DIRECTORIES), html! { p { (console.say(&words::NO_DIRECTORIES_HINT)) } }))
            } @else { (rows(&console, &items)) }
            (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
        }
    };
    let actions = html! { (actions::creating(&console)) };
    Ok(console.show(View { title: console.say(&words::FOLDERS), above: &[], actions, content }))
}

fn rows(console: &Console, items: &[DirectoryView]) -> Markup {
    let columns = [
        Column(console.say(&words::DIRECTORY), Holds::Text),
        Column(console.say(&words::USED), Holds::Numbers),
        Column(console.say(&words::COMMITS), Holds::Numbers),
        Column(console.say(&words::NAMES), Holds::Text),
        Column(console.say(&common::CREATED), Holds::Text),
    ];
    let row = |directory: &DirectoryView| {
        Row::of(vec![
            html! { a href=(directory_page(console, &directory.id, "")) { bdi { (called(directory)) } } },
            html! { (used(console, directory)) },
            html! { (console.language().number(i64::try_from(directory.seq).unwrap_or(i64::MAX))) },
            html! { (console.say(names(directory))) },
            when(console, &directory.created_at),
        ])
        .key(&directory.id)
    };
    let rows: Vec<Row> = items.iter().map(row).collect();
    table(console.say(&words::FOLDERS), &columns, &rows)
}

/// What it holds, and of how much.
pub(super) fn used(console: &Console, directory: &DirectoryView) -> String {
    let said = |bytes: i64| size(console, bytes.unsigned_abs());
    match directory.quota_bytes {
        Some(quota) => console.fill(&words::OF_QUOTA, &[("used", &said(directory.bytes)), ("quota", &said(quota))]),
        None => said(directory.bytes),
    }
}

pub(super) fn names(directory: &DirectoryView) -> &'static web::ui::Text {
    if directory.names == "exact" { &words::NAMES_EXACT } else { &words::NAMES_FOLDED }
}
