//! gRPC on the common port: streams of messages in both directions, each a [`kernel::Session`].
//!
//! gRPC is HTTP/2 with five bytes before each message and a status behind the last one, so it is written here on hyper, which
//! serves this port anyway, in place of a second server beside the first: keys, roles, limits, TLS and the end of the
//! process are the same for all.
//!
//! Invariants: nothing is read from a client that does not take its answers, nor while more than a bound is under way for it;
//! a session always learns that its client is gone. Deliberately not here: compression, reflection, calls that are no streams.

mod body;
mod bytes;
mod conversation;
mod frames;
mod keeper;
mod status;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue};
use axum::http::request::Parts;
use axum::http::{Method, Version};
use axum::response::Response;
use base::codes;
use kernel::{Opening, Role, SessionDef, SessionEvent};
use tokio::sync::mpsc;

use crate::app::Shared;
use crate::auth::{self, Visitor};
use crate::error::ApiError;
use crate::head;
use crate::route::{Access, RouteInfo, check_role};
use crate::watch::Trace;
use body::StreamBody;
use conversation::Conversation;
use status::Status;

/// The media type of every answer.
pub(crate) const GRPC: HeaderValue = HeaderValue::from_static("application/grpc");
/// Which namespace a call is about.
const NAMESPACE: HeaderName = HeaderName::from_static("fastness-namespace");
/// Where it does not say: the namespace that every server has.
const NAMESPACE_USUAL: &str = "main";
/// Pieces of an answer that wait for the client beside what hyper holds.
const PIECES_MAX: usize = 2;

/// A call of gRPC with streams in both directions.
pub struct GrpcStream {
    /// `/package.Service/Call`.
    pub path: &'static str,
    /// What converses. Its first message is a [`kernel::Opening`], all others are those of the client, and so are its replies.
    pub session: &'static SessionDef,
    /// Who may, beside administrators.
    pub roles: &'static [Role],
    /// What it does, in a few words.
    pub summary: &'static str,
}

/// A call as the table has it.
pub(crate) struct Mounted {
    pub(crate) info: Arc<RouteInfo>,
    session: &'static SessionDef,
}

impl Mounted {
    pub(crate) fn of(stream: &'static GrpcStream) -> Self {
        let mut info = RouteInfo::new(Method::POST, stream.path);
        info.access = Access::Roles(stream.roles);
        info.summary = stream.summary;
        Self { info: Arc::new(info), session: stream.session }
    }
}

/// Answers a call: with a stream, or with a refusal as gRPC says it.
pub(crate) async fn answer(shared: &Shared, call: &Mounted, request: Request) -> Result<Response, ApiError> {
    if request.method() != Method::POST {
        return Err(ApiError::refused(codes::AMETHOD, "a call of gRPC is a POST"));
    }
    if request.version() != Version::HTTP_2 || !is_grpc(request.headers()) {
        return Err(ApiError::refused(codes::ATYPE, "this takes application/grpc by HTTP/2"));
    }
    if let Some(trace) = request.extensions().get::<Arc<Trace>>() {
        trace.set_route(&call.info);
    }
    Ok(open(shared, call, request).await.unwrap_or_else(|refusal| refused(&Status::of(&refusal.0))))
}

fn is_grpc(headers: &HeaderMap) -> bool {
    let text = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    text.strip_prefix("application/grpc").is_some_and(|rest| rest.is_empty() || rest.starts_with(['+', ';']))
}

async fn open(shared: &Shared, call: &Mounted, request: Request) -> Result<Response, ApiError> {
    head::check(&request)?;
    let address = auth::address_of(shared, &request);
    let (parts, body) = request.into_parts();
    let visitor = visitor(shared, &parts, address).await?;
    check_role(call.info.access, Some(&visitor))?;
    if let Some(trace) = parts.extensions.get::<Arc<Trace>>() {
        trace.set_caller(&visitor.caller.name);
    }
    let place = shared.live().enter(&visitor.ns.name, &visitor.caller.name)?;
    let opening = opening(shared, &visitor, &parts.headers);
    let (to, from) = mpsc::channel(PIECES_MAX);
    let mut conversation = Conversation::new(shared, &visitor, call.session, (parts.headers, body), to, place);
    conversation.tell(SessionEvent::Message(serde_json::to_vec(&opening).unwrap_or_default()));
    tokio::spawn(conversation.run());
    let mut response = Response::new(Body::new(StreamBody::new(from)));
    response.headers_mut().insert(CONTENT_TYPE, GRPC);
    Ok(response)
}

/// Who calls. Only a key is looked at: a cookie is what browsers send by themselves.
async fn visitor(shared: &Shared, parts: &Parts, address: IpAddr) -> Result<Visitor, ApiError> {
    if !parts.headers.contains_key(AUTHORIZATION) {
        return Err(auth::unknown_key());
    }
    let name = parts.headers.get(NAMESPACE).map_or(Some(NAMESPACE_USUAL), |value| value.to_str().ok());
    let stay = shared.admission().enter(parts.uri.path())?;
    let visitor = auth::somebody(shared, name.unwrap_or_default(), &parts.headers, address, &stay).await?;
    shared.kernel().check_read(&visitor.ns, &visitor.caller)?;
    Ok(visitor)
}

/// What the session is told first. Nothing of it tells who asks.
fn opening(shared: &Shared, visitor: &Visitor, headers: &HeaderMap) -> Opening {
    let secret = |name: &HeaderName| [AUTHORIZATION, COOKIE].contains(name);
    let readable = headers.iter().filter(|(name, _)| !secret(name));
    let text = |(name, value): (&HeaderName, &HeaderValue)| Some((name.to_string(), value.to_str().ok()?.to_owned()));
    let metadata: BTreeMap<String, String> = readable.filter_map(text).collect();
    Opening { connection: shared.kernel().request(visitor.caller.clone()).id.to_string(), metadata }
}

/// A refusal: no message, only the status.
fn refused(status: &Status) -> Response {
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, GRPC);
    status.add_to(headers);
    response
}

/// The messages in these bytes, in the pieces that they came in; `None` behind them if one is refused. For the fuzz targets.
pub fn messages<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Option<Vec<u8>>> {
    let (mut frames, mut found) = (frames::Frames::default(), vec![]);
    for piece in pieces {
        frames.add(piece);
        loop {
            match frames.next() {
                Ok(Some(message)) => found.push(Some(message)),
                Ok(None) => break,
                Err(_) => {
                    found.push(None);
                    return found;
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fld_1_calls_of_grpc_are_known_by_their_media_type() {
        let check = |text: &'static str, expected: bool| {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(text))]);
            assert_eq!(is_grpc(&headers), expected, "{text}");
        };
        for good in ["application/grpc", "application/grpc+proto", "application/grpc;charset=x"] {
            check(good, true);
        }
        for bad in ["application/grpc-web", "application/json", "", "text/application/grpc"] {
            check(bad, false);
        }
        assert!(!is_grpc(&HeaderMap::new()));
    }
}
