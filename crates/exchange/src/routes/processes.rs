//! The handshake over HTTP (EXC-10 to EXC-20). Statuses are answers, not errors.

use std::time::Duration;

use axum::response::Response;
use base::{OpResult, codes};
use kernel::watch::shown;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};
use web::{Api, ApiError, ApiResult, JsonBody, List, NoBody, PageQuery, PathOf, QueryOf, Route, RouteLimits};

use super::messages::{ExchangeMessage, letter};
use super::{LOOKERS, PROCESSORS, Speaker, TAG, WRITERS, answer_text, check_unbound, looked_at};
use crate::codes::{AEXCHANGE, AFORM, APROCESS, ATAKEN, NPARTY, NPROCESS};
use crate::message::array;
use crate::process::{
    COMMIT, Finish, GIVE_UP, INTERRUPT, MessageResult, NARROW, Narrow, PREPARE, PROCESSES, Prepare, ProcessOf,
    ProcessState, ProcessView, ProcessesOf, RESOLVE, RESUME, ROLLBACK, Resolve, Resume, SHOW_PROCESS, START, Start,
    StartAnswer, Started, Status,
};
use crate::rules::Rules;

const ALL: &str = "/v1/{ns}/exchange/processes";
/// Bytes of results and further replies, beside a reply as large as a message may be.
const RESULTS_BYTES: usize = 12 << 20;
/// Replies over a slow line.
const UP_TO_A_PREPARE: RouteLimits = RouteLimits {
    body_max: None,
    body_max_set: Some(|kernel| kernel.common::<Rules>().get().message_bytes + RESULTS_BYTES),
    body_timeout: Some(Duration::from_secs(300)),
};
/// Messages that a narrowing or a preparation may name: more are never given.
const NAMED_MAX: usize = 10_000;
/// Bytes of a text that goes into the journal.
const TEXT_MAX: usize = 2_000;

pub(super) fn routes() -> Vec<Route> {
    let mut all = handshake();
    all.extend(looks());
    all
}

fn handshake() -> Vec<Route> {
    let step = |route: Route| {
        route.tag(TAG).param("id", "Id of the process").roles(PROCESSORS).answers::<Status>(200).errors(&[APROCESS])
    };
    vec![
        Route::post(ALL, start)
            .tag(TAG)
            .summary("Start a process")
            .about(
                "`BUSY` if a process of this database is active, `IDLE` if nothing waits for it, else `OK` with the id of the process and \
                 the messages, oldest first. Without limits 10 messages and 20 MB; the smaller of the server's and these count. \
                 With an Idempotency-Key a repeat gives the same process and the same messages again.",
            )
            .roles(PROCESSORS)
            .takes::<Start>()
            .answers::<StartedProcess>(200)
            .errors(&[NPARTY, codes::ALIMIT]),
        step(Route::post("/v1/{ns}/exchange/processes/{id}/narrow", narrow))
            .summary("Name what will be processed")
            .about("What is left out is free at once, and offered after those never left out. An empty list is an interrupt.")
            .takes::<NarrowBody>()
            .errors(&[AEXCHANGE]),
        step(Route::post("/v1/{ns}/exchange/processes/{id}/prepare", prepare))
            .summary("Bring results and replies")
            .about(
                "A result for every message of the process and for no other, and the replies, which go out with the commit. After `OK` the \
                 database commits its own transaction. A repeat with the same content is answered `OK`. At most 32 MiB and 200 replies.",
            )
            .takes::<PrepareBody>()
            .limits(UP_TO_A_PREPARE)
            .errors(&[AEXCHANGE, AFORM, ATAKEN, NPARTY, codes::ALIMIT, codes::ATOOBIG]),
        step(Route::post("/v1/{ns}/exchange/processes/{id}/commit", commit))
            .summary("Tell that the database committed")
            .takes::<CommitBody>(),
        step(Route::post("/v1/{ns}/exchange/processes/{id}/rollback", rollback))
            .summary("Tell that the database did not commit")
            .about("Nothing of it happened: messages are free again, replies are dropped.")
            .takes::<RollbackBody>(),
        step(Route::post("/v1/{ns}/exchange/processes/{id}/interrupt", interrupt))
            .summary("End a process")
            .about(
                "Nothing of it happened: messages are free again, replies are dropped. With `only_started` one that was prepared is left alone, \
                 which is answered `CANCELLED`: for whoever cannot know whether it is at work in somebody else's hands.",
            )
            .takes::<InterruptBody>(),
        step(Route::post("/v1/{ns}/exchange/processes/{id}/resolve", resolve))
            .summary("Tell what became of a process whose outcome is unknown")
            .about("Finishes or reverts it exactly as commit or rollback would have.")
            .takes::<ResolveBody>()
            .errors(&[NPROCESS]),
        step(Route::post("/v1/{ns}/exchange/processes/{id}/resume", resume))
            .summary("Try the files of a failed process again at once")
            .roles(WRITERS)
            .errors(&[NPROCESS]),
    ]
}

