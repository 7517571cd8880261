//! The guides, read in the console (CON-13): the server brings them along, so that they fit it and are there without a network.
//!
//! They are in English alone, which the link says. What a guide links to and is not here (the source, decisions) is a plain text.

mod library;
mod markdown;

use axum::response::Response;
use base::codes;
use kernel::Role;
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use library::Library;
use markdown::Rendered;

use super::frame::icon;
use super::page::{Page, PageResult};
use super::visit::{Console, View};
use super::words as common;
use crate::error::ApiError;
use crate::params::PathOf;
use crate::ui::Language;

mod words {
    crate::texts! {
        HELP: "Help", "Справка (англ.)", "Aide (en anglais)";
        IN_ENGLISH: "The guides are in English.", "Руководства есть только на английском.", "Les guides sont en anglais seulement.";
        ON_THIS_PAGE: "On this page", "На этой странице", "Sur cette page";
    }
}

/// A question mark in a ring.
const ICON: &str = "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 1.6a5.4 5.4 0 1 1 0 10.8A5.4 5.4 0 0 1 8 2.6zM5.7 6.4h1.5c0-.6.3-1 .9-1 .5 0 .8.3.8.7 0 .5-.3.7-.8 1-.6.4-.9.8-.9 1.6v.3h1.5c0-.5.2-.7.8-1.1.6-.4 1-1 1-1.8 0-1.2-1-2-2.4-2S5.7 5 5.7 6.4zM7.2 10.2h1.6v1.6H7.2z";
const ROLES: &[Role] = &[Role::Operator, Role::Reader];
/// Sections from which on a guide begins with a list of them.
const SECTIONS_MANY: usize = 3;

pub(super) fn pages() -> Vec<Page> {
    vec![
        Page::new("/console/{ns}/help", contents).roles(ROLES),
        Page::new("/console/{ns}/help/{page}", one).roles(ROLES),
    ]
}

#[derive(Deserialize)]
struct GuidePath {
    page: String,
}

async fn contents(console: Console) -> PageResult {
    shown(&console, "")
}

async fn one(console: Console, PathOf(path): PathOf<GuidePath>) -> PageResult {
    shown(&console, &path.page)
}

fn library(console: &Console) -> Library {
    Library::of(console.shared().config().guides)
}

fn shown(console: &Console, name: &str) -> PageResult {
    let library = library(console);
    let Some((path, text)) = library.named(name) else {
        let name: String = name.chars().take(40).collect();
        return Err(ApiError::refused(codes::NROUTE, format!("no guide is called `{name}`")));
    };
    let help = console.at("help");
    let guide = markdown::render(text, console.say(&common::COPY), &|link| library.target(&help, path, link));
    Ok(page(console, &guide, name.is_empty()))
}

fn page(console: &Console, guide: &Rendered, is_first: bool) -> Response {
    let above = [(console.at("help"), console.say(&words::HELP).to_owned())];
    let content = html! {
        @if console.language() != Language::English { p.hint { (console.say(&words::IN_ENGLISH)) } }
        article.guide #(guide.id) lang="en" {
            @if !is_first { (sections(console, guide)) }
            (PreEscaped(&guide.html))
        }
    };
    console.show(View { title: &guide.title, above: if is_first { &[] } else { &above }, actions: html! {}, content })
}

/// What is on the page.
fn sections(console: &Console, guide: &Rendered) -> Markup {
    let sections: Vec<_> = guide.headings.iter().filter(|heading| heading.level == 2).collect();
    html! {
        @if sections.len() >= SECTIONS_MANY {
            details.fold {
                summary { (console.say(&words::ON_THIS_PAGE)) }
                ul { @for heading in sections { li { a href={ "#" (heading.id) } { (heading.text) } } } }
            }
        }
    }
}

/// The way to the guide about the page that one is on.
pub(super) fn way(console: &Console) -> Markup {
    let (help, here) = (console.at("help"), console.here.split('?').next().unwrap_or_default());
    let Some(href) = about(console, here) else { return html! {} };
    let is_here = here == help || here.starts_with(&format!("{help}/"));
    html! { li { a href=(href) aria-current=[is_here.then_some("page")] { (icon(ICON)) span { (console.say(&words::HELP)) } } } }
}

/// The address of the guide about a page; that of all guides where there is none.
fn about(console: &Console, page: &str) -> Option<String> {
    let (library, help) = (library(console), console.at("help"));
    let subject = page.strip_prefix(&console.at("")).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    if subject == "help" {
        return library.named("").map(|_| help);
    }
    let (guide, section) = library.about(subject)?;
    Some(if guide.is_empty() { help } else { format!("{help}/{guide}{section}") })
}

/// The address of a guide, if there is one of this name.
pub(super) fn guide(console: &Console, name: &str) -> Option<String> {
    library(console).named(name).map(|_| console.at(&format!("help/{name}")))
}

/// What the guides are called together.
pub(super) fn name(console: &Console) -> &'static str {
    console.say(&words::HELP)
}

/// Guides in whose titles a word begins with this text, those first whose title does: address, and what they are called.
pub(super) fn titled(console: &Console, text: &str) -> Vec<(String, String)> {
    let (library, help, text) = (library(console), console.at("help"), text.to_lowercase());
    let mut found: Vec<_> = library
        .titles()
        .filter_map(|(name, title)| Some((word_of(title, &text)? > 0, format!("{help}/{name}"), title.to_owned())))
        .collect();
    found.sort_by_key(|(behind, ..)| *behind);
    found.into_iter().map(|(_, href, title)| (href, title)).collect()
}

/// Where a word of a title begins so.
fn word_of(title: &str, text: &str) -> Option<usize> {
    let title = title.to_lowercase();
    let begins = |place: &usize| !title[..*place].chars().next_back().is_some_and(char::is_alphanumeric);
    title.match_indices(text).map(|(place, _)| place).find(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_11_con_13_a_guide_is_found_by_the_words_of_its_title() {
        assert_eq!(word_of("CINDEX: the index is still being filled", "till"), None, "a word in the middle of one");
        assert_eq!(word_of("Backup and disaster", "dis"), Some(11));
        assert_eq!(word_of("ATASK: the task is not", "atask"), Some(0));
        assert_eq!(word_of("Füße und mehr", "mehr"), Some("füße und ".len()));
    }
}
