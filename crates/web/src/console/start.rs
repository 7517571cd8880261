//! *Start here* (CON-12): what Fastness is, and for each service what it is for, a demo to be copied into a terminal, whether one runs right
//! now, and the first steps by hand. An empty namespace offers it first on its overview.

mod demos;
mod words;

pub(super) use words::START;

use std::time::Duration;

use kernel::Role;
use kernel::overview::{Look, OVERVIEW, Overview};
use maud::{Markup, html};
use tokio::time::timeout;

use super::nav::{Group, Nav};
use super::page::{Page, PageResult};
use super::terminal::USUAL;
use super::visit::{Console, View};
use super::words as common;
use crate::ui::parts::{card, command};
use crate::ui::{Text, Tone};

const ICON: &str = "M3 1l11 7-11 7z";

/// Its place.
pub(super) const PAGE: &str = "/console/{ns}/start";
/// How long a store is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

pub(super) fn pages() -> Vec<Page> {
    let nav = Nav { group: Group::Overview, place: 1, text: &words::START, icon: ICON };
    vec![Page::new(PAGE, start).roles(&[Role::Operator, Role::Reader]).nav(nav)]
}

/// A service as it is offered.
struct Offer {
    /// Its name in paths and commands.
    word: &'static str,
    /// Its page.
    page: &'static str,
    title: Text,
    purpose: Text,
    story: Text,
    /// The same by hand: a call, and what it does.
    steps: [(&'static str, Text); 3],
}

const OFFERS: [Offer; 5] = [words::EXCHANGE, words::WORKFLOW, words::FOLDERS, words::SENSORS, words::DOCUMENTS];

async fn start(console: Console) -> PageResult {
    let running = demos::running(&console).await;
    let offered = OFFERS.iter().filter_map(|offer| Some((offer, console.address(offer.page, &[])?)));
    let cards: Vec<Markup> = offered.map(|(offer, page)| offered_card(&console, offer, &page, &running)).collect();
    let content = html! {
        p.lead { (console.say(&words::WHAT)) " " (console.say(&words::PROMISE)) }
        div.stack {
            p { (console.say(&words::HOW)) }
            div.columns { @for card in &cards { (card) } }
            p.hint { (console.say(&words::CLEAN)) " " code { (line(&console, "clean")) } }
        }
    };
    Ok(console.show(View { title: console.say(&words::START), above: &[], actions: html! {}, content }))
}

fn offered_card(console: &Console, offer: &Offer, page: &str, running: &[demos::Running]) -> Markup {
    let open = html! { a href=(page) { (console.say(&words::OPEN)) } };
    let here: Vec<&demos::Running> = running.iter().filter(|demo| demo.word == offer.word).collect();
    card(
        console.say(&offer.title),
        open,
        html! {
            p { (console.say(&offer.purpose)) }
            p.hint { b { (console.say(&words::DEMO)) } " " (console.say(&offer.story)) }
            (command(&line(console, offer.word), console.say(&common::COPY)))
            div #{ "demo-" (offer.word) } data-live { @for demo in here { (demos::shown(console, demo, offer.page)) } }
            (by_hand(console, offer))
        },
    )
}

/// The command, as it can be copied into a terminal of the server's machine.
fn line(console: &Console, word: &str) -> String {
    let config = console.shared().config();
    let at = match config.public_url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//127.0.0.1:") {
        usual if usual == USUAL => String::new(),
        other => format!(" --server {other}"),
    };
    format!("{} demo {word}{at}", config.program)
}

fn by_hand(console: &Console, offer: &Offer) -> Markup {
    let namespace = &console.namespace().name;
    html! {
        details.fold {
            summary { (console.say(&words::BY_HAND)) }
            ol.steps {
                @for (call, what) in &offer.steps {
                    li { (console.say(what)) " " code { (as_typed(console, &call.replace("{ns}", namespace))) } }
                }
            }
            // Each service has a guide of its name.
            p { (console.say(&words::GUIDE)) " " @match super::help::guide(console, offer.word) {
                Some(href) => a href=(href) { (console.say(&offer.title)) },
                None => code { "docs/" (offer.word) ".md" },
            } }
            p { a href={ "/docs#" (offer.word) } { (console.say(&words::ALL_CALLS)) } }
        }
    }
}

/// A step that is a command names the program and this server, as it can be run.
fn as_typed(console: &Console, step: &str) -> String {
    match step.strip_prefix("fastness ") {
        Some(words) => format!("{} {words}{}", console.shared().config().program, console.to_server()),
        None => step.to_owned(),
    }
}

/// Whether nothing was ever put into a namespace; what cannot be read now is not taken for empty.
pub(super) async fn is_fresh(console: &Console, name: &str) -> bool {
    let Ok(ns) = console.kernel().namespace(name) else { return false };
    let within = console.within(&ns);
    let read = timeout(PATIENCE, within.read(&OVERVIEW, Look::at(console.kernel()))).await;
    read.is_ok_and(|read| read.is_ok_and(|work| is_empty(&work.out)))
}

fn is_empty(work: &Overview) -> bool {
    work.figures.iter().all(|figure| figure.value == 0) && work.blobs.blobs == 0
}

/// What an empty namespace is offered first.
pub(super) fn invitation(console: &Console, work: Option<&Overview>) -> Markup {
    html! {
        @if work.is_some_and(is_empty) && !console.at_administration() {
            section.card.well {
                (crate::ui::parts::lamp(Tone::Info))
                p { b { (console.say(&words::EMPTY)) } " " span.soft { (console.say(&words::EMPTY_HINT)) } }
                a.button.primary href=(console.at("start")) { (console.say(&words::START)) }
            }
        }
    }
}
