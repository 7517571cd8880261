//! Signals that were none, with the reason and what came.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::link;
use web::ui::parts::{data, empty, pager, table};
use web::ui::{Column, Holds, Row};
use web::{Console, PageResult, QueryOf, View};

use super::{MAP, NOT_ACCEPTED, PAGE, above, views, when, words};
use crate::routes::check_unbound;
use crate::sensor::{REJECTED_SIGNALS, RejectedOf, RejectedView};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    /// Only those with lower numbers.
    after: Option<i64>,
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_unbound(&console)?;
    let wanted = RejectedOf { before: asked.after, limit: PAGE + 1 };
    let mut found = console.read(&REJECTED_SIGNALS, wanted).await?.out;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let at = |number: i64| link(&console.at(NOT_ACCEPTED), &[("after", Some(&number.to_string()))]);
    let next = found.last().filter(|_| more).map(|last| at(last.number));
    let first = asked.after.map(|_| console.at(NOT_ACCEPTED));
    let content = html! {
        (views(&console, NOT_ACCEPTED, false))
        p.hint { (console.say(&words::REJECTED_LEAD)) }
        div #rejected data-live {
            @if found.is_empty() { (empty(console.say(&words::NO_REJECTED), html! { p { (console.say(&words::NO_REJECTED_HINT)) } })) }
            @else { (rows(&console, &found)) }
            (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
        }
    };
    let (title, above) = (console.say(&words::REJECTED_SIGNALS), above(&console, MAP, &words::SENSORS));
    Ok(console.show(View { title, above: &above, actions: html! {}, content }))
}

fn rows(console: &Console, signals: &[RejectedView]) -> Markup {
    let columns = [
        Column("№", Holds::Numbers),
        Column(console.say(&common::WHEN), Holds::Text),
        Column(console.say(&words::SOURCE), Holds::Text),
        Column(console.say(&words::REASON), Holds::Text),
        Column(console.say(&words::WHAT_CAME), Holds::Text),
    ];
    let row = |signal: &RejectedView| {
        Row::of(vec![
            html! { (console.language().number(signal.number)) },
            when(console, Some(&signal.at)),
            html! { (signal.source) },
            html! { bdi.text { (signal.reason) } },
            data(&signal.body),
        ])
        .key(signal.number.to_string())
    };
    let rows: Vec<_> = signals.iter().map(row).collect();
    table(console.say(&words::REJECTED_SIGNALS), &columns, &rows)
}
