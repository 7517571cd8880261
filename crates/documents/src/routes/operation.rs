//! `POST /v1/{ns}/op/{name}` (DOC-6, DOC-8): runs an operation by its name, then brings the caller's copies level.

use std::sync::OnceLock;

use axum::extract::FromRequestParts;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use base::{OpError, Phase, Stamp, codes};
use kernel::{Media, Role};
use replica::{Held, Upgrade};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use web::{Answer, Api, ApiError, JsonBody, PathOf, Route, Shared};

use super::{READERS, TAG};
use crate::cache::{Looks, look};
use crate::class::{DocClass, ensure_offered};
use crate::codes as own;
use crate::commit::{COMMIT, Commit};
use crate::get;
use crate::search;
use crate::sync::{SYNC, SyncFilterOf, SyncOf, Synced};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/{ns}/op/{name}", operation)
            .tag(TAG)
            .summary("Run an operation by its name")
            .about(
                "Built in are doc.get, doc.commit, doc.search and doc.sync; programs add their own. doc.get takes `tolerance_s`, how \
                 many seconds old the document may be, and with it `ns`, another namespace that gave a grant for its class. After the \
                 operation, every \
                 document in `syncs` that is not level is answered with what brings it level; `epoch` of the answer is to be \
                 given with the next request about these documents. Those in `left` were not looked at: they are asked for again \
                 with the epoch that was sent for them.",
            )
            .roles(READERS)
            .looks_at_services()
            .param("name", "Name of the operation, e.g. doc.commit")
            .takes::<OpBody>()
            .answers::<OpAnswer>(200)
            .errors(own::ALL)
            .errors(&[codes::NOPERATION])
            .errors(&[codes::NGRANT]),
    ]
}

/// What an operation is asked.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = OperationBody)]
struct OpBody {
    /// The operation's parameter.
    #[schema(value_type = Option<Object>)]
    param: Option<Box<RawValue>>,
    /// What the caller holds of documents that it wants to be level.
    #[schema(value_type = Option<Vec<Object>>)]
    syncs: Option<Vec<Held>>,
    /// The epoch of the answer that these were got with.
    epoch: Option<String>,
}

/// What came of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OperationAnswer)]
struct OpAnswer {
    /// The operation's result.
    #[schema(value_type = Object)]
    out: Value,
    /// What brings the caller's copies level; those that are level already are not named.
    #[schema(value_type = Vec<Object>)]
    syncs: Vec<Upgrade>,
    /// Documents that were left out because the answer was large already: ask for them again, with the epoch that you sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    left: Vec<Left>,
    /// Another one after the server was put back from a backup.
    epoch: String,
}

/// A document that was left out.
#[derive(Debug, Serialize)]
struct Left {
    c: String,
    id: String,
}

#[derive(Deserialize)]
struct NamePath {
    name: String,
}

/// An operation that the caller's scope is not closed to. Found out before the body is read.
struct Called {
    api: Api,
    name: String,
}

impl FromRequestParts<Shared> for Called {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, ApiError> {
        let api = Api::from_request_parts(parts, shared).await?;
        let PathOf(NamePath { name }) = PathOf::from_request_parts(parts, shared).await?;
        check_service(&api, owner(&api, &name))?;
        Ok(Self { api, name })
    }
}

/// Operations of our own. No program's takes the place of one.
const BUILT_IN: [&str; 4] = ["doc.commit", "doc.get", "doc.search", "doc.sync"];
const OWN_SERVICE: &str = "documents";

/// The service that has an operation.
fn owner(api: &Api, name: &str) -> &'static str {
    let of_program = if BUILT_IN.contains(&name) { None } else { api.kernel().owner_of(name) };
    of_program.unwrap_or(OWN_SERVICE)
}

fn check_service(api: &Api, service: &str) -> Result<(), ApiError> {
    if api.caller().may("service", service) { Ok(()) } else { Err(web::of_another_service()) }
}

async fn operation(Called { api, name }: Called, body: JsonBody<OpBody>) -> Result<Response, ApiError> {
    let mut taken = (None, None);
    let param = body.map(|body| {
        taken = (body.syncs, body.epoch);
        body.param
    });
    let (held, epoch) = (taken.0.unwrap_or_default(), taken.1);
    if !held.is_empty() {
        check_service(&api, OWN_SERVICE)?;
    }
    ensure_offered(&api).await;
    let (done, media) = run(&api, &name, param).await?;
    if media {
        return sent(done);
    }
    let synced = sync(&api, held, epoch, done.version).await?;
    let Synced { syncs, left, epoch, .. } = synced;
    let left = left.into_iter().map(|(c, id)| Left { c, id }).collect();
    Ok(done.map(|out| OpAnswer { out, syncs, left, epoch }).into_response())
}

type Param = JsonBody<Option<Box<RawValue>>>;

