//! Messages over HTTP (EXC-3, EXC-9): sent, fetched, acknowledged, asked about.

use std::borrow::Cow;
use std::time::Duration;

use axum::http::HeaderMap;
use axum::response::Response;
use base::{OpResult, codes};
use kernel::Role;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};
use web::{Api, ApiError, ApiResult, JsonBody, NoBody, PathOf, QueryOf, Route, RouteLimits, Waiting, given};

use super::{Speaker, TAG, answer_text};
use crate::arrivals::{Arrivals, LOOK_AGAIN_MS};
use crate::codes::{AEXCHANGE, AFORM, ATAKEN, NMESSAGE, NPARTY, SBLOCKED};
use crate::message::{
    ACK, Ack, Acked, FETCH, Fetch, Fetched, Letter, MessageStatus, OWN_STATUS, SEND, STATUS, Send, Sent, StatusOf,
    array,
};
use crate::rules::Rules;

/// Who sends.
const SENDERS: &[Role] = &[Role::Device, Role::Database, Role::Operator];
/// Who fetches and acknowledges.
const DEVICES: &[Role] = &[Role::Device, Role::Operator];
/// Who asks.
const ASKERS: &[Role] = &[Role::Device, Role::Database, Role::Operator, Role::Reader];
/// Seconds that a fetch may wait.
const WAIT_S_MAX: u32 = 60;
/// A large message over a slow line.
const UP_TO_A_MESSAGE: RouteLimits = RouteLimits {
    body_max: None,
    body_max_set: Some(|kernel| kernel.common::<Rules>().get().message_bytes),
    body_timeout: Some(Duration::from_secs(300)),
};

pub(super) fn routes() -> Vec<Route> {
    let of_one = |route: Route| route.tag(TAG).param("id", "Id of the message").errors(&[NMESSAGE, NPARTY, SBLOCKED]);
    vec![
        Route::post("/v1/{ns}/exchange/messages", send)
            .tag(TAG)
            .summary("Send a message")
            .about(
                "From a device to a database of its company, or from a database to a device. It is durable when this answers. The same \
                 message again is answered the same and stored once; the same id with other content is refused. The payload is \
                 opaque and passed on as it came. At most `exchange.message_size`, 32 MiB if nobody sets it.",
            )
            .roles(SENDERS)
            .takes::<SentMessage>()
            .limits(UP_TO_A_MESSAGE)
            .answers::<Sent>(201)
            .errors(&[AEXCHANGE, AFORM, ATAKEN, NPARTY, SBLOCKED, codes::ATOOBIG]),
        Route::get("/v1/{ns}/exchange/messages", fetch)
            .tag(TAG)
            .summary("Fetch the messages for a device")
            .about(
                "Oldest first. They stay until they are acknowledged. With `wait_s` the answer comes as soon as there is something, or \
                 empty at the end of that time.",
            )
            .roles(DEVICES)
            .query::<FetchQuery>()
            .answers::<FetchedMessages>(200)
            .errors(&[codes::ALIMIT, codes::XBUSY, NPARTY, SBLOCKED]),
        of_one(Route::post("/v1/{ns}/exchange/messages/{id}/ack", ack))
            .summary("Acknowledge a message")
            .about("The device has it: it goes to the log and is not given again. Acknowledging it again is no error.")
            .roles(DEVICES)
            .query::<AckQuery>()
            .answers_nothing()
            .errors(&[AEXCHANGE]),
        of_one(Route::get("/v1/{ns}/exchange/messages/{id}/status", status))
            .summary("Ask what became of a message")
            .about("For whoever sent it.")
            .roles(ASKERS)
            .query::<StatusQuery>()
            .answers::<MessageStatus>(200),
    ]
}

/// A message.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct SentMessage(Box<RawValue>);

impl ToSchema for SentMessage {
    fn name() -> Cow<'static, str> {
        ExchangeMessage::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        ExchangeMessage::schemas(schemas);
    }
}