fn looks() -> Vec<Route> {
    let look = |route: Route| route.tag(TAG).roles(LOOKERS);
    vec![
        look(Route::get(ALL, list))
            .summary("List processes")
            .about("Newest first, ended ones included.")
            .query::<ProcessesQuery>()
            .answers::<List<ProcessView>>(200)
            .errors(&[codes::ALIMIT]),
        look(Route::get("/v1/{ns}/exchange/processes/unresolved", unresolved))
            .summary("List processes whose outcome is unknown")
            .about(
                "Newest first. A database finds out by its own table of committed processes, and tells by `resolve`.",
            )
            .query::<UnresolvedQuery>()
            .answers::<List<ProcessView>>(200)
            .errors(&[codes::ALIMIT]),
        look(Route::get("/v1/{ns}/exchange/processes/{id}", show))
            .summary("Show a process")
            .about("With the messages that it was given, what became of each, and its replies; also when it has ended.")
            .param("id", "Id of the process")
            .answers::<ProcessView>(200)
            .errors(&[NPROCESS]),
    ]
}

/// What a database gets.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described: the answer is made of texts")]
struct StartedProcess {
    /// Whether there is a process.
    status: StartAnswer,
    /// Its id, with `OK`.
    #[schema(nullable = false)]
    process: Option<String>,
    /// The messages as they came, oldest first, with `OK`.
    #[schema(nullable = false)]
    messages: Option<Vec<ExchangeMessage>>,
}

/// What will be processed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NarrowBody {
    /// Ids of messages that were given.
    messages: Vec<String>,
}

/// Results and replies.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PrepareBody {
    /// A result for each message.
    results: Vec<MessageResult>,
    /// Messages of the database to devices.
    #[serde(default)]
    #[schema(required = false, value_type = Vec<ExchangeMessage>)]
    replies: Vec<Box<RawValue>>,
}

/// Nothing more is to be said.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct CommitBody {}

/// Why the database did not commit.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RollbackBody {
    /// What went wrong; goes into the journal.
    error: String,
    /// Whether a message with the error is sent to whoever sent the messages.
    #[serde(default)]
    #[schema(required = false)]
    tell_senders: bool,
}

/// Why it ends.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct InterruptBody {
    /// Goes into the journal.
    message: String,
    /// Whether it is ended only if it was not prepared yet.
    #[serde(default)]
    #[schema(required = false)]
    only_started: bool,
}

/// What was found out.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ResolveBody {
    /// Whether the database committed.
    committed: bool,
}

/// Which processes.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct ProcessesQuery {
    /// Only those of this database.
    #[param(nullable = false)]
    db: Option<String>,
    /// Only those in this state.
    #[param(nullable = false)]
    state: Option<ProcessState>,
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

/// Which processes.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct UnresolvedQuery {
    /// Only those of this database.
    #[param(nullable = false)]
    db: Option<String>,
    /// At most so many items; 100 if not given.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u32>,
    /// `next` of the page before.
    #[param(nullable = false)]
    after: Option<String>,
}

#[derive(Deserialize)]
struct ProcessPath {
    id: String,
}

async fn start(api: Api, body: JsonBody<Start>) -> Result<Response, ApiError> {
    if Speaker::database(&api)?.is_some_and(|own| own != body.value().db) {
        return Err(ApiError::refused(codes::SROLE, "this key speaks for another database"));
    }
    let started = api.call(&START, body).await?;
    let text = started_text(&started.out);
    Ok(answer_text(started, text))
}

fn started_text(started: &Started) -> String {
    let status = serde_json::json!(started.status);
    match (&started.process, &started.messages) {
        (Some(process), Some(messages)) => {
            let process = serde_json::json!(process);
            format!("{{\"status\":{status},\"process\":{process},\"messages\":{}}}", array(messages))
        }
        _ => format!("{{\"status\":{status}}}"),
    }
}

