//! What happened to a process beyond the usual, newest first, with whose doing it was (WFL-19).

use maud::{Markup, html};
use web::Console;
use web::console::{who, words as common};
use web::ui::parts::{badge, card, empty, table};
use web::ui::{Column, Holds, Row, Text, Tone};

use super::{job_page, moment_of, task_page, when, words};
use crate::names::TaskId;
use crate::process::HistoryView;

/// Lines that are shown.
const LINES: usize = 50;

pub(super) fn card_of(console: &Console, process: &str, history: &[HistoryView]) -> Markup {
    let none = || empty(console.say(&words::NO_PAST), html! { p { (console.say(&words::NO_PAST_HINT)) } });
    let content = html! {
        @if history.is_empty() { (none()) } @else { (rows(console, process, history.iter().take(LINES))) }
        @if history.len() > LINES { p.hint.after-table { (console.fill(&words::FIRST_N, &[("n", &LINES)])) } }
    };
    card(console.say(&words::PAST), html! {}, content)
}

/// Lines of a table.
pub(super) fn rows<'a>(console: &Console, process: &str, lines: impl Iterator<Item = &'a HistoryView>) -> Markup {
    let columns = [
        Column(console.say(&common::WHEN), Holds::Text),
        Column(console.say(&common::KIND), Holds::Text),
        Column(console.say(&words::TASK), Holds::Text),
        Column(console.say(&words::SOURCE), Holds::Text),
        Column(console.say(&common::TEXT), Holds::Text),
    ];
    let rows: Vec<Row> = lines.map(|line| row(console, process, line)).collect();
    table(console.say(&words::PAST), &columns, &rows)
}

fn row(console: &Console, process: &str, line: &HistoryView) -> Row {
    let number = line.task_id.as_deref().and_then(|task| task.parse::<TaskId>().ok()).map(|task| task.number);
    let task = html! {
        @if let Some(number) = number { a href=(task_page(console, process, number)) { (number) } }
        @if let Some(attempt) = line.attempt { span.sub { (console.fill(&words::ATTEMPT_N, &[("n", &attempt)])) } }
    };
    Row::of(vec![
        when(console, moment_of(Some(&line.at))),
        kind(console, &line.kind),
        task,
        source(console, &line.source),
        html! { bdi.text { (line.text) } },
    ])
}

/// Whose doing: the server's own, a job's, or somebody's.
fn source(console: &Console, source: &str) -> Markup {
    if source == crate::engine::AUTOMATIC {
        return html! { (console.say(&words::BY_ITSELF)) };
    }
    match source.strip_prefix("operator job ").and_then(|number| number.parse::<i64>().ok()) {
        Some(number) => {
            html! { a href=(job_page(console, number)) { (console.fill(&words::JOB_N, &[("n", &number)])) } }
        }
        None => who(console, source),
    }
}

/// What can happen, in a word and a colour.
const KINDS: [(&str, &Text, Tone); 11] = [
    ("failed", &words::P_FAILED, Tone::Bad),
    ("inconsistent", &words::P_INCONSISTENT, Tone::Bad),
    ("late", &words::P_LATE, Tone::Warn),
    ("work-timeout", &words::P_WORK_TIMEOUT, Tone::Warn),
    ("task-timeout", &words::P_TASK_TIMEOUT, Tone::Warn),
    ("aborted", &words::ABORTED, Tone::Warn),
    ("restarted", &words::P_RESTARTED, Tone::Info),
    ("retried", &words::P_RETRIED, Tone::Info),
    ("requeued", &words::P_REQUEUED, Tone::Good),
    ("applied", &words::P_APPLIED, Tone::Good),
    ("rebuilt", &words::P_REBUILT, Tone::Good),
];

fn kind(console: &Console, kind: &str) -> Markup {
    let known = KINDS.iter().find(|(word, ..)| *word == kind);
    known.map_or_else(|| badge(Tone::Quiet, kind), |(_, text, tone)| badge(*tone, console.say(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recovery::mend::Change;

    #[test]
    fn con_1_wfl_19_what_recovery_did_has_a_word_in_every_language() {
        let all = [
            Change::Applied,
            Change::TakenIn,
            Change::BrokenOff,
            Change::Promised(1),
            Change::BrokenAgain,
            Change::Again,
            Change::WaitsAgain,
            Change::StartAgain,
            Change::Missing,
        ];
        for kind in all.map(|change| change.words().0) {
            assert!(KINDS.iter().any(|(known, ..)| *known == kind), "{kind}");
        }
    }
}
