//! What was deleted in a directory, newest first: each can be brought back from its page.

use maud::html;
use web::console::words as common;
use web::ui::form::link;
use web::ui::parts::{empty, id_link, pager, table};
use web::ui::{Column, Holds, Row};
use web::{Console, PageResult, PathOf, QueryOf, View};

use super::{After, IdPath, PAGE, above_in, directory, directory_page, file_page, files, views, when, words};
use crate::care::{FileView, TREE, TreeOf};
use crate::routes::who_in;

pub(super) async fn page(
    console: Console,
    PathOf(IdPath { id }): PathOf<IdPath>,
    QueryOf(asked): QueryOf<After>,
) -> PageResult {
    let directory = directory(&console, &id).await?;
    let of = TreeOf {
        who: who_in(&console, &id)?,
        directory: id.clone(),
        path: String::new(),
        deleted: true,
        after: asked.after.clone(),
        limit: PAGE,
    };
    let found = console.read(&TREE, of).await?.out;
    let at = |after: Option<&str>| link(&directory_page(&console, &id, "deleted"), &[("after", after)]);
    let columns = [
        Column(console.say(&words::PATH), Holds::Text),
        Column(console.say(&common::KIND), Holds::Text),
        Column(console.say(&common::VERSION), Holds::Numbers),
        Column(console.say(&words::DELETED), Holds::Text),
    ];
    let row = |file: &FileView| {
        let cells = vec![
            id_link(&file_page(&console, &file.id), &file.path),
            files::kind(&console, file.kind),
            html! { (file.version) },
            when(&console, &file.changed_at),
        ];
        Row::of(cells).key(&file.id)
    };
    let rows: Vec<Row> = found.files.iter().map(row).collect();
    let content = html! {
        (views(&console, &id, "deleted"))
        div #deleted data-live {
            @if rows.is_empty() && found.next.is_none() {
                (empty(console.say(&words::NONE_DELETED), html! { p { (console.say(&words::NONE_DELETED_HINT)) } }))
            } @else { (table(console.say(&words::DELETED), &columns, &rows)) }
            (pager(
                (console.say(&common::FIRST_PAGE), (!asked.after.is_empty()).then(|| at(None))),
                (console.say(&common::NEXT_PAGE), found.next.as_deref().map(|next| at(Some(next)))),
            ))
        }
    };
    let title = console.say(&words::DELETED);
    Ok(console.show(View { title, above: &above_in(&console, &directory), actions: html! {}, content }))
}
