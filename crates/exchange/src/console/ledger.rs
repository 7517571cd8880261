//! The ledger of a database as a picture (EXC-21): what was received, and where each part of it is.

use maud::{Markup, html};
use web::Console;
use web::ui::band::{band, shares};
use web::ui::parts::{banner, card, stats};
use web::ui::{Stat, Text, Tone};

use super::reads::DatabaseLine;
use super::{PROCESSES, folder_page, number, words};

/// The parts of what was received, each with its colour.
fn parts(database: &DatabaseLine) -> [(Tone, &'static Text, i64); 6] {
    [
        (Tone::Info, &words::QUEUED, database.queued),
        (Tone::Info, &words::IN_PROCESS, database.in_process),
        (Tone::Good, &words::IN_LOG, database.log),
        (Tone::Bad, &words::IN_ERROR, database.error),
        (Tone::Warn, &words::IN_UNKNOWN, database.unknown),
        (Tone::Quiet, &words::REMOVED, database.removed),
    ]
}

/// How what was received is divided, in a line.
pub(super) fn line(console: &Console, database: &DatabaseLine) -> Markup {
    let parts = parts(database);
    let said: Vec<_> = parts
        .iter()
        .filter(|(_, _, count)| *count > 0)
        .map(|(_, text, count)| format!("{} {}", console.say(text), console.language().number(*count)))
        .collect();
    let label = if said.is_empty() { console.say(&words::NOTHING_RECEIVED).to_owned() } else { said.join(", ") };
    band(&label, &shares(&parts.map(|(tone, _, count)| (tone, count))))
}

/// The whole of it.
pub(super) fn whole(console: &Console, database: &DatabaseLine) -> Markup {
    let content = html! {
        (wrong(console, database))
        (tiles(console, database))
        p.hint.small { (console.say(&words::RECEIVED_HINT)) " " (equation(console, database)) }
        (line(console, database))
    };
    card(console.say(&words::LEDGER), html! {}, content)
}

fn tiles(console: &Console, database: &DatabaseLine) -> Markup {
    let folder = |name: &str| Some(folder_page(console, &database.id, name, None));
    let processes = web::ui::form::link(&console.at(PROCESSES), &[("db", Some(&database.id))]);
    let hrefs = [folder("Messages"), Some(processes), folder("Log"), folder("Error"), folder("Unknown"), None];
    let first = Stat {
        label: console.say(&words::RECEIVED).to_owned(),
        value: console.language().number(database.received),
        hint: html! {},
        tone: Tone::Quiet,
        href: None,
    };
    let tile = |((tone, text, count), href): ((Tone, &Text, i64), Option<String>)| Stat {
        label: console.say(text).to_owned(),
        value: console.language().number(count),
        hint: html! {},
        tone: if count > 0 { tone } else { Tone::Quiet },
        href,
    };
    let rest = parts(database).into_iter().zip(hrefs).map(tile);
    stats(&std::iter::once(first).chain(rest).collect::<Vec<_>>())
}

/// `12 = 3 + 0 + 9 + …`: that it adds up can be seen.
fn equation(console: &Console, database: &DatabaseLine) -> Markup {
    let counts = parts(database).map(|(_, _, count)| console.language().number(count));
    html! { (number(console, database.received)) " = " (counts.join(" + ")) }
}

fn wrong(console: &Console, database: &DatabaseLine) -> Markup {
    let (received, sum) = (database.received, database.sum());
    html! { @if received != sum {
        (banner(Tone::Bad, html! { p { (console.fill(&words::DOES_NOT_ADD_UP, &[("received", &received), ("sum", &sum)])) } }))
    } }
}
