//! One job: how far it is, what it did with each process, and how it is paused, slowed down or ended.

use maud::{Markup, html};
use serde::Deserialize;
use web::console::{who, words as common};
use web::ui::form::link;
use web::ui::parts::{badge, banner, card, empty, facts, id_link, pager, stats, table};
use web::ui::{Column, Field, Form, Holds, Kind, Row, Stat, Text, Tone};
use web::{ApiError, Console, PageResult, PathOf, QueryOf, View};

use super::jobs::{bar, dry, found_by, title};
use super::{IdPath, JOBS, PAGE, above, job_page, moment_of, nothing, process_page, state, when, words};
use crate::codes::NFLOWJOB;
use crate::jobs::{JOB, JOB_RESULTS, JobResult, JobView, ResultsOf};
use crate::routes::check_service;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Asked {
    /// Behind this result.
    after: i64,
}

pub(super) async fn page(
    console: Console,
    PathOf(IdPath { id }): PathOf<IdPath>,
    QueryOf(asked): QueryOf<Asked>,
) -> PageResult {
    check_service(&console)?;
    let above = above(&console, JOBS, &words::JOBS);
    let absent = || nothing(&console, &id, &above, &words::NO_SUCH_JOB, &words::NO_SUCH_JOB_HINT);
    let Ok(number) = id.parse::<i64>() else { return absent() };
    let job = match console.read(&JOB, number).await {
        Ok(job) => job.out,
        Err(ApiError(error)) if error.code == NFLOWJOB => return absent(),
        Err(error) => return Err(error),
    };
    let results = results(&console, &job, asked.after).await?;
    let content = html! {
        div.stack #job data-live {
            @if job.wish.dry_run { (banner(Tone::Info, html! { p { (console.say(&words::DRY_RUN_BANNER)) } })) }
            (card(console.say(&words::PROGRESS), html! {}, html! { (bar(&console, &job)) (numbers(&console, &job)) }))
            (about(&console, &job))
            (results)
        }
    };
    let actions = html! { div.page-actions #job-actions data-live { (actions(&console, &job)) } };
    Ok(console.show(View { title: &title(&console, &job), above: &above, actions, content }))
}

fn numbers(console: &Console, job: &JobView) -> Markup {
    let tile = |label: &Text, count: i64, tone| Stat {
        label: console.say(label).to_owned(),
        value: console.language().number(count),
        hint: html! {},
        tone,
        href: None,
    };
    let changed = if job.wish.dry_run { &words::WOULD_CHANGE } else { &words::CHANGED };
    let failed = if job.failed > 0 { Tone::Warn } else { Tone::Quiet };
    html! {
        div.job-numbers {
            (stats(&[
                tile(&words::EXAMINED, job.examined, Tone::Quiet),
                tile(&words::FOUND, job.found, Tone::Quiet),
                tile(changed, job.repaired, Tone::Info),
                tile(&words::SKIPPED, job.skipped, Tone::Quiet),
                tile(&words::FAILED, job.failed, failed),
            ]))
        }
    }
}

fn about(console: &Console, job: &JobView) -> Markup {
    let mut all = vec![
        (
            console.say(&common::STATE),
            html! { span #state { (state::of_job(console, &job.state)) } (dry(console, job)) },
        ),
        (console.say(&words::WITH_WHICH), html! { bdi { (found_by(console, job)) } }),
        (console.say(&words::RATE), html! { (console.fill(&words::N_A_SECOND, &[("n", &job.rate)])) }),
        (console.say(&words::PRIORITY), html! { (job.priority) }),
        (
            console.say(&common::CREATED),
            html! { (when(console, moment_of(Some(&job.created_at)))) ", " (who(console, &job.created_by)) },
        ),
    ];
    if job.ended_at.is_some() {
        all.push((console.say(&words::ENDED_AT), when(console, moment_of(job.ended_at.as_deref()))));
    }
    card(console.say(&words::JOB), html! {}, facts(&all))
}

fn actions(console: &Console, job: &JobView) -> Markup {
    let number = job.job.to_string();
    let of = |label: &str, text: &Text| console.form(label, text).with("id", &number);
    let cancel = || {
        of("POST /v1/{ns}/workflow/jobs/{id}/cancel", &words::CANCEL_JOB)
            .tone(Tone::Bad)
            .confirm(console.say(&words::CANCEL_JOB_SURE))
    };
    html! {
        @match job.state.as_str() {
            "RUNNING" => { (pace(console, job)) (of("POST /v1/{ns}/workflow/jobs/{id}/pause", &words::PAUSE)) (cancel()) }
            "PAUSED" => { (pace(console, job)) (of("POST /v1/{ns}/workflow/jobs/{id}/resume", &words::RESUME).tone(Tone::Good)) (cancel()) }
            _ => {}
        }
    }
}

fn pace(console: &Console, job: &JobView) -> Form {
    console
        .form("PATCH /v1/{ns}/workflow/jobs/{id}", &common::SAVE)
        .with("id", &job.job.to_string())
        .field(
            Field::new("rate", console.say(&words::RATE), Kind::Number)
                .value(job.rate.to_string())
                .hint(console.say(&words::RATE_HINT)),
        )
        .field(
            Field::new("priority", console.say(&words::PRIORITY), Kind::Number)
                .value(job.priority.to_string())
                .hint(console.say(&words::PRIORITY_HINT)),
        )
        .in_dialog(console.say(&words::PACE))
}

async fn results(console: &Console, job: &JobView, after: i64) -> Result<Markup, ApiError> {
    let found = console.read(&JOB_RESULTS, ResultsOf { job: job.job, after, limit: PAGE }).await?.out;
    let page = job_page(console, job.job);
    let next = found.next.map(|next| link(&page, &[("after", Some(&next.to_string()))]));
    let first = (after > 0).then(|| page.clone());
    let none = || empty(console.say(&words::NO_RESULTS), html! { p { (console.say(&words::NO_RESULTS_HINT)) } });
    let content = html! {
        @if found.results.is_empty() { (none()) } @else { (rows(console, &found.results)) }
        (pager((console.say(&common::FIRST_PAGE), first), (console.say(&common::NEXT_PAGE), next)))
    };
    Ok(card(console.say(&words::RESULTS), html! {}, content))
}

fn rows(console: &Console, results: &[JobResult]) -> Markup {
    let columns = [
        Column(console.say(&words::PROCESS), Holds::Text),
        Column(console.say(&words::OUTCOME), Holds::Text),
        Column(console.say(&common::TEXT), Holds::Text),
    ];
    let row = |result: &JobResult| {
        let (tone, text) = match result.outcome.as_str() {
            "changed" => (Tone::Good, &words::CHANGED),
            "would" => (Tone::Info, &words::WOULD_CHANGE),
            "failed" => (Tone::Bad, &words::FAILED),
            _ => (Tone::Quiet, &words::SKIPPED),
        };
        Row::of(vec![
            id_link(&process_page(console, &result.process_id), &result.process_id),
            badge(tone, console.say(text)),
            html! { bdi.text { (result.text) } },
        ])
        .key(result.place.to_string())
    };
    table(console.say(&words::RESULTS), &columns, &results.iter().map(row).collect::<Vec<_>>())
}