async fn narrow(
    api: Api,
    PathOf(ProcessPath { id }): PathOf<ProcessPath>,
    body: JsonBody<NarrowBody>,
) -> ApiResult<Status> {
    let db = Speaker::database(&api)?;
    check_many("messages", body.value().messages.len())?;
    api.call(&NARROW, body.map(|said| Narrow { process: id, db, messages: said.messages })).await
}

async fn prepare(
    api: Api,
    PathOf(ProcessPath { id }): PathOf<ProcessPath>,
    body: JsonBody<PrepareBody>,
) -> ApiResult<Status> {
    let db = Speaker::database(&api)?;
    check_many("results", body.value().results.len())?;
    let input = |PrepareBody { results, replies }: PrepareBody| {
        let replies = replies.into_iter().map(|reply| letter(&api, reply)).collect::<OpResult<_>>()?;
        OpResult::Ok(Prepare { process: id, db, results, replies })
    };
    api.call(&PREPARE, body.try_map(input)?).await
}

fn check_many(what: &str, many: usize) -> Result<(), ApiError> {
    if many <= NAMED_MAX {
        return Ok(());
    }
    Err(ApiError::refused(codes::ALIMIT, format!("{many} {what}, at most {NAMED_MAX}")))
}

async fn commit(
    api: Api,
    PathOf(ProcessPath { id }): PathOf<ProcessPath>,
    body: JsonBody<CommitBody>,
) -> ApiResult<Status> {
    let db = Speaker::database(&api)?;
    let input = |_| Finish { process: id, db, message: String::new(), tell_senders: false };
    api.call(&COMMIT, body.map(input)).await
}

async fn rollback(
    api: Api,
    PathOf(ProcessPath { id }): PathOf<ProcessPath>,
    body: JsonBody<RollbackBody>,
) -> ApiResult<Status> {
    let db = Speaker::database(&api)?;
    let input = |said: RollbackBody| Finish {
        process: id,
        db,
        message: shown(&said.error, TEXT_MAX),
        tell_senders: said.tell_senders,
    };
    api.call(&ROLLBACK, body.map(input)).await
}

async fn interrupt(
    api: Api,
    PathOf(ProcessPath { id }): PathOf<ProcessPath>,
    body: JsonBody<InterruptBody>,
) -> ApiResult<Status> {
    let db = Speaker::database(&api)?;
    let op = if body.value().only_started { &GIVE_UP } else { &INTERRUPT };
    let input =
        |said: InterruptBody| Finish { process: id, db, message: shown(&said.message, TEXT_MAX), tell_senders: false };
    api.call(op, body.map(input)).await
}

async fn resolve(
    api: Api,
    PathOf(ProcessPath { id }): PathOf<ProcessPath>,
    body: JsonBody<ResolveBody>,
) -> ApiResult<Status> {
    // A process never changes its database: what was looked at before still holds.
    if let db @ Some(_) = Speaker::database(&api)? {
        api.read(&SHOW_PROCESS, ProcessOf { id: id.clone(), db }).await?;
    }
    api.call(&RESOLVE, body.map(|said| Resolve { process: id, committed: said.committed })).await
}

async fn resume(api: Api, PathOf(ProcessPath { id }): PathOf<ProcessPath>, body: NoBody) -> ApiResult<Status> {
    check_unbound(&api)?;
    api.call(&RESUME, body.with(Resume { process: id })).await
}

async fn list(api: Api, QueryOf(query): QueryOf<ProcessesQuery>) -> ApiResult<List<ProcessView>> {
    let page = api.page(&PageQuery { limit: query.limit, after: query.after })?;
    let before = page.after.map(|id| id.to_string());
    let wanted = ProcessesOf { db: looked_at(&api, query.db)?, state: query.state, before, limit: page.and_one() };
    let found = api.read(&PROCESSES, wanted).await?;
    Ok(found.map(|items| List::cut(items, page.limit, |process| process.id.clone())))
}

async fn unresolved(api: Api, QueryOf(query): QueryOf<UnresolvedQuery>) -> ApiResult<List<ProcessView>> {
    let UnresolvedQuery { db, limit, after } = query;
    list(api, QueryOf(ProcessesQuery { db, state: Some(ProcessState::Unknown), limit, after })).await
}

async fn show(api: Api, PathOf(ProcessPath { id }): PathOf<ProcessPath>) -> ApiResult<ProcessView> {
    let db = Speaker::database(&api)?;
    api.read(&SHOW_PROCESS, ProcessOf { id, db }).await
}
