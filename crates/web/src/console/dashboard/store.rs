//! What it runs on: stores, disk, nodes, the process.

use base::{Health, StoreFigures};
use kernel::Namespace;
use kernel::overview::Figure;
use maud::{Markup, html};

use super::{Seen, words};
use crate::console::visit::Console;
use crate::overview::engine_word;
use crate::ui::moment::{bytes, duration};
use crate::ui::parts::{badge, card, facts};
use crate::ui::{Text, Tone};

pub(super) fn shown(console: &Console, seen: &[Seen]) -> Markup {
    let Some(here) = seen.iter().find(|seen| seen.ns.name == console.namespace().name) else { return html! {} };
    html! {
        div.columns {
            (card(console.say(&words::STORE), html! {}, store(console, here)))
            (card(console.say(&words::FIGURES), html! {}, figures(console, here)))
        }
    }
}

fn store(console: &Console, seen: &Seen) -> Markup {
    let StoreFigures { data_bytes, log_bytes, free_bytes } = seen.ns.store.figures();
    let size = |size: Option<u64>| {
        size.map_or(console.say(&words::UNKNOWN).to_owned(), |size| bytes(console.language(), size))
    };
    let log = console.fill(&words::LOG, &[("log", &size(log_bytes))]);
    let up_ms = i64::try_from(console.kernel().env().clock.ran_ms()).unwrap_or(i64::MAX);
    facts(&[
        (console.say(&words::HEALTH), health(console, &seen.ns)),
        (console.say(&words::ENGINE), html! { (engine_word(seen.ns.store.engine())) }),
        (console.say(&words::DATA), html! { (size(data_bytes)) @if log_bytes.is_some() { span.soft { " " (log) } } }),
        (console.say(&words::FREE), html! { (size(free_bytes)) }),
        (console.say(&words::JOBS), html! { (seen.ns.store.waiting()) }),
        (console.say(&words::UPTIME), html! { (duration(console.language(), up_ms)) }),
        (console.say(&crate::console::words::VERSION), html! { (console.shared().config().version) }),
    ])
}

/// The state of a namespace's store as a badge.
pub(super) fn health(console: &Console, ns: &Namespace) -> Markup {
    let (tone, text): (Tone, &Text) = match ns.store.health() {
        Health::Good => (Tone::Good, &words::GOOD),
        Health::ReadOnly(_) => (Tone::Warn, &words::READ_ONLY),
        Health::Down(_) => (Tone::Bad, &words::DOWN),
    };
    badge(tone, console.say(text))
}

/// What a figure is called: by its service, or else as the program calls it.
fn named(console: &Console, figure: &Figure) -> String {
    let text = console.shared().figure(figure.service, figure.name).map(|text| console.say(text).to_owned());
    text.unwrap_or_else(|| format!("{} · {}", figure.service, figure.name.replace('_', " ")))
}

/// What services say of themselves.
fn figures(console: &Console, seen: &Seen) -> Markup {
    let Some(work) = &seen.work else { return html! {} };
    let stored = |size: i64| bytes(console.language(), u64::try_from(size).unwrap_or(0));
    let nodes =
        html! { @for node in &work.nodes { div { (node.name) " " span.soft { (console.moment(node.seen_at)) } } } };
    let blobs = html! { (console.language().number(work.blobs.blobs)) span.soft { ", " (stored(work.blobs.bytes)) } };
    let named: Vec<String> = work.figures.iter().map(|figure| named(console, figure)).collect();
    let mut all = vec![(console.say(&words::NODES), nodes), (console.say(&words::BLOBS), blobs)];
    for (name, figure) in named.iter().zip(&work.figures) {
        all.push((name, html! { (console.language().number(figure.value)) }));
    }
    facts(&all)
}