impl PartialSchema for SentMessage {
    fn schema() -> RefOr<Schema> {
        ExchangeMessage::schema()
    }
}

/// A message.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described: the text itself is passed on")]
#[schema(example = json!({
    "version": 1, "id": "m-1",
    "head": { "company": "acme", "subsystem": "sales", "from": "01KA2B3C4D5E6F7G8H9JKMNPQR", "to": "erp", "created_at": "2026-11-16T12:00:00Z" },
    "body": { "type": "order", "version": 1, "payload": { "lines": [] } }
}))]
pub(super) struct ExchangeMessage {
    /// Of this form: 1.
    version: u32,
    /// Its id, unique among those of its sender: 1 to 36 of `A-Za-z0-9-`.
    id: String,
    /// Who, whom, when.
    head: MessageHead,
    /// What.
    body: MessageBody,
}

/// The head of a message.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described")]
pub(super) struct MessageHead {
    /// Of which company.
    company: String,
    /// Of which subsystem.
    subsystem: String,
    /// Who sends it: a device or a database.
    from: String,
    /// Whom it is for: a database or a device.
    to: String,
    /// When it was made. Messages are given oldest first; a time in our future counts as that of receipt.
    #[schema(format = DateTime)]
    created_at: String,
    /// Its place among those of the same time; 0 if not given.
    #[schema(nullable = false)]
    order: Option<i64>,
    /// The message that it answers.
    #[schema(nullable = false)]
    reply_to: Option<String>,
}

/// The body of a message.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described")]
pub(super) struct MessageBody {
    /// What the application calls it.
    #[schema(rename = "type")]
    r#type: String,
    /// The application's own version.
    #[schema(value_type = Object)]
    version: (),
    /// Opaque.
    #[schema(value_type = Object)]
    payload: (),
}

/// Messages for a device.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described: the answer is made of texts")]
struct FetchedMessages {
    /// Oldest first.
    messages: Vec<ExchangeMessage>,
}

/// Which messages.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct FetchQuery {
    /// At most so many messages.
    #[param(minimum = 1, nullable = false)]
    max_files: Option<u32>,
    /// At most so many megabytes, but one message at least; a fraction is good.
    #[param(nullable = false)]
    max_mb: Option<f64>,
    /// Wait up to so many seconds for something to come.
    #[param(maximum = 60, nullable = false)]
    wait_s: Option<u32>,
    /// For which device; only for keys that speak for all.
    #[param(nullable = false)]
    device: Option<String>,
}

/// Which message.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct AckQuery {
    /// Who sent it; needed only where several databases used the same id.
    #[param(nullable = false)]
    from: Option<String>,
    /// For which device; only for keys that speak for all.
    #[param(nullable = false)]
    device: Option<String>,
}

/// Which message.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct StatusQuery {
    /// Who sent it; only for keys that speak for all.
    #[param(nullable = false)]
    from: Option<String>,
}

#[derive(Deserialize)]
struct MessagePath {
    id: String,
}

/// The device that a caller is, or names.
fn device(api: &Api, named: Option<String>) -> Result<String, ApiError> {
    match Speaker::of(api)? {
        Speaker::Device(id) if named.as_ref().is_none_or(|named| *named == id) => Ok(id),
        Speaker::Anyone => {
            named.ok_or_else(|| ApiError::refused(codes::ABODY, "query: this key must say for which device"))
        }
        _ => Err(ApiError::refused(codes::SROLE, "this key does not speak for this device")),
    }
}

async fn send(api: Api, body: JsonBody<SentMessage>) -> ApiResult<Sent> {
    let sender = match Speaker::of(&api)? {
        Speaker::Anyone => None,
        Speaker::Device(id) | Speaker::Database(id) => Some(id),
    };
    let body = body.try_map(|message| letter(&api, message.0))?;
    api.call(&SEND, body.map(|letter| Send { sender, letter })).await
}

