//! Folders of a database, paged from the index.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::filters;
use web::ui::parts::{empty, pager, tabs};
use web::ui::{Field, Kind, Text};
use web::{ApiError, Console, PageResult, QueryOf, View};

use super::reads::{DATABASES, DatabaseLine, FOLDER, FOLDER_COUNTS, FolderOf, MessageLine};
use super::{FOLDERS, OVERVIEW, PAGE, above, at_most, database_page, folder_page, messages, views, words};
use crate::folders::{FOLDERS as ALL, place_of};
use crate::routes::check_unbound;
use base::codes;

/// Databases that can be chosen from; where there are more, their ids are typed.
const CHOICES: u32 = 100;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    db: String,
    folder: String,
    /// Behind this one: its time, its place, its number.
    after: String,
}

impl Asked {
    /// The folder; Messages if none is named.
    fn folder(&self) -> &str {
        if self.folder.is_empty() { "Messages" } else { &self.folder }
    }

    fn wanted(&self, db: &str) -> Result<FolderOf, ApiError> {
        let names = ALL.map(|(_, folder)| folder).join(", ");
        let wrong = |why: String| ApiError::refused(codes::ABODY, format!("query: {why}"));
        let place = place_of(self.folder()).ok_or_else(|| wrong(format!("folder is one of {names}")))?;
        let after = match self.after.as_str() {
            "" => None,
            text => Some(cursor(text).ok_or_else(|| wrong("after is no place of this list".to_owned()))?),
        };
        let oldest_first = matches!(place, "messages" | "prepared");
        Ok(FolderOf { db: db.to_owned(), place, oldest_first, after, limit: PAGE + 1 })
    }
}

fn cursor(text: &str) -> Option<[i64; 3]> {
    let parts: Option<Vec<i64>> = text.split('.').map(|part| part.parse().ok()).collect();
    parts?.try_into().ok()
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_unbound(&console)?;
    let known = console.read(&DATABASES, (String::new(), CHOICES + 1)).await?.out;
    let db = match asked.db.trim() {
        "" => known.first().map(|first| first.id.clone()).unwrap_or_default(),
        given => given.to_owned(),
    };
    let mut found = console.read(&FOLDER, asked.wanted(&db)?).await?.out;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let counts = console.read(&FOLDER_COUNTS, db.clone()).await?.out;
    let listed = listed(&console, &asked, &db, &found, more).await?;
    let content = html! {
        (views(&console, FOLDERS))
        @if known.len() > 1 { (filter(&console, &asked, &db, &known)) }
        div.stack #folders data-live {
            @if !db.is_empty() { (of_database(&console, &db, asked.folder(), counts)) }
            (listed)
        }
    };
    let above = above(&console, OVERVIEW, &words::EXCHANGE);
    let title =
        if db.is_empty() { console.say(&words::FOLDERS).to_owned() } else { format!("{db} / {}", asked.folder()) };
    Ok(console.show(View { title: &title, above: &above, actions: html! {}, content }))
}

fn filter(console: &Console, asked: &Asked, db: &str, known: &[DatabaseLine]) -> Markup {
    let field = Field::new("db", console.say(&words::DATABASE), Kind::Text).value(db);
    let choices = known.iter().map(|one| (one.id.clone(), one.id.clone())).collect();
    let field = if known.len() > CHOICES as usize { field } else { field.choices(choices) };
    let fields = [field, Field::new("folder", "", Kind::Hidden).value(asked.folder())];
    filters(&console.at(FOLDERS), &fields, console.say(&words::LOOK_INTO))
}

/// The five folders, with how much is in each.
fn of_database(console: &Console, db: &str, here: &str, counts: [i64; 5]) -> Markup {
    let tab = |((_, folder), count): (&(&str, &str), i64)| {
        let text = format!("{folder} ({})", at_most(console, count));
        (folder_page(console, db, folder, None), text, *folder == here)
    };
    let all: Vec<_> = ALL.iter().zip(counts).map(tab).collect();
    html! {
        (tabs(console.say(&words::FOLDERS), &all))
        p.hint { (console.say(lead(here))) " " a href=(database_page(console, db)) { (console.say(&words::DATABASE)) " " (db) } }
    }
}

fn lead(folder: &str) -> &'static Text {
    match folder {
        "Prepared" => &words::PREPARED_LEAD,
        "Log" => &words::LOG_LEAD,
        "Unknown" => &words::UNKNOWN_LEAD,
        "Error" => &words::ERROR_LEAD,
        _ => &words::MESSAGES_LEAD,
    }
}

async fn listed(
    console: &Console,
    asked: &Asked,
    db: &str,
    found: &[MessageLine],
    more: bool,
) -> Result<Markup, ApiError> {
    let at = |after: Option<&str>| folder_page(console, db, asked.folder(), after);
    let first = (!asked.after.is_empty()).then(|| at(None));
    let next = found.last().filter(|_| more).map(|last| at(Some(&last.cursor())));
    let content = match found.is_empty() {
        true => nothing(console, asked, db),
        false => messages::in_folder(console, found).await?,
    };
    Ok(html! {
        (content)
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
    })
}

fn nothing(console: &Console, asked: &Asked, db: &str) -> Markup {
    let (title, hint) = match (db.is_empty(), asked.after.is_empty()) {
        (true, _) => (&words::NO_DATABASE, &words::NO_DATABASE_HINT),
        (false, true) => (&words::EMPTY_FOLDER, &words::EMPTY_FOLDER_HINT),
        (false, false) => (&words::NONE_HERE, &words::NONE_HERE_HINT),
    };
    let hint = html! {
        p { (console.say(hint)) }
        @if db.is_empty() { p { a.button href=(console.at(OVERVIEW)) { (console.say(&words::DATABASES)) } } }
    };
    empty(console.say(title), hint)
}
