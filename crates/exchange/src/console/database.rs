//! One database: its ledger, what it is doing, what it did, and its folders.

use base::Wall;
use maud::{Markup, html};
use web::console::words as common;
use web::ui::form::link;
use web::ui::moment::duration;
use web::ui::parts::{banner, card, empty, facts, id, id_link, table};
use web::ui::{Column, Holds, Row, Text, Tone};
use web::{ApiError, Console, PageResult, PathOf, View};

use super::reads::{Active, COUNTED_MAX, DATABASE, DatabaseLine, FOLDER_COUNTS};
use super::{
    IdPath, OVERVIEW, PROCESSES, above, at_most, folder_page, ledger, nothing, number, past, process_page, processes,
    size, state, when, words,
};
use crate::codes::NPARTY;
use crate::folders::FOLDERS;
use crate::process::{PROCESSES as READ, ProcessState, ProcessesOf};
use crate::routes::check_unbound;
use crate::rules::{Rules, Settings};

/// Processes that are shown.
const LATEST: u32 = 5;

pub(super) async fn page(console: Console, PathOf(IdPath { id }): PathOf<IdPath>) -> PageResult {
    check_unbound(&console)?;
    let above = above(&console, OVERVIEW, &words::EXCHANGE);
    let database = match console.read(&DATABASE, id.clone()).await {
        Ok(database) => database.out,
        Err(ApiError(error)) if error.code == NPARTY => {
            return nothing(&console, &id, &above, &words::NO_SUCH_DATABASE, &words::NO_SUCH_HINT);
        }
        Err(error) => return Err(error),
    };
    let counts = console.read(&FOLDER_COUNTS, database.id.clone()).await?.out;
    let (waits, latest, past) = (
        waits(&console, &database.id).await?,
        latest(&console, &database.id).await?,
        past::of(&console, &database.id, None).await?,
    );
    let content = html! {
        div.stack #database data-live {
            (waits)
            (ledger::whole(&console, &database))
            div.columns { (active(&console, &database)) (folders(&console, &database.id, counts)) }
            div.columns { (statistics(&console, &database)) (about(&console, &database)) }
            (latest)
            (past)
        }
    };
    Ok(console.show(View { title: &database.id, above: &above, actions: html! {}, content }))
}

/// Whether a person is waited for.
async fn waits(console: &Console, db: &str) -> Result<Markup, ApiError> {
    let mut shown = html! {};
    for (state, tone, text) in [
        (ProcessState::Unknown, Tone::Warn, &words::UNKNOWN_HERE),
        (ProcessState::Failed, Tone::Bad, &words::FAILED_HERE),
    ] {
        let wanted = ProcessesOf { db: Some(db.to_owned()), state: Some(state), before: None, limit: 1 };
        if let Some(process) = console.read(&READ, wanted).await?.out.first() {
            let href = process_page(console, &process.id);
            shown = html! { (shown) (banner(tone, html! { p { (console.say(text)) " " a href=(href) { (console.say(&words::LOOK)) } } })) };
        }
    }
    Ok(shown)
}

fn active(console: &Console, database: &DatabaseLine) -> Markup {
    let content = match &database.active {
        None => empty(console.say(&words::AT_REST_TITLE), html! { p { (console.say(&words::AT_REST_HINT)) } }),
        Some(active) => html! {
            (facts(&[
                (console.say(&common::STATE), state::of_process(console, active.state, None)),
                (console.say(&words::FOR_SO_LONG), html! { (duration(console.language(), console.now().0 - active.since.0)) }),
                (console.say(&words::AWAITED), html! { (awaited(console, active)) }),
                (console.say(&words::PROCESS), id_link(&process_page(console, &active.id), &active.id)),
            ]))
        },
    };
    card(console.say(&words::ACTIVE_PROCESS), html! {}, content)
}

fn awaited(console: &Console, active: &Active) -> Markup {
    let rules = console.kernel().common::<Rules>().get();
    await_text(console, active.state, active.since, rules)
}

/// What a process waits for, and when that is given up.
pub(super) fn await_text(console: &Console, state: ProcessState, since: Wall, rules: Settings) -> Markup {
    let (text, limit_ms): (&Text, Option<i64>) = match state {
        ProcessState::Started => (&words::AWAITS_RESULTS, Some(rules.started_ms)),
        ProcessState::ReadyToCommit => (&words::AWAITS_COMMIT, Some(rules.ready_ms)),
        ProcessState::Cleanup => (&words::AWAITS_FILES, None),
        ProcessState::Failed => (&words::AWAITS_RETRY, None),
        ProcessState::Unknown => (&words::AWAITS_ANSWER, None),
        ProcessState::Ended => (&words::AWAITS_NOTHING, None),
    };
    html! {
        (console.say(text))
        @if let Some(ms) = limit_ms { " " (console.say(&words::GIVEN_UP)) " " (console.moment(since.plus_ms(ms))) }
    }
}

fn folders(console: &Console, db: &str, counts: [i64; 5]) -> Markup {
    let columns =
        [Column(console.say(&words::FOLDER), Holds::Text), Column(console.say(&words::MESSAGES), Holds::Numbers)];
    let row = |((_, folder), count): (&(&str, &str), i64)| {
        let many = if count >= COUNTED_MAX { at_most(console, count) } else { console.language().number(count) };
        Row::of(vec![html! { a href=(folder_page(console, db, folder, None)) { (folder) } }, html! { (many) }])
            .key(*folder)
    };
    let rows: Vec<_> = FOLDERS.iter().zip(counts).map(row).collect();
    card(console.say(&words::FOLDERS), html! {}, table(console.say(&words::FOLDERS), &columns, &rows))
}

fn statistics(console: &Console, database: &DatabaseLine) -> Markup {
    let facts = facts(&[
        (console.say(&words::SENT), number(console, database.sent)),
        (console.say(&words::BYTES), html! { (size(console, database.bytes)) }),
        (console.say(&words::PROCESSED_N), number(console, database.processed)),
        (console.say(&words::ERRORS), number(console, database.errors)),
        (console.say(&words::DEADLOCKS), number(console, database.deadlocks)),
    ]);
    card(console.say(&words::STATISTICS), html! {}, facts)
}

fn about(console: &Console, database: &DatabaseLine) -> Markup {
    let keys = console.address("/console/{ns}/keys", &[]).map(|page| link(&page, &[("id", Some(&database.key))]));
    let key = html! { @match keys { Some(href) => (id_link(&href, &database.key)), None => (id(&database.key)) } };
    let facts = facts(&[
        (console.say(&words::DBID), id(&database.id)),
        (console.say(&words::COMPANY), html! { (database.company) }),
        (console.say(&words::KEY), key),
        (console.say(&words::LAST_CONTACT), when(console, database.contact_at)),
        (console.say(&words::REGISTERED), when(console, Some(database.created_at))),
    ]);
    card(console.say(&words::DATABASE), html! {}, facts)
}

async fn latest(console: &Console, db: &str) -> Result<Markup, ApiError> {
    let wanted = ProcessesOf { db: Some(db.to_owned()), state: None, before: None, limit: LATEST };
    let found = console.read(&READ, wanted).await?.out;
    let all = link(&console.at(PROCESSES), &[("db", Some(db))]);
    let aside = html! { a href=(all) { (console.say(&common::SHOW_ALL)) } };
    let none = || empty(console.say(&words::NO_PROCESS), html! { p { (console.say(&words::NO_PROCESS_HINT)) } });
    let content = if found.is_empty() { none() } else { processes::rows(console, &found, processes::Of::One).await? };
    Ok(card(console.say(&words::LATEST_PROCESSES), aside, content))
}
