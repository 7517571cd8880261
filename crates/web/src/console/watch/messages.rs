//! The history of messages about alerts: each with its tries and what came of them.

use kernel::alerts::messages::{LIST_MESSAGES, MessageInfo, MessagePage, TryInfo};
use maud::{Markup, html};
use serde::Deserialize;

use super::alerts::{tabs_of, words as alerts};
use super::{ROWS, WATCHERS};
use crate::alerts::outcome;
use crate::answer::cut;
use crate::console::page::{Page, PageResult};
use crate::console::visit::{Console, View};
use crate::console::words as common;
use crate::params::{PageQuery, QueryOf, given};
use crate::ui::form::link;
use crate::ui::parts::{Column, Holds, Row, badge, empty, pager, table};
use crate::ui::{Text, Tone};

mod words {
    crate::texts! {
        TITLE: "Messages about alerts", "Сообщения об оповещениях", "Messages d’alerte";
        OUTCOME: "Outcome", "Итог", "Résultat";
        SUBJECT: "Subject", "Тема", "Sujet";
        TRIES: "Tries", "Попытки", "Tentatives";
        DONE: "sent", "отправлено", "envoyé";
        REFUSED: "refused", "отказано", "refusé";
        UNKNOWN: "unknown", "неизвестно", "inconnu";
        WAITING: "waiting", "ожидает", "en attente";
        EMPTY: "No message yet", "Сообщений пока нет", "Aucun message pour l’instant";
        EMPTY_HINT: "When an alert opens, a message goes out by the channels; what came of each try stands here.",
            "Когда открывается оповещение, по каналам уходит сообщение; итог каждой попытки будет здесь.",
            "Quand une alerte s’ouvre, un message part par les canaux\u{a0}; le résultat de chaque tentative figure ici.";
    }
}

pub(super) fn pages() -> Vec<Page> {
    vec![Page::new("/console/{ns}/alerts/messages", messages).roles(WATCHERS)]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    after: Option<String>,
    /// This message and older ones.
    from: Option<String>,
}

async fn messages(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    let (after, from) = (given(asked.after), given(asked.from));
    let after_id = console.page(&PageQuery { limit: None, after: after.clone() })?.after_text();
    let from_id = console.page(&PageQuery { limit: None, after: from.clone() })?.after_text();
    // Behind the id itself in the order of texts, and before every other id.
    let place = if after.is_none() && from.is_some() { format!("{from_id}~") } else { after_id };
    let found = console.read(&LIST_MESSAGES, MessagePage { after: place, limit: ROWS + 1 }).await?.out;
    let (found, next) = cut(found, ROWS, |message| message.id.clone());
    let at_start = after.is_none() && from.is_none();
    let content = html! {
        (tabs_of(&console, None).await?)
        div #messages data-live[at_start] { (listed(&console, &found, at_start, next)) }
    };
    let above = [(console.at("alerts"), console.say(&alerts::ALERTS).to_owned())];
    Ok(console.show(View { title: console.say(&words::TITLE), above: &above, actions: html! {}, content }))
}

fn listed(console: &Console, found: &[MessageInfo], at_start: bool, next: Option<String>) -> Markup {
    let address = |after: Option<&str>| link(&console.at("alerts/messages"), &[("after", after)]);
    let next = next.map(|next| address(Some(&next)));
    let first = (!at_start).then(|| address(None));
    html! {
        @if found.is_empty() {
            (empty(console.say(&words::EMPTY), html! { p { (console.say(&words::EMPTY_HINT)) } }))
        } @else { (rows(console, found)) }
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
    }
}

fn rows(console: &Console, found: &[MessageInfo]) -> Markup {
    let columns = [
        Column(console.say(&common::WHEN), Holds::Text),
        Column(console.say(&words::OUTCOME), Holds::Text),
        Column(console.say(&words::SUBJECT), Holds::Text),
        Column(console.say(&common::KIND), Holds::Text),
        Column(console.say(&words::TRIES), Holds::Text),
    ];
    let row = |message: &MessageInfo| {
        let cells = vec![
            console.moment(message.made_at),
            outcome_badge(console, outcome(message)),
            html! {
                details { summary { (message.subject) } pre.data tabindex="0" { (message.text) } span.sub { code.id data-copy=(message.id) { (message.id) } } }
            },
            html! { code { (message.kind) } },
            tries(console, &message.tries),
        ];
        Row::of(cells).key(&message.id)
    };
    table(console.say(&words::TITLE), &columns, &found.iter().map(row).collect::<Vec<_>>())
}

/// The last try tells most; the others are a click away.
fn tries(console: &Console, all: &[TryInfo]) -> Markup {
    let line = |one: &TryInfo| {
        html! {
            div.try {
                (one.number) ". " (outcome_badge(console, &one.outcome)) " " (one.channel) ", " (console.moment(one.at))
                @if !one.reason.is_empty() { span.sub { (one.reason) } }
            }
        }
    };
    html! {
        @if let Some((last, earlier)) = all.split_last() {
            (line(last))
            @if !earlier.is_empty() {
                details { summary { (console.say(&common::SHOW_ALL)) " (" (all.len()) ")" } @for one in earlier { (line(one)) } }
            }
        }
    }
}

fn outcome_badge(console: &Console, word: &str) -> Markup {
    let (tone, text): (Tone, &Text) = match word {
        "done" => (Tone::Good, &words::DONE),
        "refused" => (Tone::Bad, &words::REFUSED),
        "unknown" => (Tone::Warn, &words::UNKNOWN),
        _ => (Tone::Info, &words::WAITING),
    };
    badge(tone, console.say(text))
}
