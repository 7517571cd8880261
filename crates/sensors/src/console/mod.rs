//! The console's pages of sensors (CON-7): the map of all doors by address, one sensor with what it said, who is told and how that
//! went, who is lost, who is not registered, and what was no signal.
//!
//! Pages below `sensors/` that are no sensor's have a dash in their names, which no sensor has.
//!
//! Invariant: nothing that a device or a client wrote is markup, nor a part of an address unless it is encoded (CON-9).

mod client;
mod clients;
mod imports;
mod kinds;
mod list;
mod map;
mod notices;
mod over_time;
mod rates;
mod reads;
mod rejected;
mod sensor;
mod sensor_actions;
mod state;
mod unknown;
mod words;

pub(crate) use kinds::{ACTIONS, KINDS};
pub(crate) use reads::STATEMENTS;

use base::Wall;
use kernel::Role;
use maud::{Markup, html};
use web::console::{Group, Nav};
use web::ui::Text;
use web::ui::form::encoded;
use web::ui::parts::tabs;
use web::{Console, ConsolePage};

/// Who may look.
const READERS: &[Role] = &[Role::Operator, Role::Reader, Role::App];
/// Rows of a page.
const PAGE: u32 = 50;
/// A door that stands ajar.
const DOOR: &str = "M3 1h10v14h-2V3H5v12H3zM6 4l4 1v10l-4-1zM8.4 9h1v1.5h-1z";
/// A bell.
const BELL: &str = "M8 1a1 1 0 0 0-1 1v.6A4.5 4.5 0 0 0 3.5 7v4L2 13h12l-1.500-2V7A4.5 4.5 0 0 0 9 2.600V2a1 1 0 0 0-1-1zM6.500 14h3a1.500 1.500 0 0 1-3 0z";

const MAP: &str = "sensors";
const LIST: &str = "sensors/as-list";
const NOT_KNOWN: &str = "sensors/not-known";
const NOT_ACCEPTED: &str = "sensors/not-accepted";
const BULK: &str = "sensors/bulk-imports";
const CLIENTS: &str = "sensor-clients";

pub(crate) fn pages() -> Vec<ConsolePage> {
    let sensors = Nav { group: Group::Services, place: 20, text: &words::SENSORS, icon: DOOR };
    let clients = Nav { group: Group::Services, place: 21, text: &words::CLIENTS, icon: BELL };
    let pages = [
        ConsolePage::new("/console/{ns}/sensors", map::page).nav(sensors),
        ConsolePage::new("/console/{ns}/sensors/as-list", list::page),
        ConsolePage::new("/console/{ns}/sensors/not-known", unknown::page),
        ConsolePage::new("/console/{ns}/sensors/not-accepted", rejected::page),
        ConsolePage::new("/console/{ns}/sensors/bulk-imports", imports::page),
        ConsolePage::new("/console/{ns}/sensors/{id}", sensor::page),
        ConsolePage::new("/console/{ns}/sensor-clients", clients::page).nav(clients),
        ConsolePage::new("/console/{ns}/sensor-clients/{id}", client::page),
    ];
    pages.into_iter().map(|page| page.roles(READERS)).collect()
}

/// The views of all sensors. `lost` tells the two lists apart.
fn views(console: &Console, here: &str, lost: bool) -> Markup {
    let view = |page: &str, query: &str, text: &Text, is_here: bool| {
        (format!("{}{query}", console.at(page)), console.say(text).to_owned(), is_here)
    };
    tabs(
        console.say(&words::VIEWS),
        &[
            view(MAP, "", &words::MAP, here == MAP),
            view(LIST, "", &words::LIST, here == LIST && !lost),
            view(LIST, "?state=lost", &words::LOST, here == LIST && lost),
            view(NOT_KNOWN, "", &words::UNKNOWN, here == NOT_KNOWN),
            view(NOT_ACCEPTED, "", &words::REJECTED, here == NOT_ACCEPTED),
            view(BULK, "", &words::IMPORTS, here == BULK),
        ],
    )
}

/// The page of a sensor.
fn sensor_page(console: &Console, id: &str) -> String {
    console.at(&format!("sensors/{}", encoded(id)))
}

/// The page of a client.
fn client_page(console: &Console, id: &str) -> String {
    console.at(&format!("{CLIENTS}/{}", encoded(id)))
}

/// Where one came from.
fn above(console: &Console, page: &str, text: &Text) -> Vec<(String, String)> {
    vec![(console.at(page), console.say(text).to_owned())]
}

/// A moment that an answer holds as text.
fn when(console: &Console, at: Option<&str>) -> Markup {
    html! { @if let Some(at) = at.and_then(Wall::parse_rfc3339) { (console.moment(at)) } }
}

/// A count that ends somewhere, and says so.
fn at_most(console: &Console, count: i64, most: i64) -> String {
    format!("{}{}", console.language().number(count), if count >= most { "+" } else { "" })
}
