//! Copies that refused edits became (FLD-11), newest first.

use base::codes;
use maud::html;
use web::console::words as common;
use web::ui::form::link;
use web::ui::parts::{empty, id_link, pager, table};
use web::ui::{Column, Holds, Row, Tone};
use web::{ApiError, Console, PageResult, PathOf, QueryOf, View};

use super::reads::{CONFLICTS, ConflictsOf};
use super::{
    After, IdPath, PAGE, above_in, directory, directory_page, file_page, folder_page, size, views, when, words,
};
use crate::care::FileView;
use crate::routes::who_in;

pub(super) async fn page(
    console: Console,
    PathOf(IdPath { id }): PathOf<IdPath>,
    QueryOf(asked): QueryOf<After>,
) -> PageResult {
    let directory = directory(&console, &id).await?;
    let before = before(&asked.after)?;
    let of = ConflictsOf { who: who_in(&console, &id)?, directory: id.clone(), before, limit: PAGE as usize };
    let found = console.read(&CONFLICTS, of).await?.out;
    let at = |after: Option<&str>| link(&directory_page(&console, &id, "conflicts"), &[("after", after)]);
    let next = found.next.map(|(seq, file)| at(Some(&format!("{seq};{file}"))));
    let columns = [
        Column(console.say(&common::NAME), Holds::Text),
        Column(console.say(&words::FOLDER), Holds::Text),
        Column(console.say(&common::SIZE), Holds::Numbers),
        Column(console.say(&words::CHANGED), Holds::Text),
    ];
    let row = |file: &FileView| {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let cells = vec![
            id_link(&file_page(&console, &file.id), &file.name),
            html! { a href=(folder_page(&console, &id, folder)) { bdi { "/" (folder) } } },
            html! { (size(&console, file.size)) },
            when(&console, &file.changed_at),
        ];
        Row::of(cells).key(&file.id).tone(Some(Tone::Warn))
    };
    let rows: Vec<Row> = found.files.iter().map(row).collect();
    let content = html! {
        (views(&console, &id, "conflicts"))
        div #conflicts data-live {
            @if rows.is_empty() && next.is_none() {
                (empty(console.say(&words::NO_CONFLICTS), html! { p { (console.say(&words::NO_CONFLICTS_HINT)) } }))
            } @else if rows.is_empty() {
                (empty(console.say(&words::NONE_SO_FAR), html! { p { (console.say(&words::NONE_SO_FAR_HINT)) } }))
            } @else {
                p { (console.say(&words::SOME_CONFLICTS)) }
                (table(console.say(&words::CONFLICTS), &columns, &rows))
            }
            (pager(
                (console.say(&common::FIRST_PAGE), (!asked.after.is_empty()).then(|| at(None))),
                (console.say(if rows.is_empty() { &words::LOOK_FURTHER } else { &common::NEXT_PAGE }), next),
            ))
        }
    };
    let title = console.say(&words::CONFLICTS);
    Ok(console.show(View { title, above: &above_in(&console, &directory), actions: html! {}, content }))
}

/// The cursor of an address.
fn before(after: &str) -> Result<Option<(u64, String)>, ApiError> {
    if after.is_empty() {
        return Ok(None);
    }
    let parts = after.split_once(';').and_then(|(seq, file)| Some((seq.parse().ok()?, file.to_owned())));
    parts.map(Some).ok_or_else(|| ApiError::refused(codes::ALIMIT, "`after` is not where a page ends"))
}
