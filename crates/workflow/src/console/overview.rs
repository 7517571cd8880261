//! The workflow at a glance: what needs a person first, then how much there is, how it went, who is silent and which jobs run.

use kernel::counters::rates::{Point, RATES, RatesPage, Span};
use maud::{Markup, html};
use web::console::{rates_chart, words as common};
use web::ui::parts::{banner, card, empty, stats};
use web::ui::{Stat, Text, Tone};
use web::{ApiError, Console, PageResult, View};

use super::actors::Offers;
use super::reads::{TOTALS, Totals};
use super::{ACTORS, BROKEN, JOBS, OVERVIEW, actor_link, actors, at_most, jobs, of_state, views, words};
use crate::actors::{GLANCE, Glance};
use crate::engine::{ACTORS as TASKS_COUNTED, TYPES as PROCESSES_COUNTED};
use crate::jobs::{JOBS as READ_JOBS, JobView, JobsOf};
use crate::routes::check_service;

/// Jobs that are looked at: those that run are among the newest.
const JOBS_SEEN: u32 = 50;
/// Actors that are shown.
const ACTORS_SHOWN: usize = 10;

/// All that the page shows.
struct Seen {
    totals: Totals,
    actors: Glance,
    jobs: Vec<JobView>,
    /// Finished and broken in a day.
    day: (i64, i64),
}

pub(super) async fn page(console: Console) -> PageResult {
    check_service(&console)?;
    let seen = seen(&console).await?;
    let is_new =
        seen.totals.active == 0 && seen.totals.broken == 0 && seen.day == (0, 0) && seen.actors.actors.is_empty();
    let content = html! {
        (views(&console, OVERVIEW))
        div.stack #workflow data-live {
            @if is_new { (begin(&console)) } @else { (attention(&console, &seen)) }
            (numbers(&console, &seen))
            (charts(&console))
            @if !seen.jobs.is_empty() { (card(console.say(&words::JOBS_UNDER_WAY), html! { a href=(console.at(JOBS)) { (console.say(&common::SHOW_ALL)) } }, jobs::rows(&console, &seen.jobs))) }
            @if !seen.actors.actors.is_empty() { (longest(&console, &seen.actors)) }
        }
    };
    Ok(console.show(View { title: console.say(&words::WORKFLOW), above: &[], actions: html! {}, content }))
}

async fn seen(console: &Console) -> Result<Seen, ApiError> {
    let totals = console.read(&TOTALS, ()).await?.out;
    let actors = console.read(&GLANCE, ACTORS_SHOWN).await?.out;
    let mut jobs = console.read(&READ_JOBS, JobsOf { before: None, limit: JOBS_SEEN }).await?.out;
    jobs.retain(|job| ["RUNNING", "PAUSED"].contains(&job.state.as_str()));
    let page = RatesPage { kind: PROCESSES_COUNTED.to_owned(), span: Span::Day, now: console.now() };
    let points = console.read(&RATES, page).await?.out.points;
    let sum = |of: fn(&Point) -> i64| points.iter().map(of).sum();
    Ok(Seen { totals, actors, jobs, day: (sum(|point| point.processed), sum(|point| point.errors)) })
}

/// What there is before the first process.
fn begin(console: &Console) -> Markup {
    let body = r#"{"type": "order", "custom_id": "order-17", "start": {"actor": "order#1", "method": "begin"}}"#;
    let start = console.curl("POST", "workflow/processes", body);
    let hint = html! { p { (console.say(&words::BEGIN_HINT)) } (console.terminal(&[start])) };
    empty(console.say(&words::NO_PROCESS), hint)
}

/// What waits for a person, the worst first.
fn attention(console: &Console, seen: &Seen) -> Markup {
    let shown = |tone, text: String, href: String| {
        banner(tone, html! { p { (text) " " a href=(href) { (console.say(&words::LOOK)) } } })
    };
    let alone = &seen.actors.alone;
    let is_well = seen.totals.broken == 0 && alone.is_empty();
    html! {
        @if seen.totals.broken > 0 {
            (shown(Tone::Bad, console.fill(&words::BROKEN_BANNER, &[("n", &at_most(console, seen.totals.broken))]), console.at(BROKEN)))
        }
        @if !alone.is_empty() {
            (banner(Tone::Warn, html! {
                p { (console.say(&words::ALONE_BANNER)) " " span.words { @for actor in alone.iter().take(ACTORS_SHOWN) { (actor_link(console, actor)) } @if alone.len() > ACTORS_SHOWN { a href=(console.at(ACTORS)) { (console.say(&common::SHOW_ALL)) } } } }
            }))
        }
        @if is_well { (banner(Tone::Good, html! { p { b { (console.say(&words::ALL_WELL)) } " " (console.say(&words::ALL_WELL_HINT)) } })) }
    }
}

fn numbers(console: &Console, seen: &Seen) -> Markup {
    let tile = |label: &Text, value: String, hint: Markup, tone, href: Option<String>| Stat {
        label: console.say(label).to_owned(),
        value,
        hint,
        tone,
        href,
    };
    let totals = seen.totals;
    let whole = |count: i64| console.language().number(count);
    let if_any = |count: i64, tone| if count > 0 { tone } else { Tone::Quiet };
    let running = i64::try_from(seen.jobs.len()).unwrap_or(i64::MAX);
    let oldest = html! { @if let Some(ms) = seen.actors.oldest_waiting_ms { (console.fill(&words::OLDEST_N, &[("time", &web::ui::moment::duration(console.language(), ms))])) } };
    stats(&[
        tile(
            &words::ACTIVE_PROCESSES,
            at_most(console, totals.active),
            html! {},
            if_any(totals.active, Tone::Info),
            Some(of_state(console, "ACTIVE")),
        ),
        tile(
            &words::BROKEN_PROCESSES,
            at_most(console, totals.broken),
            html! {},
            if totals.broken > 0 { Tone::Bad } else { Tone::Good },
            Some(console.at(BROKEN)),
        ),
        tile(&words::FINISHED_DAY, whole(seen.day.0), html! {}, Tone::Quiet, Some(of_state(console, "FINISHED"))),
        tile(&words::WAITING_TASKS, at_most(console, totals.waiting), oldest, Tone::Quiet, Some(console.at(ACTORS))),
        tile(&words::RUNNING_JOBS, whole(running), html! {}, if_any(running, Tone::Info), Some(console.at(JOBS))),
    ])
}

/// How it went in the last ten minutes.
fn charts(console: &Console) -> Markup {
    let counters = &console.namespace().watched.counters;
    let (processes, tasks) =
        (counters.rates(PROCESSES_COUNTED, console.now()), counters.rates(TASKS_COUNTED, console.now()));
    let content = html! {
        div.columns {
            (rates_chart(console, &words::PROCESSES, &[processes], (&words::FINISHED, &words::BROKEN)))
            (rates_chart(console, &words::TASKS, &[tasks], (&words::TASK_DONE, &words::ERRORS)))
        }
    };
    card(console.say(&words::RATES), html! {}, content)
}

/// Actors whose work waits longest, those that nobody plays first.
fn longest(console: &Console, actors: &Glance) -> Markup {
    let aside = html! { a href=(console.at(ACTORS)) { (console.say(&common::SHOW_ALL)) } };
    card(console.say(&words::ACTORS), aside, actors::rows(console, &actors.actors, Offers::Nothing))
}
