//! Counters (CON-8, KER-29): who sends, who fails, when each was last seen.

use kernel::counters::list::{CounterInfo, CounterPage, LIST_COUNTERS};
use maud::{Markup, html};
use serde::Deserialize;

use super::{ROWS, WATCHERS};
use crate::answer::cut;
use crate::console::nav::{Group, Nav};
use crate::console::page::{Page, PageResult};
use crate::console::visit::{Console, View};
use crate::console::words as common;
use crate::counters::SEPARATOR;
use crate::params::{QueryOf, given};
use crate::ui::form::{filters, link};
use crate::ui::parts::{Column, Holds, Row, empty, pager, table};
use crate::ui::{Field, Kind, Text, Tone};

mod words {
    crate::texts! {
        COUNTERS: "Counters", "Счётчики", "Compteurs";
        SENT: "Sent", "Отправлено", "Envoyés";
        PROCESSED: "Processed", "Обработано", "Traités";
        ERRORS: "Errors", "Ошибки", "Erreurs";
        DEADLOCKS: "Deadlocks", "Взаимные блокировки", "Interblocages";
        RETRIES: "Retries", "Повторы", "Reprises";
        LAST_SEEN: "Last seen", "Последнее обращение", "Vu pour la dernière fois";
        EMPTY: "Nothing was counted", "Ничего не посчитано", "Rien n’a été compté";
        EMPTY_HINT: "Counters appear with the first operation, a second later at most. With a filter: the name must be whole.",
            "Счётчики появляются с первой операцией, не позже чем через секунду. Для отбора имя нужно целиком.",
            "Les compteurs apparaissent avec la première opération, au plus une seconde après. Pour filtrer, le nom doit être entier.";
        HINT: "Summed over all nodes, at most a second old.", "Сумма по всем узлам, с задержкой не больше секунды.",
            "Somme de tous les nœuds, vieille d’une seconde au plus.";
    }
}

const ICON: &str = "M1 13h14v2H1zM2 8h2v4H2zM6 5h2v7H6zM10 9h2v3h-2zM13 2h2v10h-2z";

pub(super) fn pages() -> Vec<Page> {
    let nav = Nav { group: Group::Watch, place: 30, text: &words::COUNTERS, icon: ICON };
    vec![Page::new("/console/{ns}/counters", counters).roles(WATCHERS).nav(nav)]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    kind: Option<String>,
    name: Option<String>,
    after: Option<String>,
}

async fn counters(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    let asked = Asked { kind: given(asked.kind), name: given(asked.name), after: given(asked.after) };
    let after = asked.after.clone().unwrap_or_default();
    let (kind, name) = after.split_once(SEPARATOR).unwrap_or((&after, ""));
    let input = CounterPage {
        after: (kind.to_owned(), name.to_owned()),
        limit: ROWS + 1,
        kind: asked.kind.clone(),
        name: asked.name.clone(),
    };
    let found = console.read(&LIST_COUNTERS, input).await?.out;
    let cursor = |counter: &CounterInfo| format!("{}{SEPARATOR}{}", counter.kind, counter.name);
    let (found, next) = cut(found, ROWS, cursor);
    let content = html! {
        (form(&console, &asked))
        p.hint { (console.say(&words::HINT)) }
        div #counters data-live { (listed(&console, &asked, &found, next)) }
    };
    Ok(console.show(View { title: console.say(&words::COUNTERS), above: &[], actions: html! {}, content }))
}

fn form(console: &Console, asked: &Asked) -> Markup {
    let text = |name: &'static str, label: &Text, value: &Option<String>| {
        Field::new(name, console.say(label), Kind::Text).value(value.clone().unwrap_or_default())
    };
    let fields = [text("kind", &common::KIND, &asked.kind), text("name", &common::NAME, &asked.name)];
    filters(&console.at("counters"), &fields, console.say(&common::FILTER))
}

fn listed(console: &Console, asked: &Asked, found: &[CounterInfo], next: Option<String>) -> Markup {
    let address = |after: Option<&str>| {
        let query = [("kind", asked.kind.as_deref()), ("name", asked.name.as_deref()), ("after", after)];
        link(&console.at("counters"), &query)
    };
    let first = asked.after.is_some().then(|| address(None));
    let next = next.map(|next| address(Some(&next)));
    html! {
        @if found.is_empty() {
            (empty(console.say(&words::EMPTY), html! { p { (console.say(&words::EMPTY_HINT)) } }))
        } @else { (rows(console, found)) }
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
    }
}

fn rows(console: &Console, found: &[CounterInfo]) -> Markup {
    let number = |text: &Text| Column(console.say(text), Holds::Numbers);
    let columns = [
        Column(console.say(&common::NAME), Holds::Text),
        Column(console.say(&common::KIND), Holds::Text),
        number(&words::SENT),
        number(&words::PROCESSED),
        number(&words::ERRORS),
        number(&words::DEADLOCKS),
        number(&words::RETRIES),
        Column(console.say(&words::LAST_SEEN), Holds::Text),
    ];
    let count = |count: i64| html! { (console.language().number(count)) };
    let row = |one: &CounterInfo| {
        let of_kind = link(&console.at("counters"), &[("kind", Some(&one.kind))]);
        let cells = vec![
            html! { code { (one.name) } },
            html! { a href=(of_kind) { (one.kind) } },
            count(one.sent),
            count(one.processed),
            count(one.errors),
            count(one.deadlocks),
            count(one.retries),
            console.moment(one.last_seen),
        ];
        Row::of(cells).key(format!("{} {}", one.kind, one.name)).tone((one.errors > 0).then_some(Tone::Warn))
    };
    table(console.say(&words::COUNTERS), &columns, &found.iter().map(row).collect::<Vec<_>>())
}
