//! Processes, newest first: those under way, those that wait for a person, those that ended.

use base::codes;
use maud::{Markup, html};
use serde::Deserialize;
use web::console::words as common;
use web::ui::form::{filters, link};
use web::ui::parts::{empty, id_link, pager, table};
use web::ui::{Column, Field, Holds, Kind, Row, Text, Tone};
use web::{ApiError, Console, PageResult, QueryOf, View};

use super::reads::{GIVEN_COUNTS, GivenCount};
use super::{OVERVIEW, PAGE, PROCESSES, above, database_page, moment_of, process_page, state, views, when, words};
use crate::process::{PROCESSES as READ, ProcessState, ProcessView, ProcessesOf};
use crate::routes::check_unbound;

/// What can be asked for: a word, its name, the states.
const STATES: [(&str, &Text, &[ProcessState]); 4] = [
    ("active", &words::UNDER_WAY, &[ProcessState::Started, ProcessState::ReadyToCommit, ProcessState::Cleanup]),
    ("unknown", &words::UNKNOWN_OUTCOME, &[ProcessState::Unknown]),
    ("failed", &words::FAILED, &[ProcessState::Failed]),
    ("ended", &words::ENDED, &[ProcessState::Ended]),
];

/// The column that says whose a process is.
const DATABASE_AT: usize = 1;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    db: String,
    state: String,
    /// Older ones than this.
    after: String,
}

impl Asked {
    /// The states that are asked for; none: all.
    fn states(&self) -> Result<&'static [ProcessState], ApiError> {
        if self.state.is_empty() {
            return Ok(&[]);
        }
        let wrong = || ApiError::refused(codes::ABODY, "query: state is one of active, unknown, failed, ended");
        STATES.iter().find(|(word, ..)| *word == self.state).map(|(.., states)| *states).ok_or_else(wrong)
    }

    fn wanted(&self, state: Option<ProcessState>) -> ProcessesOf {
        let given = |text: &String| web::given(Some(text.clone()));
        ProcessesOf { db: given(&self.db), state, before: given(&self.after), limit: PAGE + 1 }
    }

    fn at(&self, console: &Console, after: Option<&str>) -> String {
        let query = [("db", Some(self.db.as_str())), ("state", Some(&self.state)), ("after", after)];
        link(&console.at(PROCESSES), &query)
    }
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_unbound(&console)?;
    let mut found = found(&console, &asked).await?;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let next = found.last().filter(|_| more).map(|last| asked.at(&console, Some(&last.id)));
    let first = (!asked.after.is_empty()).then(|| asked.at(&console, None));
    let listed = if found.is_empty() { nothing(&console, &asked) } else { rows(&console, &found, Of::All).await? };
    let content = html! {
        (views(&console, PROCESSES))
        (filter(&console, &asked))
        div #processes data-live {
            (listed)
            (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
        }
    };
    let above = above(&console, OVERVIEW, &words::EXCHANGE);
    Ok(console.show(View { title: console.say(&words::PROCESSES), above: &above, actions: html! {}, content }))
}

/// Those in each state, put together newest first.
async fn found(console: &Console, asked: &Asked) -> Result<Vec<ProcessView>, ApiError> {
    let states = asked.states()?;
    if states.is_empty() {
        return Ok(console.read(&READ, asked.wanted(None)).await?.out);
    }
    let mut found = vec![];
    for state in states {
        found.extend(console.read(&READ, asked.wanted(Some(*state))).await?.out);
    }
    found.sort_by(|one, other| other.id.cmp(&one.id));
    Ok(found)
}

fn filter(console: &Console, asked: &Asked) -> Markup {
    let all = (String::new(), console.say(&common::ALL_OF_THEM).to_owned());
    let one = |(word, text, _): &(&str, &Text, &[ProcessState])| ((*word).to_owned(), console.say(text).to_owned());
    let choices = std::iter::once(all).chain(STATES.iter().map(one)).collect();
    let fields = [
        Field::new("state", console.say(&common::STATE), Kind::Text).value(&asked.state).choices(choices),
        Field::new("db", console.say(&words::DATABASE), Kind::Text).value(&asked.db),
    ];
    filters(&console.at(PROCESSES), &fields, console.say(&common::FILTER))
}

fn nothing(console: &Console, asked: &Asked) -> Markup {
    let (title, hint) = match (asked.state.as_str(), asked.db.as_str()) {
        _ if !asked.after.is_empty() => (&words::NONE_HERE, &words::NONE_HERE_HINT),
        // It says so of every database only if none was chosen.
        ("unknown", "") => (&words::NONE_UNKNOWN, &words::NONE_UNKNOWN_HINT),
        ("failed", "") => (&words::NONE_FAILED, &words::NONE_FAILED_HINT),
        ("", "") => (&words::NO_PROCESS, &words::NO_PROCESS_HINT),
        _ => (&words::NO_PROCESS_FITS, &words::NO_PROCESS_FITS_HINT),
    };
    let is_filtered = !asked.state.is_empty() || !asked.db.is_empty();
    let hint = html! {
        p { (console.say(hint)) }
        @if is_filtered { a.button href=(console.at(PROCESSES)) { (console.say(&common::RESET)) } }
    };
    empty(console.say(title), hint)
}

/// Whose processes a list holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Those of all databases.
    All,
    /// Those of one, which the page names.
    One,
}

pub(super) async fn rows(console: &Console, processes: &[ProcessView], of: Of) -> Result<Markup, ApiError> {
    let ids = processes.iter().map(|process| process.id.clone()).collect();
    let counts = console.read(&GIVEN_COUNTS, ids).await?.out;
    let mut columns = vec![
        Column(console.say(&words::PROCESS), Holds::Text),
        Column(console.say(&words::DATABASE), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&words::GIVEN), Holds::Numbers),
        Column(console.say(&words::REPLIES), Holds::Numbers),
        Column(console.say(&words::ERRORS), Holds::Numbers),
        Column(console.say(&words::BEGUN), Holds::Text),
        Column(console.say(&words::OVER), Holds::Text),
    ];
    let mut rows: Vec<_> = processes.iter().zip(counts).map(|(process, count)| row(console, process, count)).collect();
    if of == Of::One {
        columns.remove(DATABASE_AT);
        rows.iter_mut().for_each(|row| drop(row.cells.remove(DATABASE_AT)));
    }
    Ok(table(console.say(&words::PROCESSES), &columns, &rows))
}

fn row(console: &Console, process: &ProcessView, count: GivenCount) -> Row {
    let many = |count: i64| html! { (console.language().number(count)) };
    let over = moment_of(process.ended_at.as_deref());
    let cells = vec![
        id_link(&process_page(console, &process.id), &process.id),
        html! { a href=(database_page(console, &process.db)) { (process.db) } },
        html! { (state::of_process(console, process.state, process.outcome.as_deref())) @if !process.message.is_empty() { span.sub { bdi { (process.message) } } } },
        many(count.given),
        many(count.replies),
        many(count.errors),
        when(console, moment_of(Some(&process.started_at))),
        html! { @if over.is_some() { (when(console, over)) } },
    ];
    let tone = match process.state {
        ProcessState::Failed => Some(Tone::Bad),
        ProcessState::Unknown => Some(Tone::Warn),
        _ => None,
    };
    Row::of(cells).key(&process.id).tone(tone)
}
