//! The console's pages of documents (CON-5): classes, documents, one document, one of its items.
//!
//! They show what the routes of `routes/browse` answer, and change by `doc.commit` alone, always with the version that the page showed:
//! what somebody else did meanwhile is never overwritten unseen. An item is edited on a page of its own, whose form is not
//! live: it keeps the version that it was made for until the server says that it is old.
//!
//! Invariant: nothing that a device wrote is markup, nor a part of an address unless it is encoded (CON-9).

mod attachments;
mod class;
mod classes;
mod commit;
mod document;
mod history;
mod item;
mod items;
mod kinds;
mod paging;
mod search;
mod value;
mod words;

pub(crate) use kinds::{ACTIONS, KINDS};

use base::{Stamp, Wall};
use kernel::Role;
use maud::{Markup, html};
use serde::Deserialize;
use web::console::{Group, Nav};
use web::ui::form::{encoded, link};
use web::{Console, ConsolePage};

/// Who may look.
const READERS: &[Role] = &[Role::Operator, Role::Reader, Role::App];
/// Rows of a page.
const PAGE: usize = 50;
/// A sheet of paper.
const SHEET: &str = "M3 1h7l3 3v11H3zM9 2v3h3zM5 7h6v1H5zM5 9h6v1H5zM5 11h4v1H5z";

pub(crate) fn pages() -> Vec<ConsolePage> {
    let nav = Nav { group: Group::Services, place: 10, text: &words::DOCUMENTS, icon: SHEET };
    let pages = [
        ConsolePage::new("/console/{ns}/documents", classes::page).nav(nav),
        ConsolePage::new("/console/{ns}/documents/{class}", class::page),
        ConsolePage::new("/console/{ns}/documents/{class}/{id}", document::page),
        ConsolePage::new("/console/{ns}/documents/{class}/{id}/item", item::page),
    ];
    pages.into_iter().map(|page| page.roles(READERS)).collect()
}

/// What is asked of a class, of a document or of an item. All of it can be asked at the class's address, because a browser cannot
/// ask for a path whose part is `..`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Asked {
    /// Documents whose ids start with this.
    prefix: String,
    /// Documents, or what was found, after this.
    after: String,
    /// What is searched: `Item.field`.
    field: String,
    /// How it is compared.
    cond: String,
    /// With what.
    v1: String,
    /// Up to what.
    v2: String,
    /// One document.
    id: String,
    /// Class of one of its items.
    c: Option<String>,
    /// The item's key.
    k: String,
    /// Items of this class only.
    kind: String,
    /// Items whose keys start with this.
    key: String,
    /// Not the first so many of them.
    skip: usize,
    /// Not the first so many attachments.
    files: usize,
    /// Not the newest so many deleted items.
    gone: usize,
}

/// Where a document is.
#[derive(Clone, Copy)]
struct Place<'a> {
    console: &'a Console,
    class: &'a str,
    id: &'a str,
}

impl Place<'_> {
    /// Its page.
    fn page(self) -> String {
        self.page_with(&[])
    }

    /// Its page with these parameters.
    fn page_with(self, query: &[(&str, Option<&str>)]) -> String {
        if is_part_of_path(self.id) {
            return link(&format!("{}/{}", class_page(self.console, self.class), encoded(self.id)), query);
        }
        link(&class_page(self.console, self.class), &[&[("id", Some(self.id))], query].concat())
    }

    /// The page of an item.
    fn item(self, c: &str, k: &str) -> String {
        let query = [("c", Some(c)), ("k", Some(k))];
        if is_part_of_path(self.id) {
            return link(&format!("{}/item", self.page()), &query);
        }
        self.page_with(&query)
    }
}

/// The page of a class.
fn class_page(console: &Console, class: &str) -> String {
    console.at(&format!("documents/{}", encoded(class)))
}

/// Whether a browser can ask for a path with this part: it takes dots, encoded or not, for steps up.
fn is_part_of_path(part: &str) -> bool {
    part != "." && part != ".."
}

/// Where one came from.
fn above(console: &Console, class: Option<&str>) -> Vec<(String, String)> {
    let all = (console.at("documents"), console.say(&words::DOCUMENTS).to_owned());
    let class = class.map(|class| (class_page(console, class), class.to_owned()));
    [Some(all), class].into_iter().flatten().collect()
}

/// When a version was made.
fn wall(version: i64) -> Option<Wall> {
    Stamp::new(version).ok().map(Stamp::to_wall)
}

fn when(console: &Console, version: i64) -> Markup {
    html! { @if let Some(at) = wall(version) { (console.moment(at)) } }
}

/// Who did it, and by which operation.
fn who(console: &Console, who: &str, op: &str) -> Markup {
    html! { @if !who.is_empty() { bdi { (web::console::who(console, who)) } } @if !op.is_empty() { span.sub { (op) } } }
}

fn size(console: &Console, bytes: i64) -> String {
    web::ui::moment::bytes(console.language(), u64::try_from(bytes).unwrap_or(0))
}
