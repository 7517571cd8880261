//! What the journal says of a task, newest first.

use base::Wall;
use kernel::journal::search::{Found, Line, SEARCH_JOURNAL, Search};
use maud::{Markup, html};

use super::super::visit::Console;
use super::super::who::who;
use super::super::words as common;
use super::words;
use crate::error::ApiError;
use crate::ui::form::link;
use crate::ui::parts::{card, table};
use crate::ui::{Column, Holds, Row};

/// Lines that are shown.
const LINES: usize = 20;

/// The lines about a subject, not from before it was there. The search itself is bounded.
pub(super) async fn lines(console: &Console, subject: &str, from: Option<Wall>) -> Result<Found, ApiError> {
    let search = Search { from, subject: Some(subject.to_owned()), limit: LINES, ..Search::default() };
    Ok(console.read(&SEARCH_JOURNAL, search).await?.out)
}

pub(super) fn shown(console: &Console, subject: &str, found: &Found) -> Markup {
    let all = link(&console.at("journal"), &[("subject", Some(subject))]);
    let aside = html! { @if found.next.is_some() { a href=(all) { (console.say(&words::ALL_HISTORY)) } } };
    let content = html! {
        @if found.lines.is_empty() { p.hint { (console.say(&words::NO_HISTORY)) } } @else { (rows(console, found)) }
    };
    card(console.say(&words::HISTORY), aside, content)
}

fn rows(console: &Console, found: &Found) -> Markup {
    let columns = [
        Column(console.say(&common::WHEN), Holds::Text),
        Column(console.say(&common::KIND), Holds::Text),
        Column(console.say(&common::WHO), Holds::Text),
        Column(console.say(&common::TEXT), Holds::Text),
    ];
    let row = |line: &Line| {
        let cells = [
            console.moment(line.at),
            html! { code { (line.kind) } },
            who(console, &line.caller),
            html! { (line.text) },
        ];
        Row::of(cells.into()).key(line.id.clone())
    };
    let rows: Vec<Row> = found.lines.iter().map(row).collect();
    table(console.say(&words::HISTORY), &columns, &rows)
}
