//! Jobs of operators, newest first, each with how far it is.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::{who, words as common};
use web::ui::form::link;
use web::ui::parts::{badge, empty, pager, progress, table};
use web::ui::{Column, Holds, Row, Tone};
use web::{Console, PageResult, QueryOf, View};

use super::search::Asked as Looked;
use super::{JOBS, OVERVIEW, PAGE, above, job_forms, job_page, moment_of, number, state, views, when, words};
use crate::jobs::{JOBS as READ, JobView, JobsOf};
use crate::routes::check_service;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    /// Older ones than this.
    after: Option<i64>,
}

pub(super) async fn page(console: Console, QueryOf(asked): QueryOf<Asked>) -> PageResult {
    check_service(&console)?;
    let mut found = console.read(&READ, JobsOf { before: asked.after, limit: PAGE + 1 }).await?.out;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let at = |after: &str| link(&console.at(JOBS), &[("after", Some(after))]);
    let next = found.last().filter(|_| more).map(|last| at(&last.job.to_string()));
    let content = html! {
        (views(&console, JOBS))
        div #jobs data-live {
            @if found.is_empty() { (empty(console.say(&words::NO_JOB), html! { p { (console.say(&words::NO_JOB_HINT)) } })) } @else { (rows(&console, &found)) }
            (pager((console.say(&common::FIRST_PAGE), asked.after.map(|_| console.at(JOBS))), (console.say(&common::NEXT_PAGE), next)))
        }
    };
    let above = above(&console, OVERVIEW, &words::WORKFLOW);
    Ok(console.show(View { title: console.say(&words::JOBS), above: &above, actions: html! {}, content }))
}

/// Jobs as lines of a table.
pub(super) fn rows(console: &Console, jobs: &[JobView]) -> Markup {
    let columns = [
        Column(console.say(&words::JOB), Holds::Text),
        Column(console.say(&common::STATE), Holds::Text),
        Column(console.say(&words::PROGRESS), Holds::Text),
        Column(console.say(&words::FOUND), Holds::Numbers),
        Column(console.say(&words::CHANGED), Holds::Numbers),
        Column(console.say(&words::FAILED), Holds::Numbers),
        Column(console.say(&common::CREATED), Holds::Text),
    ];
    let row = |job: &JobView| {
        Row::of(vec![
            html! { a href=(job_page(console, job.job)) { (title(console, job)) } span.sub { (found_by(console, job)) } },
            html! { (state::of_job(console, &job.state)) (dry(console, job)) },
            bar(console, job),
            number(console, job.found),
            number(console, job.repaired),
            number(console, job.failed),
            html! { (when(console, moment_of(Some(&job.created_at)))) span.sub { (who(console, &job.created_by)) } },
        ])
        .key(job.job.to_string())
        .tone((job.failed > 0).then_some(Tone::Warn))
    };
    table(console.say(&words::JOBS), &columns, &jobs.iter().map(row).collect::<Vec<_>>())
}

/// `Job 17: restart`.
pub(super) fn title(console: &Console, job: &JobView) -> String {
    let action = serde_json::to_value(job.wish.action).unwrap_or_default();
    let action = job_forms::action(console, action.as_str().unwrap_or_default());
    format!("{}: {action}", console.fill(&words::JOB_N, &[("n", &job.job)]))
}

/// Nothing is changed by it.
pub(super) fn dry(console: &Console, job: &JobView) -> Markup {
    html! { @if job.wish.dry_run { " " (badge(Tone::Quiet, console.say(&words::DRY_RUN))) } }
}

/// With which processes, in words.
pub(super) fn found_by(console: &Console, job: &JobView) -> String {
    let mut parts = vec![];
    let searched = Looked::of(&job.wish.search).words(console);
    parts.extend((!searched.is_empty()).then_some(searched));
    if let Some(by) = &job.wish.search.broken {
        let named = [&by.starter, &by.actor, &by.error_class].into_iter().flatten().find(|name| !name.is_empty());
        parts.push(console.fill(&words::BROKEN_BY, &[("name", &named.map_or("", String::as_str))]).trim().to_owned());
    }
    parts.extend(job.wish.types.iter().take(10).map(|one| one.kind.clone()));
    if parts.is_empty() { console.say(&words::WITH_ALL).to_owned() } else { parts.join(", ") }
}

/// How far it is.
pub(super) fn bar(console: &Console, job: &JobView) -> Markup {
    let tone = match job.state.as_str() {
        "DONE" => Tone::Good,
        "CANCELLED" => Tone::Quiet,
        _ => Tone::Info,
    };
    let percent = u64::try_from(job.percent).unwrap_or(0);
    let words = html! {
        @match (job.state.as_str(), job.waits_for, job.remaining) {
            ("RUNNING", Some(other), _) => (console.fill(&words::WAITS_FOR_JOB, &[("n", &other)])),
            ("RUNNING" | "PAUSED", None, Some(rest)) => (console.fill(&words::ABOUT_N_REMAIN, &[("n", &console.language().number(rest))])),
            _ => {}
        }
    };
    progress(tone, &title(console, job), (percent, 100), words)
}
