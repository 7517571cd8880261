//! What the journal says, newest first.

use kernel::journal::search::{Line, SEARCH_JOURNAL, Search};
use maud::{Markup, html};
use web::console::{who, words as common};
use web::ui::form::link;
use web::ui::parts::{badge, card, empty, table};
use web::ui::{Column, Holds, Row, Tone};
use web::{ApiError, Console};

use super::words;

/// Lines that are shown.
const LINES: usize = 10;

/// Lines about a database or a device; with `word` only those that say it.
pub(super) async fn of(console: &Console, subject: &str, word: Option<&str>) -> Result<Markup, ApiError> {
    let wanted = Search {
        kind: Some("exchange.".to_owned()),
        subject: Some(subject.to_owned()),
        words: word.map(str::to_lowercase).into_iter().collect(),
        limit: LINES,
        ..Search::default()
    };
    let lines = console.read(&SEARCH_JOURNAL, wanted).await?.out.lines;
    let page = console.address("/console/{ns}/journal", &[]);
    let all = page.map(|page| link(&page, &[("subject", Some(subject)), ("q", word)]));
    let aside = html! { @if let Some(all) = all { a href=(all) { (console.say(&common::SHOW_ALL)) } } };
    let none = || empty(console.say(&words::NO_PAST), html! { p { (console.say(&words::NO_PAST_HINT)) } });
    let content = if lines.is_empty() { none() } else { rows(console, &lines) };
    Ok(card(console.say(&words::PAST), aside, content))
}

fn rows(console: &Console, lines: &[Line]) -> Markup {
    let columns = [
        Column(console.say(&common::WHEN), Holds::Text),
        Column(console.say(&common::KIND), Holds::Text),
        Column(console.say(&common::WHO), Holds::Text),
        Column(console.say(&common::TEXT), Holds::Text),
    ];
    let row = |line: &Line| {
        let kind = line.kind.strip_prefix("exchange.").unwrap_or(&line.kind);
        Row::of(vec![
            console.moment(line.at),
            badge(tone(kind), kind),
            who(console, &line.caller),
            html! { bdi.text { (line.text) } },
        ])
        .key(&line.id)
    };
    table(console.say(&words::PAST), &columns, &lines.iter().map(row).collect::<Vec<_>>())
}

fn tone(kind: &str) -> Tone {
    match kind {
        "failed" | "ledger" => Tone::Bad,
        "unknown" => Tone::Warn,
        "resumed" | "requeued" => Tone::Good,
        _ => Tone::Quiet,
    }
}
