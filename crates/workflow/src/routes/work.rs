//! What workers call (WFL-6, WFL-7): poll, release, heartbeat.

use std::time::Duration;

use axum::http::HeaderMap;
use base::codes;
use serde::Deserialize;
use utoipa::ToSchema;
use web::{Api, ApiError, ApiResult, JsonBody, Route, RouteLimits, Waiting};

use super::{TAG, WORKERS, check_service};
use crate::codes::AWORKFLOW;
use crate::work::{Beaten, Bells, HEARTBEAT, Heartbeat, NEXT_AT, POLL, Poll, Polled, RELEASE, Release, Released};

/// How long a poll waits unless it says otherwise.
const WAIT_MS: u64 = 10_000;
/// How long a poll may wait.
const WAIT_MS_MAX: u64 = 60_000;
/// How often whoever waits looks by itself.
const LOOK_AGAIN_MS: u64 = 5_000;
/// Bytes of results in one call.
const RELEASE_BYTES_MAX: usize = 8 << 20;
const UP_TO_A_RELEASE: RouteLimits =
    RouteLimits { body_max: Some(RELEASE_BYTES_MAX), body_timeout: Some(Duration::from_secs(60)), body_max_set: None };

pub(super) fn routes() -> Vec<Route> {
    let work = |route: Route| route.tag(TAG).roles(WORKERS).errors(&[AWORKFLOW, codes::ALIMIT]);
    vec![
        work(Route::post("/v1/{ns}/workflow/poll", poll))
            .summary("Ask for work")
            .about(
                "Up to `max` tasks of an actor, oldest first, with the values of promises filled in: each argument is `{value}`, or \
                 `{error}` of a task that may fail. Where nothing is ready the answer waits `wait_ms` (10 s unless said otherwise) for \
                 something to come. A task is this attempt's until its deadline; a heartbeat extends it.",
            )
            .takes::<PollBody>()
            .answers::<Polled>(200)
            .errors(&[codes::XBUSY]),
        work(Route::post("/v1/{ns}/workflow/release", release))
            .summary("Bring results")
            .about(
                "Each with a value or an error, and the tasks that it lays out. Each is accepted once; one that does not count says why \
                 and changes nothing. At most 500 results and 1,500 new tasks in a call, 1 MiB a value.",
            )
            .takes::<Release>()
            .limits(UP_TO_A_RELEASE)
            .answers::<Released>(200)
            .errors(&[codes::ATOOBIG]),
        work(Route::post("/v1/{ns}/workflow/heartbeat", heartbeat))
            .summary("Tell that tasks are being worked on")
            .about("Extends their time, and saves what the next attempt should know. `ok: false`: it is not this attempt's any more.")
            .takes::<Heartbeat>()
            .limits(UP_TO_A_RELEASE)
            .answers::<Beaten>(200)
            .errors(&[codes::ATOOBIG]),
    ]
}

/// Who asks for work.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowPoll)]
struct PollBody {
    /// The actor that it plays, `name#version`.
    #[schema(example = "bill#1")]
    actor: String,
    /// The task list that it serves.
    #[serde(default)]
    task_list: Option<String>,
    /// What it calls itself, for people.
    #[serde(default)]
    worker: Option<String>,
    /// How many tasks it takes; 1 unless said otherwise, at most 500.
    #[serde(default)]
    max: Option<usize>,
    /// How long to wait for something to come; 10,000 unless said otherwise, at most 60,000.
    #[serde(default)]
    wait_ms: Option<u64>,
}

async fn poll(api: Api, headers: HeaderMap, body: JsonBody<PollBody>) -> ApiResult<Polled> {
    check_service(&api)?;
    let asked = body.into_value();
    let wait_ms = asked.wait_ms.unwrap_or(WAIT_MS);
    if wait_ms > WAIT_MS_MAX {
        return Err(ApiError::refused(codes::ALIMIT, format!("wait_ms is {wait_ms}, it must be 0 to {WAIT_MS_MAX}")));
    }
    let max = asked.max.unwrap_or(1);
    let wanted = Poll { actor: asked.actor, task_list: asked.task_list, worker: asked.worker, max };
    wanted.check()?;
    if !api.caller().may("actor", &wanted.actor) {
        return Err(ApiError::refused(codes::SROLE, format!("this key does not work as `{}`", wanted.actor)));
    }
    poll_waiting(&api, &headers, wanted, wait_ms).await
}

/// Looks, and as long as there is nothing waits to be rung for, or for its time to look again.
async fn poll_waiting(api: &Api, headers: &HeaderMap, wanted: Poll, wait_ms: u64) -> ApiResult<Polled> {
    let clock = api.kernel().env().clock.clone();
    let end_us = clock.monotonic_us() + wait_ms * 1_000;
    // From before the first look on, so that nothing that comes between is missed.
    let waiter = Bells::wait(api.namespace(), &wanted.queue());
    let mut waiting = None;
    loop {
        let polled = api.call_natural(&POLL, wanted.clone()).await?;
        let left_ms = end_us.saturating_sub(clock.monotonic_us()).div_ceil(1_000);
        if !polled.out.tasks.is_empty() || left_ms == 0 {
            return Ok(polled);
        }
        let waits: &Waiting = match &waiting {
            Some(waits) => waits,
            None => waiting.insert(api.wait(headers)?),
        };
        let next_ms = api.read(&NEXT_AT, wanted.queue()).await?.out.and_then(|ms| u64::try_from(ms).ok());
        let pause_ms = left_ms.min(LOOK_AGAIN_MS).min(next_ms.unwrap_or(u64::MAX).max(1));
        let timer = waiter.bell.clone();
        api.kernel().env().timers.after(pause_ms, Box::new(move || timer.notify_one()));
        tokio::select! {
            () = waiter.bell.notified() => {}
            () = waits.stopping() => return Ok(polled),
        }
        if !waits.may_go_on().await {
            return Err(ApiError::refused(codes::SKEY, "the key is not valid any more"));
        }
    }
}

async fn release(api: Api, body: JsonBody<Release>) -> ApiResult<Released> {
    check_service(&api)?;
    api.call(&RELEASE, body).await
}

async fn heartbeat(api: Api, body: JsonBody<Heartbeat>) -> ApiResult<Beaten> {
    check_service(&api)?;
    api.call(&HEARTBEAT, body).await
}
