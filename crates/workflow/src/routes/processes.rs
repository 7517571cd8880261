//! Processes over HTTP (WFL-2, WFL-9, WFL-18, WFL-23).

use axum::http::HeaderMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};
use web::{Api, ApiResult, JsonBody, List, PathOf, QueryOf, Route};

use super::patience::Patience;
use super::{READERS, TAG, WRITERS, check_service};
use crate::codes::{AFLOW, AWORKFLOW, NFLOW, NFLOWTASK};
use crate::engine::end_bell;
use crate::process::row::State;
use crate::process::{
    ABORT, Abort, CLONE, CloneProcess, HISTORY, HistoryView, PROCESS, ProcessView, RESTART, Restart, SIGNAL, START,
    Signal, Start, Started, TASKS, TaskView,
};

const ALL: &str = "/v1/{ns}/workflow/processes";

pub(super) fn routes() -> Vec<Route> {
    let one = |route: Route| route.tag(TAG).param("id", "Id of the process").errors(&[NFLOW]);
    vec![
        Route::post(ALL, start)
            .tag(TAG)
            .summary("Start a process")
            .about(
                "It is durable when this answers, with its first task in its queue. With a `key` at most one process of the type is \
                 started: the same again is answered the same.",
            )
            .roles(WRITERS)
            .takes::<Start>()
            .answers::<Started>(201)
            .errors(&[AWORKFLOW, base::codes::ALIMIT, base::codes::AKEYREUSED]),
        one(Route::get("/v1/{ns}/workflow/processes/{id}", show))
            .summary("Show a process")
            .about(
                "With `wait_ms` (at most 60,000) the answer waits until it is not ACTIVE any more, or that time is over: whoever started it \
                 hears of its end at once.",
            )
            .query::<ShowQuery>()
            .roles(READERS)
            .answers::<ProcessView>(200)
            .errors(&[base::codes::ALIMIT, base::codes::XBUSY]),
        one(Route::get("/v1/{ns}/workflow/processes/{id}/tasks", tasks))
            .summary("List the tasks of a process")
            .about("All of them, in the order in which they were laid out, with what became of each.")
            .roles(READERS)
            .answers::<List<TaskView>>(200),
        one(Route::get("/v1/{ns}/workflow/processes/{id}/history", history))
            .summary("List what happened to a process beyond the usual")
            .about("Newest first: failed attempts, late results, repairs, each with its source. At most 1,000 lines.")
            .roles(READERS)
            .answers::<List<HistoryView>>(200),
        one(Route::post("/v1/{ns}/workflow/processes/{id}/abort", abort))
            .summary("Abort a process")
            .about("What waits is not given out any more, what is brought does not count. Aborting it again is no error.")
            .roles(WRITERS)
            .takes::<AbortBody>()
            .answers_nothing()
            .errors(&[AFLOW]),
        one(Route::post("/v1/{ns}/workflow/processes/{id}/restart", restart))
            .summary("Begin a process anew")
            .about(
                "From the start: everything of it is dropped. From a task: its result and those that came of it are dropped, earlier \
                 ones kept. Late results of before do not count.",
            )
            .roles(WRITERS)
            .takes::<RestartBody>()
            .answers_nothing()
            .errors(&[AFLOW, NFLOWTASK]),
        one(Route::post("/v1/{ns}/workflow/processes/{id}/clone", clone))
            .summary("Start a process like this one")
            .roles(WRITERS)
            .takes::<NothingBody>()
            .answers::<Started>(201),
        one(Route::post("/v1/{ns}/workflow/processes/{id}/signal", signal))
            .summary("Bring a signal to a process")
            .about("A task of actor `@signal` whose method is this name ends with the value; one that comes early is kept.")
            .roles(super::WORKERS)
            .takes::<SignalBody>()
            .answers_nothing()
            .errors(&[AFLOW, AWORKFLOW, base::codes::ALIMIT]),
    ]
}

/// Why.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowAbort)]
struct AbortBody {
    /// For people.
    #[serde(default)]
    reason: String,
}

/// From where.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowRestart)]
struct RestartBody {
    /// From this task; not given: from the start.
    #[serde(default)]
    task: Option<String>,
}

/// Nothing to say.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowNothing)]
struct NothingBody {}

/// A signal.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowSignal)]
struct SignalBody {
    /// Its name.
    name: String,
    /// What it says; null unless given.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    value: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct ProcessPath {
    id: String,
}

async fn start(api: Api, body: JsonBody<Start>) -> ApiResult<Started> {
    check_service(&api)?;
    api.call(&START, body).await
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct ShowQuery {
    /// Wait up to so many milliseconds for its end.
    #[param(maximum = 60_000, nullable = false)]
    wait_ms: Option<u64>,
}

async fn show(
    api: Api,
    headers: HeaderMap,
    PathOf(ProcessPath { id }): PathOf<ProcessPath>,
    QueryOf(query): QueryOf<ShowQuery>,
) -> ApiResult<ProcessView> {
    check_service(&api)?;
    let mut patience = Patience::new(&api, end_bell(&id), query.wait_ms.unwrap_or(0))?;
    loop {
        let found = api.read(&PROCESS, id.clone()).await?;
        let is_settled = found.out.state != State::Active.text();
        if is_settled || patience.is_over(&api) || !patience.wait(&api, &headers, None).await? {
            return Ok(found);
        }
    }
}

async fn tasks(api: Api, PathOf(ProcessPath { id }): PathOf<ProcessPath>) -> ApiResult<List<TaskView>> {
    check_service(&api)?;
    Ok(api.read(&TASKS, id).await?.map(|items| List { items, next: None }))
}

async fn history(api: Api, PathOf(ProcessPath { id }): PathOf<ProcessPath>) -> ApiResult<List<HistoryView>> {
    check_service(&api)?;
    Ok(api.read(&HISTORY, id).await?.map(|items| List { items, next: None }))
}

async fn abort(api: Api, PathOf(ProcessPath { id }): PathOf<ProcessPath>, body: JsonBody<AbortBody>) -> ApiResult<()> {
    check_service(&api)?;
    let reason = |body: AbortBody| body.reason.chars().take(1_000).collect();
    api.call(&ABORT, body.map(|body| Abort { process: id, reason: reason(body), source: None })).await
}

async fn restart(
    api: Api,
    PathOf(ProcessPath { id }): PathOf<ProcessPath>,
    body: JsonBody<RestartBody>,
) -> ApiResult<()> {
    check_service(&api)?;
    api.call(&RESTART, body.map(|body| Restart { process: id, task: body.task, source: None })).await
}

async fn clone(
    api: Api,
    PathOf(ProcessPath { id }): PathOf<ProcessPath>,
    body: JsonBody<NothingBody>,
) -> ApiResult<Started> {
    check_service(&api)?;
    api.call(&CLONE, body.map(|NothingBody {}| CloneProcess { process: id })).await
}

async fn signal(
    api: Api,
    PathOf(ProcessPath { id }): PathOf<ProcessPath>,
    body: JsonBody<SignalBody>,
) -> ApiResult<()> {
    check_service(&api)?;
    let signal = |body: SignalBody| {
        let value = body.value.unwrap_or_else(|| RawValue::NULL.to_owned());
        Signal { process: id, name: body.name, value }
    };
    api.call(&SIGNAL, body.map(signal)).await
}
