//! Searches that somebody gave a name: used, saved, deleted.

use maud::{Markup, html};
use serde_json::json;
use web::console::words as common;
use web::ui::{Field, Form, Kind, Tone};
use web::{ApiError, Console};

use super::search::Asked;
use super::words;
use crate::search::{SEARCHES, SavedSearch, Search};

/// Searches that are shown at once; the others behind a word.
const SHOWN: usize = 8;

pub(super) async fn shown(console: &Console, asked: &Asked, wanted: &Search) -> Result<Markup, ApiError> {
    let all = console.read(&SEARCHES, ()).await?.out;
    let (first, rest) = all.split_at(all.len().min(SHOWN));
    Ok(html! {
        div.saved #saved-searches data-live {
            @if !all.is_empty() {
                span.soft.small { (console.say(&words::SAVED_SEARCHES)) }
                (list(console, first, asked))
                @if !rest.is_empty() { details.fold { summary { (console.fill(&words::AND_N_MORE, &[("n", &rest.len())])) } (list(console, rest, asked)) } }
            }
            @if !asked.is_all() { (save(console, wanted)) }
        }
    })
}

fn list(console: &Console, searches: &[SavedSearch], asked: &Asked) -> Markup {
    html! { ul.saved-list { @for search in searches { li data-key=(search.name) { (one(console, search, asked)) } } } }
}

fn one(console: &Console, saved: &SavedSearch, asked: &Asked) -> Markup {
    let own = Asked::of(&saved.search);
    let here = own.search().ok() == asked.search().ok();
    let delete = console
        .form("DELETE /v1/{ns}/workflow/searches/{name}", &common::DELETE)
        .with("name", &saved.name)
        .tone(Tone::Bad)
        .confirm(console.fill(&words::DELETE_SEARCH_SURE, &[("name", &saved.name)]));
    html! {
        a.button href=(own.at(console, None)) aria-current=[here.then_some("true")] title=(own.words(console)) { bdi { (saved.name) } }
        @if here { (delete) }
    }
}

fn save(console: &Console, wanted: &Search) -> Form {
    console
        .form("POST /v1/{ns}/workflow/searches", &common::SAVE)
        .field(Field::new("name", console.say(&common::NAME), Kind::Text).required())
        .field(Field::hidden("search", &json!(wanted)))
        .tone(Tone::Good)
        .in_dialog(console.say(&words::SAVE_SEARCH))
}
