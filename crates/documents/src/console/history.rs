//! What was done to a document lately.

use maud::{Markup, html};
use web::Console;
use web::console::words as common;
use web::ui::parts::{badge, card, empty, id, table};
use web::ui::{Column, Holds, Row, Text, Tone};

use super::{when, who, words};
use crate::browse::ChangeView;
use crate::history::{ChangeKind, ChangedItem};

pub(super) fn card_of(console: &Console, kept: bool, changes: &[ChangeView]) -> Markup {
    let content = match (kept, changes.is_empty()) {
        (_, false) => rows(console, changes),
        (true, true) => nothing(console, &words::NO_CHANGES, &words::NO_CHANGES_HINT),
        (false, true) => nothing(console, &words::NO_HISTORY, &words::NO_HISTORY_HINT),
    };
    card(console.say(&words::HISTORY), html! {}, content)
}

fn nothing(console: &Console, title: &Text, hint: &Text) -> Markup {
    empty(console.say(title), html! { p { (console.say(hint)) } })
}

fn rows(console: &Console, changes: &[ChangeView]) -> Markup {
    let columns = [
        Column(console.say(&common::WHEN), Holds::Text),
        Column(console.say(&words::WHAT), Holds::Text),
        Column(console.say(&common::WHO), Holds::Text),
        Column(console.say(&words::ITEMS), Holds::Text),
        Column(console.say(&common::VERSION), Holds::Numbers),
    ];
    let row = |change: &ChangeView| {
        let (tone, text) = kind(change.kind);
        let what = badge(tone, console.say(text));
        Row::of(vec![
            when(console, change.v),
            what,
            who(console, &change.who, &change.op),
            items(console, change),
            id(change.v),
        ])
        .key(change.v.to_string())
    };
    let rows: Vec<_> = changes.iter().map(row).collect();
    table(console.say(&words::HISTORY), &columns, &rows)
}

fn kind(kind: ChangeKind) -> (Tone, &'static Text) {
    match kind {
        ChangeKind::Created => (Tone::Good, &words::KIND_CREATED),
        ChangeKind::Changed => (Tone::Info, &words::KIND_CHANGED),
        ChangeKind::Deleted => (Tone::Bad, &words::KIND_DELETED),
        ChangeKind::Recreated => (Tone::Warn, &words::KIND_RECREATED),
    }
}

fn items(console: &Console, change: &ChangeView) -> Markup {
    let name = |item: &ChangedItem| html! { code { (item.c) @if !item.k.is_empty() { " " bdi { (item.k) } } } };
    let named = i64::try_from(change.items.len()).unwrap_or(i64::MAX);
    html! {
        span.words {
            @for item in &change.items { @if item.deleted { del { (name(item)) } } @else { (name(item)) } }
            @if change.item_count > named { span.soft { (console.count(&words::MORE_ITEMS, change.item_count - named)) } }
        }
    }
}
