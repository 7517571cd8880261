//! The console's pages of the exchange (CON-3): databases with their ledgers, devices, companies, processes, and what lies in folders.
//!
//! Invariant: nothing that a device or a database wrote is markup, nor a part of an address unless it is encoded (CON-9).

mod companies;
mod database;
mod device;
mod devices;
mod folders;
mod kinds;
mod ledger;
mod message;
mod messages;
mod overview;
mod parties;
mod past;
mod process;
mod processes;
mod reads;
mod resolve;
mod state;
mod text;
mod words;

pub(crate) use kinds::{ACTIONS, KINDS};
pub(crate) use reads::STATEMENTS;

use base::Wall;
use kernel::Role;
use maud::{Markup, html};
use web::console::{Group, Nav};
use web::ui::Text;
use web::ui::form::{encoded, link};
use web::ui::moment::bytes;
use web::ui::parts::{empty, tabs};
use web::{Console, ConsolePage, PageResult, View};

/// Who may look; whoever is bound to one device or database may not.
const READERS: &[Role] = &[Role::Operator, Role::Reader];
/// Rows of a page.
const PAGE: u32 = 50;
/// Two arrows, there and back.
const ARROWS: &str = "M10 1l4 3.500-4 3.500V5.500H2v-2h8zM6 8v2.500h8v2H6V15l-4-3.500z";

const OVERVIEW: &str = "exchange";
const DEVICES: &str = "exchange/devices";
const COMPANIES: &str = "exchange/companies";
const PROCESSES: &str = "exchange/processes";
const FOLDERS: &str = "exchange/folders";

pub(crate) fn pages() -> Vec<ConsolePage> {
    let nav = Nav { group: Group::Services, place: 5, text: &words::EXCHANGE, icon: ARROWS };
    let pages = [
        ConsolePage::new("/console/{ns}/exchange", overview::page).nav(nav),
        ConsolePage::new("/console/{ns}/exchange/databases/{id}", database::page),
        ConsolePage::new("/console/{ns}/exchange/devices", devices::page),
        ConsolePage::new("/console/{ns}/exchange/devices/{id}", device::page),
        ConsolePage::new("/console/{ns}/exchange/companies", companies::page),
        ConsolePage::new("/console/{ns}/exchange/processes", processes::page),
        ConsolePage::new("/console/{ns}/exchange/processes/{id}", process::page),
        ConsolePage::new("/console/{ns}/exchange/folders", folders::page),
        ConsolePage::new("/console/{ns}/exchange/messages/{name}", message::page),
    ];
    pages.into_iter().map(|page| page.roles(READERS)).collect()
}

/// What a page of one thing is asked for.
#[derive(serde::Deserialize)]
struct IdPath {
    id: String,
}

/// The views of the exchange.
fn views(console: &Console, here: &str) -> Markup {
    let view = |page: &str, text: &Text| (console.at(page), console.say(text).to_owned(), here == page);
    tabs(
        console.say(&words::VIEWS),
        &[
            view(OVERVIEW, &words::OVERVIEW),
            view(DEVICES, &words::DEVICES),
            view(COMPANIES, &words::COMPANIES),
            view(PROCESSES, &words::PROCESSES),
            view(FOLDERS, &words::FOLDERS),
        ],
    )
}

fn database_page(console: &Console, id: &str) -> String {
    console.at(&format!("exchange/databases/{}", encoded(id)))
}

fn device_page(console: &Console, id: &str) -> String {
    console.at(&format!("{DEVICES}/{}", encoded(id)))
}

fn process_page(console: &Console, id: &str) -> String {
    console.at(&format!("{PROCESSES}/{}", encoded(id)))
}

fn message_page(console: &Console, name: &str) -> String {
    console.at(&format!("exchange/messages/{}", encoded(name)))
}

/// A folder of a database.
fn folder_page(console: &Console, db: &str, folder: &str, after: Option<&str>) -> String {
    link(&console.at(FOLDERS), &[("db", Some(db)), ("folder", Some(folder)), ("after", after)])
}

/// The way back to a view.
fn above(console: &Console, page: &str, text: &Text) -> Vec<(String, String)> {
    let first = (console.at(OVERVIEW), console.say(&words::EXCHANGE).to_owned());
    let second = (console.at(page), console.say(text).to_owned());
    if page == OVERVIEW { vec![first] } else { vec![first, second] }
}

fn when(console: &Console, at: Option<Wall>) -> Markup {
    html! { @match at { Some(at) => (console.moment(at)), None => (console.say(&web::console::words::NEVER)) } }
}

/// A moment that an answer holds as text.
fn moment_of(text: Option<&str>) -> Option<Wall> {
    text.and_then(Wall::parse_rfc3339)
}

fn number(console: &Console, count: i64) -> Markup {
    html! { (console.language().number(count)) }
}

/// How many messages are in a folder of a database, with the way there if there are any.
fn in_folder(console: &Console, db: &str, folder: &str, count: i64) -> Markup {
    let many = number(console, count);
    html! { @if count > 0 { a href=(folder_page(console, db, folder, None)) { (many) } } @else { (many) } }
}

/// A count that ends somewhere, and says so.
fn at_most(console: &Console, count: i64) -> String {
    let more = if count >= reads::COUNTED_MAX { "+" } else { "" };
    format!("{}{more}", console.language().number(count))
}

fn size(console: &Console, count: i64) -> String {
    bytes(console.language(), u64::try_from(count).unwrap_or(0))
}

/// What there is before the first company: where to begin.
fn no_company(console: &Console) -> Markup {
    let hint = html! {
        p { (console.say(&words::NO_COMPANY_HINT)) }
        p { a.button href=(console.at(COMPANIES)) { (console.say(&words::COMPANIES_AND_SUBSYSTEMS)) } }
    };
    empty(console.say(&words::NO_COMPANY), hint)
}

/// The page of something that is not there.
fn nothing(console: &Console, title: &str, above: &[(String, String)], what: &Text, hint: &Text) -> PageResult {
    let content = html! { div #gone data-live { (empty(console.say(what), html! { p { (console.say(hint)) } })) } };
    Ok(console.show(View { title, above, actions: html! {}, content }))
}
