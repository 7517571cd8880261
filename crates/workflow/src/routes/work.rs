//! What workers call (WFL-6, WFL-7): poll, release, heartbeat.

use std::time::Duration;

use axum::http::HeaderMap;
use base::codes;
use serde::Deserialize;
use utoipa::ToSchema;
use web::{Api, ApiError, ApiResult, JsonBody, Route, RouteLimits};

use super::patience::Patience;
use super::{TAG, WORKERS, check_service};
use crate::codes::AWORKFLOW;
use crate::engine::bell;
use crate::work::{
    Beaten, HEARTBEAT, Heartbeat, NEXT_AT, POLL, POLL_ONCE, Poll, PollOnce, Polled, RELEASE, Release, Released,
};

/// How long a poll waits unless it says otherwise.
const WAIT_MS: u64 = 10_000;
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
                 something to come. A task is this attempt's until its deadline; a heartbeat extends it. A poll whose answer was lost is repeated \
                 with the same Idempotency-Key and given the same tasks.",
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
    let max = asked.max.unwrap_or(1);
    let wanted = Poll { actor: asked.actor, task_list: asked.task_list, worker: asked.worker, max };
    wanted.check()?;
    if !api.caller().may("actor", &wanted.actor) {
        return Err(ApiError::refused(codes::SROLE, format!("this key does not work as `{}`", wanted.actor)));
    }
    poll_waiting(&api, &headers, wanted, wait_ms).await
}

/// Looks as long as there is nothing.
async fn poll_waiting(api: &Api, headers: &HeaderMap, wanted: Poll, wait_ms: u64) -> ApiResult<Polled> {
    let mut patience = Patience::new(api, bell(&wanted.queue()), wait_ms)?;
    loop {
        let polled = look(api, wanted.clone()).await?;
        if !polled.out.tasks.is_empty() || patience.is_over(api) {
            return Ok(polled);
        }
        let next_ms = api.read(&NEXT_AT, wanted.queue()).await?.out.and_then(|ms| u64::try_from(ms).ok());
        if !patience.wait(api, headers, next_ms).await? {
            return Ok(polled);
        }
    }
}

/// With a key the same tasks are given to whoever asks again, because the answer was lost.
async fn look(api: &Api, poll: Poll) -> ApiResult<Polled> {
    match api.idempotency_key() {
        Some(key) => api.call_natural(&POLL_ONCE, PollOnce { poll, key: key.to_owned() }).await,
        None => api.call_natural(&POLL, poll).await,
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
