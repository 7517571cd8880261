//! The console's pages of folders (CON-6): directories, their files as a tree with versions, devices, who holds which lock, conflicts, history and
//! restoring.
//!
//! Invariant: no name, path or device that a client wrote is markup, nor a part of an address unless it is encoded (CON-9). Pages only show: each
//! change is a call of the API, and whoever may not use that is not offered it.

mod actions;
mod conflicts;
mod devices;
mod directories;
mod file;
mod files;
mod gone;
mod kinds;
mod locks;
mod reads;
mod words;

pub(crate) use kinds::{ACTIONS, KINDS};
pub(crate) use reads::STATEMENTS;

use base::Wall;
use kernel::Role;
use maud::{Markup, html};
use serde::Deserialize;
use web::console::{Group, Nav};
use web::ui::Text;
use web::ui::form::{encoded, link};
use web::ui::moment::bytes;
use web::ui::parts::tabs;
use web::{ApiError, Console, ConsolePage};

use crate::care::{DIRECTORY, DirectoryView, OfDirectory};
use crate::routes::who_in;

/// Who may look.
const READERS: &[Role] = &[Role::Operator, Role::Reader, Role::App, Role::Folder];
/// Rows of a page.
const PAGE: u32 = 100;
/// A folder.
const FOLDER: &str = "M1 3h5l1.500 2H15v9H1zM2.500 6.500v6h11v-6z";

pub(crate) fn pages() -> Vec<ConsolePage> {
    let nav = Nav { group: Group::Services, place: 50, text: &words::FOLDERS, icon: FOLDER };
    let pages = [
        ConsolePage::new("/console/{ns}/folders", directories::page).nav(nav),
        ConsolePage::new("/console/{ns}/folders/{id}", files::page),
        ConsolePage::new("/console/{ns}/folders/{id}/deleted", gone::page),
        ConsolePage::new("/console/{ns}/folders/{id}/conflicts", conflicts::page),
        ConsolePage::new("/console/{ns}/folders/{id}/devices", devices::page),
        ConsolePage::new("/console/{ns}/folders/{id}/locks", locks::page),
        ConsolePage::new("/console/{ns}/folder-files/{id}", file::page),
    ];
    pages.into_iter().map(|page| page.roles(READERS)).collect()
}

/// The id in an address.
#[derive(Debug, Deserialize)]
struct IdPath {
    id: String,
}

/// After which row a page begins.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct After {
    after: String,
}

/// A directory that whoever looks may read.
async fn directory(console: &Console, id: &str) -> Result<DirectoryView, ApiError> {
    let of = OfDirectory { who: who_in(console, id)?, directory: id.to_owned() };
    Ok(console.read(&DIRECTORY, of).await?.out)
}

/// The page of a directory, or a view of it.
fn directory_page(console: &Console, id: &str, view: &str) -> String {
    let slash = if view.is_empty() { "" } else { "/" };
    console.at(&format!("folders/{}{slash}{view}", encoded(id)))
}

/// The page of a folder of a directory.
fn folder_page(console: &Console, directory: &str, path: &str) -> String {
    link(&directory_page(console, directory, ""), &[("path", Some(path))])
}

/// The page of a file.
fn file_page(console: &Console, id: &str) -> String {
    console.at(&format!("folder-files/{}", encoded(id)))
}

/// The views of a directory.
fn views(console: &Console, id: &str, here: &str) -> Markup {
    let view =
        |name: &str, text: &Text| (directory_page(console, id, name), console.say(text).to_owned(), name == here);
    tabs(
        console.say(&words::VIEWS),
        &[
            view("", &words::FILES),
            view("deleted", &words::DELETED),
            view("conflicts", &words::CONFLICTS),
            view("devices", &words::DEVICES),
            view("locks", &words::LOCKS),
        ],
    )
}

/// The way from all directories to a view of one.
fn above(console: &Console) -> Vec<(String, String)> {
    vec![(console.at("folders"), console.say(&words::FOLDERS).to_owned())]
}

/// What a directory is called: one that a device created may have no name.
fn called(directory: &DirectoryView) -> &str {
    if directory.name.trim().is_empty() { &directory.id } else { &directory.name }
}

/// The same, with the directory itself.
fn above_in(console: &Console, directory: &DirectoryView) -> Vec<(String, String)> {
    let mut above = above(console);
    above.push((directory_page(console, &directory.id, ""), called(directory).to_owned()));
    above
}

/// A moment that an answer holds as text.
fn when(console: &Console, at: &str) -> Markup {
    html! { @if let Some(at) = Wall::parse_rfc3339(at) { (console.moment(at)) } }
}

fn size(console: &Console, size: u64) -> String {
    bytes(console.language(), size)
}