/// Reads a message, before any transaction.
pub(super) fn letter(api: &Api, text: Box<RawValue>) -> OpResult<Letter> {
    let bytes_max = api.kernel().common::<Rules>().get().message_bytes;
    Letter::read_within(Box::<str>::from(text).into_string(), bytes_max)
}

async fn fetch(api: Api, headers: HeaderMap, QueryOf(query): QueryOf<FetchQuery>) -> Result<Response, ApiError> {
    let wait_s = query.wait_s.unwrap_or(0);
    if wait_s > WAIT_S_MAX {
        return Err(ApiError::refused(codes::ALIMIT, format!("wait_s is {wait_s}, it must be 0 to {WAIT_S_MAX}")));
    }
    let device = device(&api, given(query.device))?;
    let rules = api.kernel().common::<Rules>().get();
    let (files, bytes) = rules.within(query.max_files, query.max_mb)?;
    let wanted = Fetch { device, files, bytes };
    let found = match wait_s {
        0 => api.read(&FETCH, wanted).await?,
        _ => fetch_waiting(&api, &headers, wanted, wait_s).await?,
    };
    let text = messages_text(&found.out);
    Ok(answer_text(found, text))
}

/// Looks, and as long as there is nothing waits to be told of something, or for its time to look again.
async fn fetch_waiting(api: &Api, headers: &HeaderMap, wanted: Fetch, wait_s: u32) -> ApiResult<Fetched> {
    let clock = api.kernel().env().clock.clone();
    let end_us = clock.monotonic_us() + u64::from(wait_s) * 1_000_000;
    // From before the first look on, so that nothing that comes between is missed.
    let waiter = Arrivals::wait(api.namespace(), &wanted.device);
    let mut waiting = None;
    loop {
        let found = api.read(&FETCH, wanted.clone()).await?;
        let left_ms = end_us.saturating_sub(clock.monotonic_us()).div_ceil(1_000);
        if !found.out.messages.is_empty() || left_ms == 0 {
            return Ok(found);
        }
        let waits: &Waiting = match &waiting {
            Some(waits) => waits,
            None => waiting.insert(api.wait(headers)?),
        };
        let bell = waiter.bell();
        let timer = bell.clone();
        api.kernel().env().timers.after(left_ms.min(LOOK_AGAIN_MS), Box::new(move || timer.notify_one()));
        tokio::select! {
            () = bell.notified() => {}
            () = waits.stopping() => return Ok(found),
        }
        if !waits.may_go_on().await {
            return Err(ApiError::refused(codes::SKEY, "the key is not valid any more"));
        }
    }
}

fn messages_text(found: &Fetched) -> String {
    format!("{{\"messages\":{}}}", array(&found.messages))
}

async fn ack(
    api: Api,
    PathOf(MessagePath { id }): PathOf<MessagePath>,
    QueryOf(query): QueryOf<AckQuery>,
    body: NoBody,
) -> ApiResult<Acked> {
    let device = device(&api, given(query.device))?;
    api.call(&ACK, body.with(Ack { device, id, from: given(query.from) })).await
}

async fn status(
    api: Api,
    PathOf(MessagePath { id }): PathOf<MessagePath>,
    QueryOf(query): QueryOf<StatusQuery>,
) -> ApiResult<MessageStatus> {
    let named = given(query.from);
    match Speaker::of(&api)? {
        Speaker::Anyone => {
            let nobody = || ApiError::refused(codes::ABODY, "query: this key must say from whom");
            api.read(&STATUS, StatusOf { sender: named.ok_or_else(nobody)?, id }).await
        }
        Speaker::Device(own) | Speaker::Database(own) if named.as_ref().is_some_and(|named| *named != own) => {
            Err(ApiError::refused(codes::SROLE, "this key asks for what it sent itself"))
        }
        Speaker::Device(sender) => api.read(&OWN_STATUS, StatusOf { sender, id }).await,
        Speaker::Database(sender) => api.read(&STATUS, StatusOf { sender, id }).await,
    }
}