/// The result, and whether it is bytes.
type Done = (Answer<Value>, bool);

async fn run(api: &Api, name: &str, param: Param) -> Result<Done, ApiError> {
    let built_in = match name {
        "doc.commit" => {
            allow(api, &[Role::Operator, Role::App], name)?;
            let commit: Commit = parse(param.value().as_deref(), name)?;
            json(api.call(&COMMIT, param.map(|_| commit)).await?)?
        }
        "doc.get" => get::get(api, parse(param.value().as_deref(), name)?).await?,
        "doc.search" => json(search::answer(api, parse(param.value().as_deref(), name)?).await?)?,
        "doc.sync" => api.answer(Value::Null),
        _ => return run_named(api, name, param).await,
    };
    Ok((built_in, false))
}

async fn run_named(api: &Api, name: &str, param: Param) -> Result<Done, ApiError> {
    let value: Value = param.value().as_deref().map_or(Ok(Value::Null), |raw| parse(Some(raw), name))?;
    if let Some(op) = api.kernel().operation(name).filter(|op| op.named_for().is_some()) {
        allow(api, op.named_for().unwrap_or_default(), name)?;
        return Ok((api.call_any(op, param.map(|_| value)).await?, op.gives_media()));
    }
    if let Some(query) = api.kernel().query(name).filter(|query| query.named_for().is_some()) {
        allow(api, query.named_for().unwrap_or_default(), name)?;
        return Ok((api.read_any(query, value).await?, query.gives_media()));
    }
    Err(ApiError::refused(codes::NOPERATION, format!("no operation `{name}` that can be called by name")))
}

/// Bytes with their media type; nothing is synchronised with them.
fn sent(done: Answer<Value>) -> Result<Response, ApiError> {
    let media = serde_json::from_value(done.out.clone());
    let Media { mime, bytes } = media.map_err(|error| ApiError::refused(codes::BDETECTED, error.to_string()))?;
    let mut response = done.map(|_| Value::Null).into_response();
    *response.body_mut() = bytes.into();
    response.headers_mut().remove(CONTENT_LENGTH);
    let mime = HeaderValue::from_str(&mime).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    response.headers_mut().insert(CONTENT_TYPE, mime);
    Ok(response)
}

fn allow(api: &Api, roles: &[Role], name: &str) -> Result<(), ApiError> {
    let role = api.caller().role;
    if role == Role::Admin || roles.contains(&role) {
        return Ok(());
    }
    Err(ApiError::refused(codes::SROLE, format!("a key of role {} may not call {name}", role.word())))
}

fn parse<T: DeserializeOwned>(raw: Option<&RawValue>, name: &str) -> Result<T, ApiError> {
    let text = raw.map_or("null", RawValue::get);
    serde_json::from_str(text).map_err(|error| ApiError::refused(codes::ABODY, format!("param of {name}: {error}")))
}

fn json<O: Serialize>(answer: Answer<O>) -> Result<Answer<Value>, ApiError> {
    let value = serde_json::to_value(&answer.out);
    let value = value.map_err(|error| ApiError::refused(codes::BDETECTED, format!("no JSON: {error}")))?;
    Ok(answer.map(|_| value))
}

/// Brings the caller's copies level. What the operation did is committed, whatever happens here: the error says so.
async fn sync(api: &Api, held: Vec<Held>, epoch: Option<String>, version: Option<Stamp>) -> Result<Synced, ApiError> {
    if held.is_empty() {
        return Ok(Synced { syncs: vec![], left: vec![], epoch: known_epoch(api).await?, same_epoch: true });
    }
    let filters = api.namespace().home.offered::<DocClass>();
    let filters = filters.filter_map(|class| Some((class.name, SyncFilterOf(class.filter?)))).collect();
    let looks = held.iter().map(|held| look(api.kernel(), api.namespace(), &held.c, &held.id, 0)).collect();
    let (caller, properties) = (api.caller().clone(), api.properties().clone());
    let of = SyncOf { caller, properties, held, epoch, filters, looks: Looks(looks) };
    let synced = api.read(&SYNC, of).await;
    let answer = synced.map_err(|ApiError(error)| ApiError(OpError { version, ..error.at(Phase::Synchronisation) }))?;
    if answer.out.epoch.is_empty() {
        return Ok(Synced { epoch: api.epoch().await?, ..answer.out });
    }
    Ok(answer.out)
}

#[derive(Default)]
struct KnownEpoch(OnceLock<String>);

/// The store's epoch, which stays the same as long as the store is open: asked once, for those who synchronise nothing.
async fn known_epoch(api: &Api) -> Result<String, ApiError> {
    let known = api.namespace().home.memory::<KnownEpoch>();
    if let Some(epoch) = known.0.get() {
        return Ok(epoch.clone());
    }
    let epoch = api.epoch().await?;
    Ok(known.0.get_or_init(|| epoch).clone())
}
